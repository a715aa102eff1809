"""What is between an agent and its tools: sessions, messages, adapters, proxy, hosts, settings.

All of it is thin: it encodes results with `mckp.encode`, and remembers what it delivered.
"""
