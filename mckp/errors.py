"""All errors of the library. Their attributes say what was wrong, and where."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class MckpError(Exception):
    """The root of every error raised on purpose by this library."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors cross process pools; their arguments are not those of their constructors.
        return type(self).__new__, (type(self), *self.args), self.__dict__


class ParseError(MckpError, ValueError):
    """A text breaks its grammar, at `line` and `column` (from 1) if these are known."""

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        self.message, self.line, self.column = message, line, column
        place = "" if line is None else f" (line {line}, column {column})"
        super().__init__(message + place)

    @classmethod
    def at(cls, message: str, text: str, offset: int) -> ParseError:
        """Return an error for a character offset in a text, converted to line and column."""
        line, column = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
        return cls(message, line=line, column=column)


class _PlaceError(MckpError):
    def __init__(self, message: str, *, path: str) -> None:
        self.message, self.path = message, path
        problem, separator, remedy = message.partition("; ")
        super().__init__(f"{problem} at {path}{separator}{remedy}")


class DataError(_PlaceError, TypeError):
    """The Python value at `path`, such as ``$.jobs[0].name``, cannot be written as JSON."""


class ToolError(_PlaceError, ValueError):
    """A tool definition has an unknown shape at `path`, such as ``$[3].name``."""


class BudgetError(MckpError, ValueError):
    """Not even the smallest text fits the budget.

    `budget` is the given one, and `floor` the tokens of the smallest text, or if something is
    pinned, a lower bound of them. `pinned` has the paths of what must stay, `least` the documents
    of a pack that must get a part. If `is_whole`, nothing may be cut from the text.
    """

    def __init__(
        self,
        budget: int,
        floor: int,
        pinned: Iterable[str] = (),
        *,
        least: Iterable[str] = (),
        is_whole: bool = False,
    ) -> None:
        self.budget, self.floor = budget, floor
        self.pinned, self.least = tuple(pinned), tuple(least)
        must = [f"what is pinned ({_first_names(self.pinned)})"] if self.pinned else []
        must += [f"the least of {_first_names(self.least)}"] if self.least else []
        subject = "lossless output" if is_whole else "the smallest text"
        if must:
            subject = f"a text that keeps {' and '.join(must)}"
        amount = f"{budget} token{'s' * (budget != 1)}"
        super().__init__(
            f"a budget of {amount} is below the {floor} tokens needed for {subject}; "
            f"raise the budget to {floor} or more"
            f"{', or pin less' if self.pinned else ''}"
            f"{', or ask for a smaller least' if self.least else ''}"
            f"{', or allow cuts' if is_whole else ''}"
        )


def _first_names(names: tuple[str, ...]) -> str:
    """Return the first four names, and how many more there are."""
    more = len(names) - 4
    return ", ".join(names[:4]) + (f" and {more} more" if more > 0 else "")


class UnknownNameError(MckpError, ValueError):
    """A format, solver, tokenizer or the like was requested by an unknown name.

    `kind` and `name` are what was requested; `known` has the valid names.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        meant = did_you_mean(name, self.known)
        super().__init__(f"unknown {kind} {name!r};{meant} known: {', '.join(self.known)}")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question with the known name closest to `name`; empty if none is close."""
    from difflib import get_close_matches  # only errors need it

    close = get_close_matches(name, list(known), 1, 0.65 if len(name) < 5 else 0.7)
    return f" did you mean {str(close[0])!r}?" if close else ""


class MissingExtraError(MckpError, ImportError):
    """An optional `package`, which is part of an `extra`, is needed but not installed."""

    def __init__(self, package: str, extra: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(
            f"{package} is not installed; run: pip install {package} "
            f"(or, in a checkout of mckp: pip install '.[{extra}]')"
        )


def import_extra(module: str, package: str, extra: str) -> Any:
    """Return a module of a package; raise a `MissingExtraError` if it is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(package, extra) from error


class PatternError(MckpError, ValueError):
    """A `pattern` of paths is invalid at a `column`, counted from 1."""

    def __init__(self, pattern: str, column: int, expected: str) -> None:
        self.pattern, self.column, self.expected = pattern, column, expected
        super().__init__(f"bad pattern {pattern!r} at column {column}: expected {expected}")


class UnmatchedError(MckpError, LookupError):
    """Nothing in a document matches a `pattern` of its priorities; see ``on_unmatched``."""

    def __init__(self, pattern: str, message: str) -> None:
        self.pattern = pattern
        super().__init__(message)


class UnmatchedWarning(UserWarning):
    """Nothing in a document matches a pattern of its priorities."""


class TemplateError(MckpError, ValueError):
    """The `template` of a call is invalid."""

    def __init__(self, template: str, message: str) -> None:
        self.template = template
        super().__init__(f"bad template {template!r}: {message}")


class ConfigError(MckpError, ValueError):
    """A configuration is not valid.

    `key` is the wrong setting, such as ``dedup.lru_size``, or empty for the file as a whole;
    `source` is the file, if there is one.
    """

    def __init__(self, message: str, *, key: str = "", source: str = "") -> None:
        self.message, self.key, self.source = message, key, source
        place = f"{key}: " if key else ""
        super().__init__(f"{place}{message}{f' (in {source})' if source else ''}")


class WeightError(MckpError, ValueError):
    """A weight `model` or a priority gave an invalid weight, for the leaf at `path` if known."""

    def __init__(self, model: str, message: str, *, path: str | None = None) -> None:
        self.model, self.path = model, path
        place = "" if path is None else f", at {path}"
        super().__init__(f"{model}{place}: {message}")


class PathError(MckpError, LookupError):
    """A path leads to nothing in a document, or is not valid.

    `place` is the path as printed; `nearest` has the steps to its nearest ancestor that exists.
    """

    def __init__(self, place: str, why: str, nearest: tuple[str | int, ...] = ()) -> None:
        self.place, self.nearest = place, nearest
        super().__init__(f"nothing at {place}: {why}")


class RecallError(MckpError, ValueError):
    """A question about a document is not valid.

    `parameter` is the wrong parameter of the call. `names` has what may have been meant, the
    nearest first. `call` has the parameters of a call that works, if one is known.
    """

    def __init__(
        self,
        message: str,
        parameter: str,
        *,
        names: Iterable[str] = (),
        call: Mapping[str, Any] | None = None,
    ) -> None:
        self.message, self.parameter = message, parameter
        self.names, self.call = tuple(names), call
        super().__init__(message)


class DetachedError(MckpError, RuntimeError):
    """A stored or detached result lacks the menu of the document, which a question needs.

    `question` is what was asked, and `todo` is what makes it possible.
    """

    def __init__(self, question: str, todo: str = "call result.attach(document) first") -> None:
        self.question, self.todo = question, todo
        super().__init__(
            f"{question} needs the original document, and this result no longer has it "
            f"(the result was stored, detached, or made in another process); {todo}"
        )


class VerifyError(MckpError, AssertionError):
    """A finished text broke a promise: a defect of this library, never of the input.

    `path` is the first difference between the text and the data. `doubted` are the names of
    registered formats, one of which may be at fault.
    """

    def __init__(self, message: str, *, path: str = "$", doubted: Iterable[str] = ()) -> None:
        self.message, self.path, self.doubted = message, path, tuple(doubted)
        names = " and ".join(self.doubted)
        call = "mckp.encoders.contract.check, with this value"
        todo = f"check the registered format {names} by {call}" if names else "please report this"
        super().__init__(f"{message} at {path}; {todo}" + ("" if names else " with the input"))


class WorkerError(MckpError, RuntimeError):
    """A worker process ended too early, or could not start.

    `exitcode` is its exit code, or the negative number of the signal that ended it.
    """

    def __init__(self, message: str, *, exitcode: int | None = None) -> None:
        self.message, self.exitcode = message, exitcode
        if exitcode is not None:
            how = f"signal {-exitcode}" if exitcode < 0 else f"exit code {exitcode}"
            message += f" ({how}{'; did memory run out?' if exitcode == -9 else ''})"
        super().__init__(message)


class ReaderError(MckpError, RuntimeError):
    """A reader could not answer one question; others may be answered."""


class UnusableReaderError(MckpError, RuntimeError):
    """A reader cannot answer any question, because of a wrong key, model, file or address."""


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning that points to the first caller outside of this package."""
    from inspect import currentframe  # only warnings need it

    level, frame = 1, currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "mckp":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
