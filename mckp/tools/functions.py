"""A decorator that encodes what plain functions return, within a budget."""

from __future__ import annotations

import inspect
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, cast, overload

from mckp.api import encode
from mckp.errors import BudgetError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Unpack

    from mckp.api import EncodeOptions

P = ParamSpec("P")


class Decorator(Protocol):
    """Turns a function that returns anything into one that returns text."""

    @overload
    def __call__(  # type: ignore[overload-overlap] # pyright: ignore[reportOverlappingOverload]
        self, function: Callable[P, Coroutine[Any, Any, object]], /
    ) -> Callable[P, Coroutine[Any, Any, str]]: ...
    @overload
    def __call__(self, function: Callable[P, object], /) -> Callable[P, str]: ...


def tool(**settings: Unpack[EncodeOptions]) -> Decorator:
    """Return a decorator that encodes what a function returns into a text.

    Name, signature and documentation are kept, except that the return type is str; so frameworks
    that turn functions into tools see the same tool. Functions may be asynchronous.

    Parameters
    ----------
    **settings : EncodeOptions
        As for `mckp.encode`: budget, tokenizer, formats, weights, priorities, query, more,
        solver, work_limit, kind, primer.

    Raises
    ------
    UnknownNameError, ValueError, TypeError
        At once, for what `mckp.encode` refuses whatever the document is. What depends on the
        document is raised by the function.

    Examples
    --------
    >>> @tool(budget=40)
    ... def jobs(state: str) -> list[dict[str, object]]:
    ...     return [{"id": n, "state": state} for n in range(90)]
    >>> jobs("done").splitlines()[-1]
    '> [+77 rows]'
    """
    with suppress(BudgetError):
        encode("[]", **settings)

    def decorate_function(function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that encodes what `function` returns into a text."""
        if not callable(function):
            raise TypeError(f"tool() decorates a function, not {type(function).__name__}")
        called = getattr(function, "__call__", None)  # noqa: B004 - of an object
        is_async = any(map(inspect.iscoroutinefunction, (function, called)))
        call = _async_wrapper(function, settings) if is_async else _sync_wrapper(function, settings)
        call.__annotations__ = {**getattr(function, "__annotations__", {}), "return": str}
        with suppress(ValueError):  # some that are built in have no signature
            signature = inspect.signature(function)
            cast("Any", call).__signature__ = signature.replace(return_annotation=str)
        return call

    return cast("Decorator", decorate_function)


def _sync_wrapper(function: Callable[..., Any], settings: EncodeOptions) -> Callable[..., Any]:
    """Return a function that encodes what `function` returns."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> str:
        """Call the function, and encode what it returns."""
        return encode(function(*args, **kwargs), **settings).text

    return call


def _async_wrapper(function: Callable[..., Any], settings: EncodeOptions) -> Callable[..., Any]:
    """Return an asynchronous function that encodes what `function` returns."""

    @wraps(function)
    async def call(*args: Any, **kwargs: Any) -> str:
        """Call the function, and encode what it returns."""
        return encode(await function(*args, **kwargs), **settings).text

    return call
