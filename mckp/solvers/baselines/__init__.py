"""Simple rules that others use to fill a budget, to compare with: one file each."""
