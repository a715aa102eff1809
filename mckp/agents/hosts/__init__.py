"""Hosts of MCP servers on this machine: puts the proxy before their servers, and removes it.

A configuration is never rewritten as a whole. Only parts of its text change, so order, layout and
comments stay, and removing the proxy restores the same bytes.
"""

from __future__ import annotations

from mckp.agents.host import HOSTS, Host
from mckp.agents.hosts.places import File, files_of
from mckp.agents.hosts.wrapping import Wrapping, unwrapped, wrapped

__all__ = ["HOSTS", "File", "Host", "Wrapping", "files_of", "unwrapped", "wrapped"]
