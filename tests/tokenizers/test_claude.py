"""The estimate for Claude: never below a reconstruction's counts, and called an estimate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp.tokenizers import get

BUILDS = json.loads((Path(__file__).parents[2] / "examples" / "builds.json").read_text("utf-8"))
TEXTS = {
    "JSON": json.dumps(BUILDS, separators=(",", ":")),
    "JSON, indented": json.dumps(BUILDS, indent=2),
    "nested JSON": json.dumps(
        [
            {"id": n, "user": {"login": f"user{n}", "site_admin": False}, "labels": [], "at": None}
            for n in range(40)
        ]
    ),
    "CSV": "\n".join(
        f"{n},{n * 7919 % 1000 / 1000},{'abc'[n % 3]},{n * 31 % 97}" for n in range(150)
    ),
    "log": "\n".join(
        f"2026-03-{n % 28 + 1:02}T02:{n:02}:07Z INFO worker-{n % 7} request "
        f"id={n * 2654435761 % 2**32:08x} took {n * 37} ms"
        for n in range(60)
    ),
    "addresses": "\n".join(
        f"https://api.example.com/v2/orgs/acme-{n}/issues/{n * 37}?page={n}" for n in range(60)
    ),
    "hashes": "\n".join(f"{n * 2654435761 % 2**61:016x}" for n in range(90)),
    "code": (
        "def best(rows: list[int], limit: int = 10) -> int:\n"
        "    return max((row for row in rows if row < limit), default=0)\n\n"
    )
    * 20,
    "HTML": "".join(
        f'<tr class="row"><td id="c{n}"><a href="/x/{n}">Item {n}</a></td></tr>\n'
        for n in range(40)
    ),
    "English": (
        "The installation of the program is described in this document. "
        "Please check the settings before the next call. "
    )
    * 20,
    "German": (
        "Die Verkürzung der Ergebnisse geschieht innerhalb eines Rahmens. "
        "Übrige Felder bleiben unverändert. "
    )
    * 20,
    "French": (
        "Le présent document décrit l'installation du programme. "
        "Veuillez vérifier les paramètres avant l'appel. "
    )
    * 20,
    "capitals": "PLEASE CHECK THE SETTINGS BEFORE THE NEXT CALL OF THE SERVER\n" * 20,
    "Chinese": "首先将五花肉切成小块，然后放入锅中加水煮沸，撇去浮沫后捞出备用。" * 20,  # noqa: RUF001
    "Japanese": "このシステムは複数のサーバーから結果を集めます。文字列は必ず元に戻せます。" * 20,
    "Russian": "Каждая строка журнала содержит дату и описание события. " * 20,
    "Korean": "실행하기 전에 설정을 확인하십시오. " * 20,
    "Arabic": "يحتوي كل سطر من السجل على التاريخ ووصف الحدث. " * 20,
    "emoji": "😀🚀🎉👩‍💻🇩🇪✅❌ " * 30,
}

COUNTS = {
    "JSON": 1616,
    "JSON, indented": 2230,
    "nested JSON": 1567,
    "CSV": 1505,
    "log": 2328,
    "addresses": 1777,
    "hashes": 866,
    "code": 885,
    "HTML": 1445,
    "English": 467,
    "German": 987,
    "French": 747,
    "capitals": 805,
    "Chinese": 806,
    "Japanese": 686,
    "Russian": 387,
    "Korean": 406,
    "Arabic": 587,
    "emoji": 786,
}
"""What ctok 1.3.0 counts for Claude 4.8, the frame of a message included."""


@pytest.mark.parametrize("kind", TEXTS)
def test_the_estimate_is_below_no_count(kind: str) -> None:
    """A budget for Claude holds, by what is publicly known of it."""
    assert get("claude-sonnet-4").count(TEXTS[kind]) >= COUNTS[kind]


@pytest.mark.parametrize("kind", ["JSON", "JSON, indented", "nested JSON", "CSV", "code", "HTML"])
def test_the_estimate_of_data_and_code_wastes_little(kind: str) -> None:
    """What is mostly encoded gets most of its budget."""
    assert get("claude-sonnet-4").count(TEXTS[kind]) <= 1.3 * COUNTS[kind]


def test_an_estimate_is_never_called_a_count() -> None:
    """Neither by the tokenizer nor by a result."""
    result = mckp.encode(BUILDS, budget=400, tokenizer="claude-opus-4-8")
    assert (result.tokenizer, result.exact) == ("anthropic_class", False)
    assert result.tokens <= 400
    assert "estimated by anthropic_class" in result.summary()


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens_by_much(first: str, second: str) -> None:
    """A joint may save what it saves o200k, never more; one text is one of many."""
    estimate = get("claude")
    apart = estimate.count(first) + estimate.count(second)
    assert estimate.count_batch([first, second]) == [estimate.count(first), estimate.count(second)]
    assert 100 * estimate.count(first + second) <= 100 * apart + 4 * 126
