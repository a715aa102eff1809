"""The hook of Claude Code: what tools returned is replaced by fewer tokens (since 2.1.121).

Every event of a conversation comes to a process of its own, so that what was delivered is kept
in a file in between.
"""
