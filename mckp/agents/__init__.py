"""The layer between an agent and its tools: sessions, messages, adapters, proxy, hosts, settings.

It is thin: it encodes results with `mckp.encode`, and remembers what it delivered.
"""
