"""The hook for Claude Code, which replaces tool results with shorter texts (since 2.1.121).

Claude Code starts a process for every event of a conversation, so a file keeps what was delivered
from one process to the next.
"""
