"""Parsers of the values of options."""

from __future__ import annotations

import os
from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mckp.plain import JsonValue


def parse_whole_number(text: str) -> int:
    """Parse a whole number of 0 or more."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise ArgumentTypeError(f"expected a whole number of 0 or more, got {text!r}")
    return int(text)


def parse_count(text: str) -> int:
    """Parse a whole number of 1 or more."""
    try:
        number = parse_whole_number(text)
    except ArgumentTypeError:
        number = 0
    if not number:
        raise ArgumentTypeError(f"expected a whole number of 1 or more, got {text!r}")
    return number


def parse_budget(text: str) -> int | str:
    """Parse a budget, such as ``4k`` or ``50%``; see `mckp.budgets`."""
    from mckp.budgets import read_budget

    try:
        return read_budget(text) or 0
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def parse_tokens(text: str) -> int:
    """Parse a budget in tokens, where a share would have no meaning."""
    amount = parse_budget(text)
    if isinstance(amount, str):
        raise ArgumentTypeError(
            f"expected a number of tokens, such as 4000 or 4k, not the share {amount}"
        )
    return amount


def parse_shape(text: str) -> str:
    """Parse the shape of tool lists; ``text`` is a former name of ``json``."""
    return "json" if text == "text" else text


def parse_names(text: str) -> list[str]:
    """Parse comma-separated names."""
    if not (listed := [name for part in text.split(",") if (name := part.strip())]):
        raise ArgumentTypeError(f"expected one or more comma-separated names, got {text!r}")
    return listed


def parse_share(text: str) -> float:
    """Parse a budget as `mckp.accuracy` takes it: a share up to 1, or tokens."""
    if text.startswith("0."):
        return parse_positive_number(text)
    amount = parse_budget(text)
    return float(amount[:-1]) / 100 if isinstance(amount, str) else amount


def parse_positive_number(text: str) -> float:
    """Parse a number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise ArgumentTypeError(f"expected a number above 0, got {text!r}")
    return number


def parse_priority(text: str) -> tuple[str, float | str]:
    """Parse PATTERN=X: a pattern and its priority."""
    pattern, separator, value = text.rpartition("=")
    if not separator or not pattern:
        raise ArgumentTypeError(f"expected PATTERN=X, as in '**.id=3', got {text!r}")
    try:
        return pattern, value if value in ("pin", "drop") else float(value)
    except ValueError:
        message = f"expected a number, pin or drop after {pattern}=, got {value!r}"
        raise ArgumentTypeError(message) from None


def parse_weight(text: str) -> tuple[str, float]:
    """Parse NAME=X: a document and its weight."""
    name, separator, number = text.rpartition("=")
    try:
        return name, float(number if separator else "")
    except ValueError:
        raise ArgumentTypeError(f"expected NAME=X, as in 'a.log=3', got {text!r}") from None


def parse_least(text: str) -> tuple[str, int | str]:
    """Parse NAME=N: a document and the budget that it gets at least."""
    name, _, number = text.rpartition("=")
    if not name:
        raise ArgumentTypeError(f"expected NAME=N, as in 'a.log=400' or 'a.log=20%', got {text!r}")
    return name, parse_budget(number)


def parse_option(text: str) -> tuple[str, JsonValue]:
    """Parse NAME=JSON: a parameter of an endpoint and its value."""
    from json import loads

    name, _, value = text.partition("=")
    try:
        return name, loads(value)
    except ValueError:
        raise ArgumentTypeError(
            f"expected NAME=JSON, as in max_tokens=4000, got {text!r}"
        ) from None


def parse_limit(text: str) -> tuple[str, int]:
    """Parse N or NAME=N: a limit in tokens, and the name that it is for, or an empty one."""
    name, number = parse_rule(text)
    return name, parse_tokens(number)


def parse_rule(text: str) -> tuple[str, str]:
    """Parse VALUE or NAME=VALUE; return the name, or an empty one, and the value."""
    name, separator, value = text.rpartition("=")
    if separator and not name:
        raise ArgumentTypeError(f"expected VALUE or NAME=VALUE, got {text!r}")
    return name, value


def parse_price(text: str) -> tuple[str, float]:
    """Parse X or MODEL=X: a price, and the model that it is for, or ``*`` for all."""
    name, number = parse_rule(text)
    return name or "*", parse_positive_number(number)


def parse_header(text: str) -> tuple[str, str]:
    """Parse NAME: VALUE, or the NAME of a variable of the environment that holds the value."""
    name, separator, value = text.partition(":")
    if not separator:
        value = os.environ.get(text, "")
    if not name.strip() or not value:
        message = f"expected NAME: VALUE, or a NAME that is set in the environment, got {text!r}"
        raise ArgumentTypeError(message)
    return name.strip(), value.strip()
