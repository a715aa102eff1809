r"""White space as the tokenizers see it.

Their pattern language follows Unicode's White_Space property, which differs from Python's `\s`
and `str.isspace`: those hold for U+001C to U+001F as well.
"""

from __future__ import annotations

BLANKS = r"\t\v\f \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""Every white-space character but CR and LF, as the inside of a character class."""
