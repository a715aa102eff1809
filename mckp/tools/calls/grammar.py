r"""The marks and words of calls, in the wire form and in ours.

::

    wire   = "<call>" blanks name [ blanks ( pairs | object ) ] "</call>"
    pairs  = [ path "=" value *( blanks path "=" value ) ]
    path   = key *( "." key )                   ; nested objects, one step a key
    native = "→" name "(" [ args | "**" object ] ")"
    args   = arg *( "," arg )
    arg    = value | key "=" value              ; parameters in order first, then by name
    value  = string | array | object | word
    array  = "[" [ value *( "," value ) ] "]"
    object = "{" [ key ":" value *( "," key ":" value ) ] "}"
    string = '"' … '"' | "'" … "'"              ; escapes of JSON, and \'
    name, key = word | string

A word is ``true``, ``false``, ``null``, a number of JSON, or else a string; a schema may say that
it is a string anyhow. The start of a quoted string is a quote after a blank or one of ``=:,.([{``,
or at the very start; anywhere else a quote is a letter. Blanks are free around punctuation.
"""

from __future__ import annotations

import re
from typing import Final

OPEN: Final = "<call>"
CLOSE: Final = "</call>"
MARK: Final = "→"
"""What begins a call in the native form, as the first mark of a line or after another call."""
SPREAD: Final = "**"
"""What an object of all arguments begins with in the native form."""

LONGEST_NAME: Final = 200
"""Characters of the longest name of a tool that is read or written."""

LETTER: Final = r"[^\s<>\"'=(){}\[\],:→\\]"
"""A character of a name without quotes."""
NAME: Final = re.compile(rf"{LETTER}{{1,{LONGEST_NAME}}}(?!{LETTER})")
"""A name without quotes, to its end."""
_QUOTED: Final = rf'"(?:[^"\\\n]|\\.){{0,{6 * LONGEST_NAME}}}'
QUOTED_NAME: Final = re.compile(_QUOTED + '"')
QUOTED_NAME_BEGUN: Final = re.compile(rf"(?:{_QUOTED}\\?)?")
"""What may become a name in quotes, nothing included."""
QUOTE_START: Final = r"(?<=[\s=:,.(\[{])[\"']"
"""A quote that begins a string, where what stands before it is known."""
STRING_REST: Final = {
    '"': re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL),
    "'": re.compile(r"[^'\\]*+(?:\\.[^'\\]*+)*+", re.DOTALL),
}
"""What is inside a string, by its quote."""

SAFE: Final = re.compile(r"[\w./@+\-?!#$%&*~:;]+")
"""A string that may stand without quotes, if it is not read as something else."""
SAFE_KEY: Final = re.compile(r"[\w$@\-/#+]+")
"""A key that may stand without quotes."""
WORDS: Final = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
}
"""Words that are no strings, those of Python included, which models mix up with ours."""
