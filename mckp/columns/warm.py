"""Everything in columns once, so that it is compiled and kept."""

from __future__ import annotations

from typing import Final

from mckp.columns.compact import compact_json
from mckp.columns.fill import priced_menu
from mckp.columns.plan import column_plan
from mckp.columns.projection import SmallerTapes
from mckp.columns.ready import is_compiled, note_ready
from mckp.columns.scratch import scratch_for
from mckp.columns.units import room_for_units, with_more_room
from mckp.columns.version import VersionPlan
from mckp.jsontext import dumped
from mckp.tokenizers.bpe import Bpe

_ROWS: Final = [
    {"id": n, "name": f"job {n}", "ok": n % 2 == 0, "tags": ["a", "b"], "at": {"x": n, "y": -n}}
    for n in range(8)
]
_DOCUMENT: Final = {
    "rows": _ROWS,
    "text": "a\nb\nc\nd" + 9 * " It works.",
    "held": '{"a": [1, 2.5, null]}',
    "urls": [f"https://api.example.org/repos/acme/tide/issues/{n}" for n in range(40)],
}


def warm_up() -> None:
    """Compile all kernels of the columns, or load them where that was done before.

    Where nothing is compiled there is nothing to do: as plain Python they would take longer than
    going value by value, so they are never used.
    """
    if not is_compiled():
        return
    counter = Bpe("o200k_base")
    text = compact_json(dumped(_DOCUMENT))
    plan = None if text is None else column_plan(text, (1 << 10) - 1, counter)
    assert plan is not None, "nothing in it is beyond columns"
    offer = plan.offer(plan.most // 2, set())
    first = [0 if parent < 0 else -1 for parent in offer.table.parent_option.tolist()]
    for draft in (*plan.wholes(), offer.draft(first)):
        plan.verify(draft)
        list(plan.choices(draft.pick))
    # What parts of a document come to: a version without texts that are shorter, and one with.
    smaller = SmallerTapes(plan.tape, _DOCUMENT, counter)
    half, whole = (smaller.best(size).kept for size in (smaller.full // 2, smaller.full))
    for kept in (half, dict.fromkeys(whole, 0.0)):
        version = VersionPlan(smaller.of(kept), (1 << 10) - 1, counter, plan.most)
        list(version.choices(version.offer(version.most, set()).draft([0]).pick))
    # What only large documents come to.
    priced_menu(plan.tape, (1 << 9) - 1, scratch_for(plan.tape), counter, at_once=1)
    with_more_room(room_for_units(1, 1), 0, 0, 1)
    note_ready()
