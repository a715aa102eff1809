"""Formats of others for tool catalogs, beside our own."""
