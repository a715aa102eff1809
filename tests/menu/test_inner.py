"""Of records within records, the telling ones stay without those beside them."""

import random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import mckp
from mckp import tokenizers
from mckp.encoders.native import write_flow
from mckp.encoders.scalars import CUT, ItemGap
from mckp.jsontext import canonical, dump
from mckp.menu.cuts.names import cut_names
from tests.accuracy.left import left_of
from tests.menu.test_signs import Signs
from tests.strategies import examples


def pages(seed: int, size: int, told: int, *, deep: bool = False) -> Any:
    """Return pages of berths, of which a few are closed."""
    rng = random.Random(seed)
    rows: list[dict[str, Any]] = [
        {
            "berth": 400 + n,
            "ship": f"s-{rng.randrange(36**3):x}",
            "draught": rng.randrange(20, 60),
            "state": "moored",
        }
        for n in range(size)
    ]
    for n in rng.sample(range(size), told):
        rows[n] |= {"state": "sunk", "cause": "the hull was torn open by a chain"}
    if deep:
        for n in range(0, size, 3):
            rows[n]["crew"] = [{"name": f"n{k}", "rank": k} for k in range(n % 5)]
    out: list[dict[str, Any]] = []
    start = 0
    while start < size:
        end = start + rng.randrange(0, 12)
        page: dict[str, Any] = {"page": len(out), "harbour": rng.choice(["Ost", "West"])}
        page |= {"list": {"total": end - start, "berths": rows[start:end]}}
        out.append(page if deep else page | {"list": page["list"]["berths"]})
        start = end
    return out


def test_the_telling_record_stays_alone() -> None:
    """Its page is named, and so is where it was among its fellows."""
    data: list[Any] = [
        {"page": p, "berths": [{"berth": 10 * p + n, "state": "moored"} for n in range(8)]}
        for p in range(12)
    ]
    data[7]["berths"][5]["state"] = "sunk"
    result = mckp.encode(data, budget=45)
    assert "\n7 […0-4;75 sunk;…]\n" in result.text
    assert mckp.decode(result.text) == [{"page": 7, "berths": [{"berth": 75, "state": "sunk"}]}]
    more = mckp.decode(mckp.encode(data, budget=130).text)
    found = [berth for page in more for berth in page["berths"]]
    assert {"berth": 75, "state": "sunk"} in found
    assert len(found) > 1


def test_what_is_beside_a_telling_record_stays_narrow() -> None:
    """It has more members than the records beside it, which stay as all others are."""
    rows = [
        {
            "berth": 400 + n,
            "ship": f"s-{n * 7919 % 997:x}",
            "draught": 20 + n % 7,
            "state": "moored",
        }
        for n in range(96)
    ]
    rows[37] |= {"state": "sunk", "cause": "the hull was torn open by a chain"}
    data = [{"page": n // 8, "berths": rows[n : n + 8]} for n in range(0, 96, 8)]
    texts = [mckp.encode(data, budget=f"{share}%").text for share in (10, 20, 30)]
    assert all("437" in text and "sunk" in text and "torn open" in text for text in texts)
    line = next(line for line in texts[-1].split("\n") if "437" in line)
    assert line.startswith("4 [432")
    assert ";= {berth 437" in line or ";437 " in line


def test_a_telling_record_has_the_records_in_it() -> None:
    """The others have none, so they have no member that it could have as well."""
    rng = random.Random(5)
    data: list[dict[str, Any]] = [
        {
            "host": f"quay-{n}",
            "port": rng.randrange(9000),
            "critical": 0,
            "alarms": [],
            "note": "",
            "zone": rng.choice("abc"),
        }
        for n in range(30)
    ]
    data[17] |= {"critical": 2, "alarms": [{"code": "TIDE-77", "text": "Gate 7 does not close"}]}
    text = mckp.encode(data, budget="40%").text
    assert [line for line in text.split("\n") if "quay-17" in line and "TIDE-77" in line]


@given(
    seed=st.integers(0, 10**6),
    size=st.integers(8, 40),
    told=st.integers(1, 2),
    share=st.floats(0.05, 0.8),
    nested=st.booleans(),
)
@example(seed=39, size=30, told=2, share=0.6, nested=False)
@examples(40)
def test_named_records_that_tell(
    seed: int, size: int, told: int, share: float, nested: bool
) -> None:
    """A record with a name may have members that the others lack, as in a schema."""
    rng = random.Random(seed)
    words = ["the", "tide", "gate", "berth", "crane", "hull", "of", "a", "rope"]
    fields: dict[str, dict[str, Any]] = {
        f"p{n}": {
            "type": rng.choice(["string", "number"]),
            "about": " ".join(rng.choice(words) for _ in range(rng.randrange(4, 30))),
        }
        for n in range(size)
    }
    for name in rng.sample(list(fields), told):
        fields[name]["one_of"] = ["LOW", "HIGH", "SUNK"]
    if nested:
        fields = {name: {"parts": [{"n": 1}, field]} for name, field in fields.items()}
    data = {"title": "berth", "fields": fields}
    budget = max(24, int(share * tokenizers.get("o200k").count(dump(data))))
    result = mckp.encode(data, budget=budget)
    left = left_of(data, result.elided)
    if not left.shortened:
        assert _is_same(left.data, mckp.decode(result.text)), result.text


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ([ItemGap(0, 2), {"a": 1}, ItemGap(4, 4), {"b": 2}, CUT], "[…0-2 {a 1} …4 {b 2} …]"),
        ([ItemGap(0, 0), 7, "…0-2"], '[…0 7 "…0-2"]'),
        (
            [ItemGap(0, 1), {"a": 1, "b": 2}, {"a": "…3", "b": "…"}, CUT],
            '[2{b a>}…0-1;2 1;"…" …3;…]',
        ),
        ([{"a": "…3"}, {"a": "x y"}, {"a": "…"}], '[3{a>}= {a "…3"};x y;"…"]'),
        ([{"a": "…3 more"}, {"a": "…4-5 are"}, {"a": "x y"}], "[3{a>}…3 more;…4-5 are;x y]"),
    ],
)
def test_gaps_are_read_back(items: Any, text: str) -> None:
    """A sign for items that were cut is no item, and a string that looks like it is no sign."""
    assert write_flow({"x": items}) == f"{{x{text}}}\n"
    kept = [item for item in items if item is not CUT and not isinstance(item, ItemGap)]
    assert mckp.decode(f"{{x{text}}}\n") == {"x": kept}


def test_gaps_have_names() -> None:
    """The names of what was cut have the indexes in the source."""
    value = {"a": [{"n": n, "x": 0} for n in range(9)]}
    left: dict[str, Any] = {"a": [ItemGap(0, 2), {"n": 3}, ItemGap(4, 4), {"n": 5}, CUT]}
    assert cut_names(value, left) == ("a[*].x", "a[0:3]", "a[4]", "a[6:]")
    pair = [ItemGap(0, 2), 3, CUT], [ItemGap(0, 2), 3, 4]
    assert cut_names([[*range(5)]] * 2, pair[:1] * 2) == ("[*][0:3]", "[*][4:]")
    assert cut_names([[*range(5)]] * 2, pair) == ("[*][0:3]", "[0][4:]")


@given(
    seed=st.integers(0, 10**6),
    size=st.integers(20, 120),
    told=st.integers(1, 4),
    deep=st.booleans(),
    share=st.floats(0.03, 0.6),
    level=st.sampled_from(["standard", "native", "dense"]),
)
@example(seed=0, size=69, told=1, deep=False, share=0.125, level="standard")
@example(seed=0, size=67, told=2, deep=False, share=0.125, level="standard")
@example(seed=0, size=20, told=2, deep=True, share=0.25, level="native")
@example(seed=999999, size=65, told=2, deep=True, share=0.25, level="native")
@examples(60)
def test_what_is_listed_is_what_was_cut(
    seed: int, size: int, told: int, deep: bool, share: float, level: str
) -> None:
    """What `elided` lists is what the text lacks, and each cut has a sign."""
    data = pages(seed, size, told, deep=deep)
    budget = max(24, int(share * tokenizers.get("o200k").count(dump(data))))
    try:
        result = mckp.encode(data, budget=budget, formats=[level])
    except mckp.BudgetError:
        return
    left = left_of(data, result.elided)
    if not left.shortened:
        assert _is_same(left.data, mckp.decode(result.text)), result.text
    if level == "native":
        assert not Signs(data, result).wrong, result.text


def _is_same(left: Any, right: Any) -> bool:
    """Whether two values are the same, or of both all was cut."""
    if left is mckp.ABSENT or right is mckp.ABSENT:
        return left is right
    return canonical(left) == canonical(right)
