"""The search for phrases in large documents: compiled, on arrays of characters and of symbols.

Everything here has a slow twin in `mckp.encoders` that gives the same result. Characters are
their numbers in Unicode, 32 bits each.
"""
