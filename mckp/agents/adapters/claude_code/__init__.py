"""The hook of Claude Code, which replaces results of tools by shorter texts (since 2.1.121).

Claude Code starts a process for every event of a conversation, so a file keeps what was delivered
from one process to the next.
"""
