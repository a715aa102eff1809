"""Recorded and made-up sessions of agents, and what a configuration makes of them."""
