"""Hosts of MCP servers on this machine: the proxy is put around their servers, and taken away.

A configuration is never written anew: what changes is changed in its text, so that order, layout
and comments stay, and taking the proxy away gives back the same bytes.
"""

from __future__ import annotations

from mckp.agents.hosts.places import HOSTS, File, Host
from mckp.agents.hosts.wrapping import Wrapping, unwrapped, wrapped

__all__ = ["HOSTS", "File", "Host", "Wrapping", "unwrapped", "wrapped"]
