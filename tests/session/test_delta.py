"""Deltas are exact, and can be undone."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.agents.session.classify import is_same
from mckp.agents.session.reader import (
    MAX_CHANGES,
    MAX_LINES,
    apply,
    apply_lines,
    changes,
    line_diff,
)
from mckp.encoders.hints import Reference, ValueChange, read_hint
from mckp.encoders.scalars import ABSENT
from mckp.errors import ParseError
from tests.cases import cases
from tests.session.responses import TEXTS, edited
from tests.strategies import VALUES, examples


@examples(300)
@given(old=VALUES, new=VALUES)
def test_changed_values_lead_there_and_back(old: Any, new: Any) -> None:
    """Changes make the new value of the old one, can be undone, and read back from their line."""
    differences = changes(old, new)
    if differences is None:
        return
    assert bool(differences) != is_same(old, new)
    if differences:
        line = str(Reference(3, differences))
        assert "\n" not in line
        assert read_hint(line) == Reference(3, differences)
    assert is_same(apply(old, differences), new)
    undone = [ValueChange(step.path, step.new, step.old) for step in reversed(differences)]
    assert is_same(apply(new, undone), old)


def test_a_change_is_made_to_one_of_two_equal_items() -> None:
    """A change of one of two references to the same item leaves the other as it is."""
    item = {"a": 1}
    differences = changes([item, item], [{}])
    assert differences is not None
    assert apply([item, item], differences) == [{}]
    assert item == {"a": 1}


@examples(300)
@given(data=st.data(), old=TEXTS)
def test_changed_lines_lead_there(data: st.DataObject, old: str) -> None:
    """The diff of lines makes the new text of the old one."""
    new = data.draw(st.one_of(TEXTS, edited(old)))
    assert apply_lines(old, line_diff(old, new)) == new


@pytest.mark.parametrize(
    ("old", "now", "line"),
    cases(__file__, "test_changes_are_exact"),
)
def test_changes_are_exact(old: Any, now: Any, line: str) -> None:
    """Null, empty and absent are apart, as are types; values are JSON, brackets and all."""
    differences = changes(old, now)
    assert differences is not None
    assert " ".join(map(str, differences)) == line


def test_too_many_changes_are_none() -> None:
    """More changes than the limit are no delta."""
    assert changes(list(range(MAX_CHANGES + 1)), [str(n) for n in range(MAX_CHANGES + 1)]) is None
    assert changes(list(range(MAX_CHANGES)), [str(n) for n in range(MAX_CHANGES)]) is not None


@pytest.mark.parametrize(
    "change",
    [
        ValueChange(("a",), 2, 3),
        ValueChange(("b",), 1, 3),
        ValueChange(("a", "b"), 1, 3),
        ValueChange(("l", 2), ABSENT, 3),
        ValueChange(("l", 5), ABSENT, 3),
        ValueChange(("l", "x"), 1, 3),
    ],
)
def test_changes_of_another_text_are_an_error(change: ValueChange) -> None:
    """Changes that do not fit the old value are an error."""
    with pytest.raises(ParseError, match="the referenced text"):
        apply({"a": 1, "l": [1]}, [change])


@pytest.mark.parametrize(
    "diff", ["@@ -1,1 +1,1 @@\n-b\n+c", "@@ -1,1 +1,1 @@\n-a", "x", "@@ -1,1 +1,1 @@\n+c\n-a"]
)
def test_damaged_diffs_are_errors(diff: str) -> None:
    """A diff that does not fit the old text is an error."""
    with pytest.raises(ParseError):
        apply_lines("a\nb", diff)


def test_long_texts_with_changes_all_over_take_one_hunk() -> None:
    """A long text that changed all over is one hunk."""
    old = "\n".join(str(n) for n in range(3 * MAX_LINES))
    new = "\n".join(str(-n) if n % 2 else str(n) for n in range(3 * MAX_LINES))
    diff = line_diff(old, new)
    assert diff.count("@@ -") == 1
    assert apply_lines(old, diff) == new
