"""Everything in columns once, so that it is compiled and kept."""

from __future__ import annotations

from typing import Final

from mckp.columns.plan import column_plan
from mckp.columns.ready import is_compiled, note_ready
from mckp.jsontext import dumped
from mckp.tokenizers.bpe import Bpe

_ROWS: Final = [
    {"id": n, "name": f"job {n}", "ok": n % 2 == 0, "tags": ["a", "b"], "at": {"x": n, "y": -n}}
    for n in range(8)
]
_DOCUMENT: Final = {
    "rows": _ROWS,
    "text": "a\nb\nc\nd",
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
    plan = column_plan(bytearray(dumped(_DOCUMENT)), (1 << 10) - 1, Bpe("o200k_base"))
    assert plan is not None, "nothing in it is beyond columns"
    offer = plan.offer(plan.most // 2, set())
    first = [0 if parent < 0 else -1 for parent in offer.table.parent_option.tolist()]
    for draft in (*plan.wholes(), offer.draft(first)):
        plan.verify(draft)
        list(plan.choices(draft.pick))
    note_ready()
