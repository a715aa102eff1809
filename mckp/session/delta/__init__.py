"""Exact differences between two responses, in values or in lines."""
