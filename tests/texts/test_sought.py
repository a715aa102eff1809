"""Lines that a pattern matches are found by what such lines have, and by looking at every line."""

from types import ModuleType
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.texts import lines, patterns, roles
from mckp.texts.lines import lines_of
from mckp.texts.patterns import Sought

_MODULES: Final[tuple[ModuleType, ...]] = (patterns, lines, roles)
SOUGHT: Final = {
    f"{module.__name__}.{name}": value
    for module in _MODULES
    for name, value in vars(module).items()
    if isinstance(value, Sought)
}
_PIECES: Final = (
    *("ok", "PASSED", "passed", "1", "23", "٣", ":", "(", "1,2)", "severity", "Risk", "high", "E"),
    *("critical", "^", "~", "~~~", "```", "-", "+", "at", "FAIL", "===", "Killed", "Aborted", "…"),
    *("é", "中ok", "ok🎉", "node:", "</a>", "<", "#", "|", "x", "a.py:12", ")", "==", "!=", "✔"),
    *("[PASS", "0x12", "//", "/usr/", "3s", "  ", "\t", "\n", "\n\n", "\r\n", "\x0b", "\x85"),
)
_TEXTS: Final = st.lists(
    st.sampled_from(
        [
            *(" ", "E  ", "line ", " but got", "\N{LATIN SMALL LETTER LONG S}everity"),
            *('File "x", line 3', "Segmentation fault", "search ", "Result 3", "12 more rows"),
            *("output truncated", "full log", " saved", "security"),
            "The above exception was the direct cause of the following exception:",
            *_PIECES,
        ]
    ),
    max_size=40,
).map("".join)


@pytest.mark.parametrize("name", SOUGHT)
@given(text=_TEXTS)
def test_no_matching_line_is_missed(name: str, text: str) -> None:
    """Each line that a pattern matches is found, and no other."""
    sought, text_lines = SOUGHT[name], lines_of(text)
    starts = [found.start() for found in sought.pattern.finditer(text)]
    expected = text_lines.flag_lines_at(np.array(starts, np.int64))
    assert text_lines.flag_matches(sought).tolist() == expected.tolist()
