"""Store results in a cache of the caller's, keyed by the document and all options."""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from mckp import tokenizers
from mckp.errors import MckpError
from mckp.jsontext import dump, is_mapping, load
from mckp.parsers import as_tree
from mckp.result import Result, version
from mckp.tokenizers.profiles import Callback
from mckp.weights.priority import Priorities

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mckp.budgets import BudgetLike
    from mckp.display.curve import BudgetCurve
    from mckp.display.page import View
    from mckp.display.reasons import LineReason, Reason
    from mckp.result import Answering, Elided, Handle, Knapsack, Report

_LOG: Final = logging.getLogger("mckp")


class Cache(Protocol):
    """A mapping from strings to strings, such as a dict, a shelf, or the cache of a library.

    A value is about as long as the text of a result. The mapping decides what to forget and when; a
    dict never forgets.
    """

    def get(self, key: str, /) -> Any: ...
    def __setitem__(self, key: str, value: str, /) -> None: ...


def checked_cache(cache: Cache) -> Cache:
    """Return the cache; raise a `TypeError` if it is not one."""
    if not (hasattr(cache, "get") and hasattr(cache, "__setitem__")):
        kind = type(cache).__name__
        raise TypeError(
            f"a cache must be a mapping from strings to strings, such as a dict, not {kind}"
        )
    return cache


def with_key(data: Any, options: Mapping[str, Any]) -> tuple[Any, str]:
    """Return the document to encode, and the key of its result.

    The document is `data` itself if that is text or bytes, else the tree that was made from it.

    Examples
    --------
    >>> options = {"budget": 20, "tokenizer": "o200k", "kind": None}
    >>> with_key("[1]", options)[1] == with_key("[1]", {**options, "budget": 21})[1]
    False

    Raises
    ------
    TypeError
        For an option that cannot be compared by its value, such as a function.
    """
    plain = {name: _comparable(name, value) for name, value in options.items()}
    counter = tokenizers.get(options["tokenizer"])  # a name may lead to an estimate or not
    content, is_read = data, isinstance(data, str | bytes | bytearray)
    if not is_read:
        content = data = as_tree(data, options["kind"])
        source = data.source if data.source is not None else dump(data.value)
        content = f"{data.kind.value} {data.source_kind} {data.notes} {source}"
    raw = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else bytes(content)
    settings = repr((version(), counter.name, counter.exact, type(data).__name__, plain))
    if own := sys.modules.get("mckp.texts.own"):  # without it, nobody added a kind of text
        settings += own.digest()
    digest = blake2b(settings.encode("utf-8", "surrogatepass"), digest_size=20)
    digest.update(b"\n" + raw)
    return data, f"mckp:{digest.hexdigest()}"


def _comparable(name: str, value: object) -> Any:
    """Return an option as a value whose ``repr`` is the same in all processes.

    Raises a `TypeError` for an option that cannot be compared by its value.
    """
    if value is None or isinstance(value, str | int | float):
        return value
    if name == "tokenizer":
        return _registered_name(value)
    if isinstance(value, Priorities):
        value = value.given
    if is_mapping(value):
        return [(str(key), _comparable(name, item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return [_comparable(name, item) for item in cast("Iterable[Any]", value)]
    raise TypeError(
        f"a cache looks results up by their options, but {name} is a {type(value).__name__}, which "
        "cannot be compared by value; give a name, a list or a mapping, or no cache"
    )


def _registered_name(tokenizer: Any) -> str:
    """Return the name under which a tokenizer is registered; raise a `TypeError` if it is not."""
    counter = tokenizers.get(tokenizer)
    try:
        same = tokenizers.get(counter.name)
        is_ours = type(same) is type(counter) and not isinstance(counter, Callback)
        is_known = same is counter or is_ours
    except MckpError:
        is_known = False
    if not is_known:
        raise TypeError(
            f"a cache looks results up by their options, but the tokenizer {counter.name!r} is "
            "not registered by its name; register it (mckp.tokenizers.register), or give no cache"
        )
    return counter.name


def stored_result(
    cache: Cache, key: str, data: object, options: Mapping[str, Any]
) -> Result | None:
    """Return the result stored under a key, or None if it is missing or unreadable.

    It is also None if patterns that match nothing are to be reported again. Failures of the cache
    are logged and never raised.
    """
    try:
        stored = cache.get(key)
        text = stored.decode() if isinstance(stored, bytes) else stored
        record: Any = None if text is None else load(text)
        result = None if record is None else Result.from_dict(record)
    except Exception:
        _LOG.warning("the cache could not be read", exc_info=True)
        return None
    if result is None or (result.unmatched and options["on_unmatched"] != "ignore"):
        return None  # where a pattern matches nothing, that is to be said again
    return replace(result, answers=_LateAnswers(result, data, options))


def store_result(cache: Cache, key: str, result: Result) -> None:
    """Store a result in a cache; a failure of the cache is logged."""
    try:
        cache[key] = dump(result.to_dict())
    except Exception:
        _LOG.warning("the cache could not be written", exc_info=True)


@dataclass(eq=False)
class _LateAnswers:
    """Answers for a cached result, whose document is encoded when the first question comes."""

    result: Result
    data: Any
    options: Mapping[str, Any]

    @cached_property
    def _answers(self) -> Answering:
        """The answers of the document, which is encoded when they are first needed."""
        options = {name: value for name, value in self.options.items() if name != "budget"}
        attached = self.result.attach(self.data, **{**options, "on_unmatched": "ignore"})
        assert attached.answers is not None
        return attached.answers

    @property
    def source_tokens(self) -> int:
        """The tokens of the source."""
        return self._answers.source_tokens

    @property
    def shadow_price(self) -> float:
        """The worth of one more token."""
        return self._answers.shadow_price

    def at(self, budget: BudgetLike | None) -> Result:
        """Return the result within another budget."""
        return self._answers.at(budget)

    def whole_as(self, formats: str) -> Result | None:
        """Return the whole document in other formats, or None if that exceeds the budget."""
        return self._answers.whole_as(formats)

    def frontier(self) -> BudgetCurve:
        """Return the curve of all budgets."""
        return self._answers.frontier()

    def why(self, path: str | Iterable[str | int]) -> Reason:
        """Return why a part was kept or cut."""
        return self._answers.why(path)

    def why_line(self, number: int) -> LineReason:
        """Return why a line was kept or cut."""
        return self._answers.why_line(number)

    def recall(self, handle: Handle, elided: tuple[Elided, ...]) -> Any:
        """Return what was cut."""
        return self._answers.recall(handle, elided)

    def ask(self, question: Mapping[str, Any]) -> Any:
        """Return the answer to a question about the document; see `Answers.ask`."""
        return self._answers.ask(question)

    def view(self, budget: int | None, title: str, report: Report | None) -> View:
        """Return the page of the document."""
        return self._answers.view(budget, title, report)

    def instance(self, budget: int | None) -> Knapsack:
        """Return the knapsack problem of the document."""
        return self._answers.instance(budget)
