"""Whether the id of a model is one of a name in a profile: ``claude-sonnet-4.6`` and its dates."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_PARTS: Final = re.compile(r"[a-z]+\d*[a-z]*|\d+[a-z]*")
_REGION: Final = re.compile(r"(?:[a-z]{2,6}\.)?[a-z][a-z0-9]*\.(?=[a-z])")
_SAME: Final = re.compile(
    r"\d{6}|\d{8}|v\d+|latest|preview|beta|exp|thinking|instruct|it|chat|cloud|free|hf|gguf|awq"
    r"|gptq|mlx|q\d\w*|k|m|s|l|xs|xl|fp\d+|bf\d+|int\d+|[248]bit|\d+m|default"
)
"""What may follow a name without making it another model: dates, stages, ways of storing it."""


def normal(model: str) -> tuple[str, ...]:
    """Return the parts of a model's id, without who serves it.

    Examples
    --------
    >>> normal("us.anthropic.claude-sonnet-4-6-20260201-v1:0")
    ('claude', 'sonnet', '4', '6', '20260201', 'v1', '0')
    >>> normal("openai/gpt-oss:20b"), normal("Claude-Sonnet-4.6")
    (('gpt', 'oss', '20b'), ('claude', 'sonnet', '4', '6'))
    """
    name = model.lower().rpartition("/")[2].removeprefix("ft:")
    return tuple(_PARTS.findall(_REGION.sub("", name, count=1)))


def is_model(name: str, model: str) -> bool:
    """Whether an id is one of a name: alike, or with a date, a stage or a way of storing after it.

    Parameters
    ----------
    name : str
        A name as profiles have it, such as ``"claude-sonnet-4.6"``.
    model : str
        An id as an API has it.

    Examples
    --------
    >>> is_model("claude-sonnet-4.6", "claude-sonnet-4-6-20260201")
    True
    >>> is_model("claude-sonnet-4", "claude-sonnet-4-6"), is_model("gpt-4o", "gpt-4o-mini")
    (False, False)
    """
    parts, wanted = normal(model), normal(name)
    if not wanted or parts[: len(wanted)] != wanted:
        return False
    rest = parts[len(wanted) :]
    return all(_follows(rest, place) for place in range(len(rest)))


def _follows(rest: tuple[str, ...], place: int) -> bool:
    # After a date or v1 comes the number of a revision, as in v1:0; elsewhere it is a version.
    part = rest[place]
    revision = part.isdigit() and len(part) <= 2 and place > 0
    return revision or _SAME.fullmatch(part) is not None


def best(names: Iterable[str], model: str) -> str | None:
    """Return the most specific of the names that an id is one of.

    Examples
    --------
    >>> best(["glm-5.1", "gpt-oss:20b"], "z-ai/glm-5.1:free")
    'glm-5.1'
    """
    fitting = [name for name in names if is_model(name, model)]
    return max(fitting, key=lambda name: (len(normal(name)), name), default=None)


def applies(patterns: Iterable[str], model: str) -> bool:
    """Whether a model is meant by any of some names or patterns with ``*``.

    Examples
    --------
    >>> applies(["gpt-oss:20b", "gemma*"], "gemma4:26b"), applies(["*"], "x"), applies([], "x")
    (True, True, False)
    """
    name = model.lower().rpartition("/")[2]
    return any(
        fnmatchcase(name, each.lower()) if "*" in each else is_model(each, model)
        for each in patterns
    )
