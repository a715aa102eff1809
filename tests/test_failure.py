"""A word that means a failure is known wherever it is: in lines, in cells and in long strings."""

import json

import pytest

import mckp
from mckp.failure import LEVEL, is_failed, phrases, speaks_of_failure
from mckp.texts import outline

REPORTS = {
    "en": "connection to the store refused",
    "de": "Fehler beim Lesen der Pegel",
    "fr": "échec de la connexion au port",
    "es": "conexión rechazada por el muelle",
    "pt": "falha ao abrir a comporta",
    "it": "errore nella lettura della marea",
    "nl": "verbinding met de kade mislukt",
    "pl": "błąd odczytu poziomu wody",
    "ru": "ошибка чтения уровня воды",
    "uk": "помилка читання рівня води",
    "tr": "bağlantı hatası limanda",  # noqa: RUF001
    "zh": "无法连接到码头",
    "ja": "接続エラーが起きました",
    "ko": "부두 연결 오류",
}


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_a_report_in_each_language_is_worth_most_in_a_log(report: str) -> None:
    """Of lines with a time, the one that speaks of a failure is worth far more than the others."""
    rows = [f"2026-11-28 10:00:{n:02} pilot {n * 7} at berth {n * n % 31}" for n in range(60)]
    rows[33] = f"2026-11-28 10:00:33 {report}"
    worths = outline("\n".join(rows)).worths
    assert worths[33] > 1024
    assert worths[33] > 10 * sorted(worths.tolist())[-2]


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_a_report_in_each_language_stays_in_a_table_and_in_a_string(report: str) -> None:
    """A cell that speaks of a failure stays, and so does such a line of a log within data."""
    assert speaks_of_failure(report)
    rows = [{"id": n, "text": f"pilot {n * 7} at berth {n * n % 31}"} for n in range(40)]
    rows[23]["text"] = report
    assert report in mckp.encode(json.dumps(rows), budget="25%").text
    lines = [f"10:00:{n:02} pilot {n * 7} at berth {n * n % 31}" for n in range(60)]
    lines[33] = f"10:00:33 {report}"
    assert report in mckp.encode(json.dumps({"log": "\n".join(lines)}), budget="20%").text


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("TimeoutError", True),
        ("payment_declined", True),
        ("node is DOWN", True),
        ("timed out", True),
        ("time-out", True),
        ("countdown", False),
        ("shutdown complete", False),
        ("passed", False),
        ("", False),
    ],
)
def test_what_a_cell_says(text: str, speaks: bool) -> None:
    """A word counts with its beginning only, unless it means a failure wherever it is."""
    assert speaks_of_failure(text) is speaks


def test_a_state_begins_with_its_word() -> None:
    """A word of failure within a name does not make it a state."""
    states = ['"failed (2)', '"Offline', '"rerun_failed_jobs', '"passed', "503"]
    assert [*map(is_failed, states)] == [True, True, False, False, False]


def test_phrases_have_two_words_and_levels_are_in_capitals() -> None:
    """The lists can be read by those who use them."""
    assert all(first and second for first, second in phrases())
    assert ("nicht", "gefunden") in phrases()
    assert LEVEL.replace("|", "").isupper()
