"""Factors for the lines of settings, such as YAML, TOML and INI, set by rule, not fitted.

What agents use of settings are names and values. A comment explains them to a person who changes
them, and so comes after them. In a lock file, which a tool writes, a reader looks for the name and
the version of each package, and not for the places and checksums of its files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.regexes import regex
from mckp.texts.patterns import COMMENTS, MEMBER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.texts.lines import Roles

OF_SETTING: Final = 0.2
"""What a name with a short value is worth at least."""

OF_PACKAGE: Final = 0.4
"""What the name or the version of a package in a lock file is worth at least."""

OF_COMMENT: Final = 0.25
"""What a comment is worth, as a share."""

OF_CHECKSUM: Final = 0.05
"""What the place or the checksum of a file is worth, as a share."""

OF_CLOSING: Final = 0.1
"""The same of a line with nothing but the end of a list."""

LONGEST: Final = 80
"""Characters of a setting whose value is short."""

PACKAGES: Final = 3
"""Entries such as ``[[package]]``, from which on a text is a lock file."""

_CLOSING: Final = regex(r"[\])}]+,?$")
_SECTION: Final = regex(r"\[\[?[^\[\]]{1,100}\]\]?$")
_NAME: Final = regex(r"name ?[=:] ?\S")
_PACKAGE: Final = regex(r"\[\[package\]\]$")
_NAMED: Final = regex(r"(?:name|version) ?[=:] ?\S")
_VALUE: Final = regex(r"[^:=]{1,80}[:=] ?[^\s|>&{[(]")
_CHECKSUM: Final = regex(
    r"(?:\{ (?:url|file) = |(?:hash|integrity|checksum|content-hash|sha\d+|upload-time) ?[=:]"
    r"|\"?(?:sha(?:1|256|384|512)|md5)[:-])"
)


def setting_levels(rows: Sequence[str]) -> list[int] | None:
    """Return the depths of lines below their section, if there is any; else indents suffice.

    In a lock file, what is said of a package is below its name.
    """
    is_section = [_SECTION.match(row) is not None for row in rows]
    if not any(is_section):
        return None
    is_lock = _is_lock(rows)
    levels: list[int] = []
    base = 0
    for row, begins in zip(rows, is_section, strict=True):
        is_name = is_lock and _NAME.match(row) is not None
        base = 1 if begins else base
        levels.append(0 if begins else base + 2 * (len(row) - len(row.lstrip())))
        base = 2 if is_name else base
    return levels


def _is_lock(rows: Sequence[str]) -> bool:
    """Whether settings are a lock file, which has an entry for each package."""
    return sum(_PACKAGE.match(row) is not None for row in rows) >= PACKAGES


def setting_roles(rows: Sequence[str]) -> Roles:
    """Return factors that lower comments and checksums, and the least worths of settings."""
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    is_lock = _is_lock(rows)
    for place, row in enumerate(rows):
        body = row.strip()
        if body.startswith(COMMENTS):
            factors[place] = OF_COMMENT
        elif _CLOSING.match(body):
            factors[place] = OF_CLOSING
        elif _CHECKSUM.match(body):
            factors[place] = OF_CHECKSUM
        elif is_lock and _NAMED.match(row):
            least[place] = OF_PACKAGE
        elif len(body) <= LONGEST and MEMBER.match(body) and _VALUE.match(body):
            least[place] = OF_SETTING
    return factors, least
