"""Tests of `mckp.agents.hosts`."""
