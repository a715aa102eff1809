"""What stands between an agent and its tools: sessions, messages, adapters, proxy, hosts, settings.

All of it is thin: a result goes through `mckp.encode`, and what was delivered is remembered.
"""
