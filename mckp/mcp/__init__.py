"""An MCP proxy: what tools say passes through a session on its way to the model.

The proxy relays the messages of a host and of one or many servers as they are, and changes
only results of tools and lists of tools. It needs the extra ``mcp``; nothing of that is
imported before a proxy is started.
"""
