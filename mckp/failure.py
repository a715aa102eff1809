"""Words that say that something failed: one list for lines of texts, cells of tables and strings.

To add a word, put it in the row of its language. It then counts in logs, in columns of states and
in long strings. A few words without their endings do for a language: what matters is that the one
line in hundreds that speaks of a failure is seen.
"""

from __future__ import annotations

from itertools import chain
from typing import Final

from mckp.regexes import regex

PARTS: Final = {
    "en": """
        error fail fatal exception panic traceback denied undefined unresolved undeclared refused
        abort crash conflict reject illegal corrupt unreachable segfault sigsegv sigabrt killed
        invalid unexpected mismatch violat unhandled uncaught unsatisf overflow deadlock leak
        segmentation unhealthy backoff unavailable evicted expired exceeds vulnerab
        """,
    "de": "fehler fehlgeschlagen fehlschl abgebroch abgestürzt verweigert ungültig abgelehnt",
    "fr": "erreur échec échou refusé invalide indisponible",
    "es": "falló fallid rechazad denegad inválid",
    "pt": "falha falhou rejeitad",
    "it": "errore fallit rifiutat guasto",
    "nl": "mislukt geweigerd ongeldig",
    "pl": "błąd błęd niepowodzeni nieudan odmow odrzucon awari nieprawidłow",
    "ru": "ошибк сбой неудач недоступ аварий исключени отклонен запрещен",
    "uk": "помилк",
    "tr": "hatası başarısız",  # noqa: RUF001
    "zh": "错误 錯誤 失败 失敗 异常 拒绝 超时 无法 崩溃 致命",
    "ja": "エラー 異常 拒否 タイムアウト クラッシュ 例外 できません",
    "ko": "오류 실패 거부",
}
"""Words and parts of words, in lower case, that mean a failure wherever in a word they are."""

WORDS: Final = {
    "en": "sigkill oom cannot missing unknown bad critical severe alert err errno stderr broken"
    " unable",
    "es": "fallo",
    "nl": "fout",
    "pt": "erro",
    "tr": "hata",
}
"""Whole words, in lower case, that mean a failure in a line."""

STATES: Final = r"""
crit down\b degraded oom time[d_\s-]*out declin broken offline overdue lost not.?ready block missing
dead\b sever err\b errs\b erro\b
"""
"""How words begin that mean a failure as the state of something, such as a cell; as patterns."""

STRONG: Final = """
ERROR FAILED FAIL FAILURE FATAL VULNERABLE CRITICAL SEVERE EMERG ALERT ERR PANIC panicked Traceback
FEHLER ERREUR ERRORE ERRO FALLO BŁĄD ОШИБКА СБОЙ 错误 錯誤 エラー 오류
"""
"""Words that hardly mean anything else, as they are written."""

PHRASES: Final = {
    "en": """
        not found, no such, could not, couldn t, can t, can not, unable to, timed out, caused by,
        core dumped, not ok, not permitted, not allowed, did not, does not, not exist, doesn t,
        must be, must have, is not, are not, was not, not match, out of, too many, too long,
        already exists, but got, but received, be destroyed, be replaced, forces replacement,
        use after
        """,
    "de": "nicht gefunden, konnte nicht, nicht erreichbar",
    "fr": "non trouvé, impossible de, n existe",
    "es": "no encontrado, no se pudo, se pudo",
    "it": "non trovato, impossibile trovare",
    "pl": "nie można, nie znaleziono, nie udało",
    "ru": "не удалось, не найден, не удается",
}
"""Two words in a row that mean a failure."""


LEVELS: Final = {
    "fatal": "FATAL CRITICAL PANIC EMERG",
    "error": "ERROR SEVERE ERR",
    "warn": "WARN WARNING",
    "info": "INFO DEBUG TRACE NOTICE",
}
"""How loggers write each level, in capitals."""

LEVEL: Final = "|".join(sorted(" ".join(LEVELS.values()).split(), reverse=True))
"""The same as a pattern; longer words come before those that they begin with."""


def _all(by_language: dict[str, str]) -> list[str]:
    return [*chain.from_iterable(map(str.split, by_language.values()))]


def phrases() -> list[tuple[str, str]]:
    """Return all phrases as pairs of words."""
    texts = ", ".join(PHRASES.values()).split(",")
    return [(first, second) for first, second, *_ in map(str.split, texts)]


WORD: Final = regex(
    rf"^(?!\d+$)(?:.*(?:{'|'.join(_all(PARTS))})|(?:{'|'.join(_all(WORDS))})$|emerg|.*segv$)", 8
)
"""A word of a line, in lower case, that means a failure; with a word per line."""

_SPEAKS: Final = regex(rf"(?i){'|'.join(_all(PARTS))}|(?<![a-z])(?:{'|'.join(STATES.split())})")


def speaks_of_failure(text: str) -> bool:
    """Whether a text, such as a cell, has a word that means a failure.

    Examples
    --------
    >>> [speaks_of_failure(text) for text in ("TimeoutError", "half degraded", "shutdown", "błąd")]
    [True, True, False, True]
    """
    return _SPEAKS.search(text) is not None


def is_failed(state: str) -> bool:
    """Whether a state, as a text of JSON without the quote at its end, begins with such a word.

    A name such as ``rerun_failed_jobs`` is no state.
    """
    return _SPEAKS.match(state.removeprefix('"')) is not None
