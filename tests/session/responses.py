"""Responses of tools for tests: they repeat, nearly repeat, and look like what is ours."""

import json
from typing import Any, TypeAlias

from hypothesis import strategies as st

from mckp.agents.session.classify import json_value
from mckp.agents.session.sender import ParsedResponse
from mckp.jsontext import is_container, is_object
from tests.cases import cases
from tests.strategies import VALUES, Values

Texts: TypeAlias = st.SearchStrategy[str]

FAKES: list[str] = cases(__file__, "FAKES")
"""Lines that look like those of sessions."""


def response(text: str) -> ParsedResponse:
    return ParsedResponse.parse(text)


_LINES = st.one_of(
    st.sampled_from(FAKES),
    st.sampled_from(["", "INFO start", "step done", "at /usr/bin/run:3", "/usr", "\ttab", "é…"]),
    st.text(max_size=12),
)
_WORDS = st.sampled_from(["a", "b c", "1", "x|y", "\\", '"q"', "null", "2.50", "", "/etc"])


@st.composite
def _tables(draw: st.DrawFn) -> str:
    cols = draw(st.integers(1, 4))
    cells = st.lists(
        _WORDS.map(lambda word: word.replace("|", "\\|")), min_size=cols, max_size=cols
    )
    rows = [f"| {' | '.join(row)} |" for row in draw(st.lists(cells, max_size=5))]
    head = f"| {' | '.join(f'h{n}' for n in range(cols))} |"
    around = draw(st.lists(st.lists(_LINES, max_size=2).map("\n".join), min_size=2, max_size=2))
    table = "\n".join([head, "|---" * cols + "|", *rows])
    return "\n\n".join([around[0], table, around[1]])


_RECORDS: Values = st.lists(
    st.fixed_dictionaries({"id": st.integers(0, 99), "s": _WORDS}, optional={"x": VALUES}),
    max_size=8,
)
_DIFFS: Values = st.lists(
    st.fixed_dictionaries(
        {"diff": st.lists(_LINES, max_size=4).map("\n".join)},
        optional={"new_path": st.text(max_size=6), "path": _WORDS, "content": VALUES},
    ),
    min_size=1,
    max_size=3,
)
_DATA: Values = st.one_of(
    VALUES,
    _RECORDS,
    st.fixed_dictionaries({"page": st.integers(0, 3), "jobs": _RECORDS}),
    st.fixed_dictionaries({"iid": VALUES, "changes": _DIFFS}),
)
_PIPELINE = {
    "sha": "9fceb02d0ae598e95dc970b74767f19372d61af8",
    "log": "2024-05-01 10:02:11 started\n2024-05-01 10:02:12 done",
    "jobs": [{"url": f"https://ci.example.org/jobs/{n}"} for n in range(4)],
}
_INDENTS = st.sampled_from([None, 2])

_LONG = [f"2024-05-01 10:{n:02d} step {n} of the build took {n * 7} ms" for n in range(12)]
_RUNS = [{"id": n, "status": "passed", "branch": f"fix/{n}", "retries": n % 3} for n in range(9)]

TEXTS: Texts = st.one_of(
    st.lists(_LINES, max_size=3).map(lambda lines: "\n".join([*_LONG, *lines])),
    st.fixed_dictionaries({"total": st.integers(0, 9), "x": VALUES}).map(
        lambda data: json.dumps({**data, "runs": _RUNS})
    ),
    st.lists(_LINES, max_size=12).map("\n".join),
    _tables(),
    st.tuples(_DATA, _INDENTS).map(lambda both: json.dumps(both[0], indent=both[1])),
    st.just(json.dumps(_PIPELINE)),
)
"""Responses of any kind."""


@st.composite
def edited(draw: st.DrawFn, text: str) -> str:
    value = json_value(text)
    if value is not None and draw(st.booleans()):
        return json.dumps(_edited(draw, value))
    lines = text.split("\n")
    place = draw(st.integers(0, len(lines)))
    taken = draw(st.integers(0, 2))
    return "\n".join([*lines[:place], *draw(st.lists(_LINES, max_size=2)), *lines[place + taken :]])


def _edited(draw: st.DrawFn, value: Any) -> Any:
    if not is_container(value) or draw(st.integers(0, 4)) == 0:
        return draw(VALUES)
    items: dict[Any, Any] = dict(value) if is_object(value) else dict(enumerate(value))
    key = draw(st.sampled_from([*items, "new" if is_object(value) else len(items)]))
    if key in items and draw(st.booleans()):
        del items[key]
    else:
        items[key] = _edited(draw, items.get(key))
    return items if is_object(value) else list(items.values())
