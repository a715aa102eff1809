"""Formats of others that write JSON data in fewer tokens, each by its own Python library.

Whatever a library writes is read back by the same library; `Peer.text` gives no text that
does not stand for its data.
"""

from __future__ import annotations

import importlib
import json
import signal
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import canonical, dump, is_array, is_object
from mckp.tokenizers.encodings import VOCABULARIES, load

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import FrameType


class WrongTextError(Exception):
    """A text that its own library does not read as the data it was made of."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A format with its library.

    Attributes
    ----------
    name, distribution, module : str
        What tables call it, what is installed, and what is imported.
    encode, decode : callable
        ``(module, data) -> text`` and ``(module, text) -> data``.
    """

    name: str
    distribution: str
    module: str
    encode: Callable[[Any, Any], Any]
    decode: Callable[[Any, str], Any]

    @property
    def version(self) -> str | None:
        """The version that is installed, or None."""
        try:
            return version(self.distribution)
        except PackageNotFoundError:
            return None

    def text(self, value: Any, seconds: int) -> str:
        """Write a value.

        Parameters
        ----------
        value
            A plain value.
        seconds : int
            How long writing and reading may take together, where the system has SIGALRM;
            0 for any time.

        Raises
        ------
        WrongTextError
            If the text is not read back as the same JSON.
        Exception
            Whatever the library raises; TimeoutError after `seconds`.
        """
        module = importlib.import_module(self.module)
        with _limit(seconds):
            # Some libraries change what they are given.
            text = self.encode(module, json.loads(dump(value)))
            if not isinstance(text, str):
                raise WrongTextError(f"{type(text).__name__} instead of a text")
            decoded = self.decode(module, text)
        if not same(decoded, value):
            raise WrongTextError("another value is read back")
        return text


def same(actual: object, wanted: Any) -> bool:
    """Whether two values are the same JSON: ``1`` and ``1.0`` are, ``1`` and ``true`` are not.

    Examples
    --------
    >>> same({"a": 1, "b": [2.0]}, {"b": [2], "a": 1}), same([1], [True])
    (True, False)
    """
    try:
        return canonical(_numbers(actual)) == canonical(_numbers(wanted))
    except TypeError:
        return False


def _numbers(value: object) -> object:
    if is_object(value):
        return {key: _numbers(child) for key, child in value.items()}
    if is_array(value):
        return [_numbers(child) for child in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@contextmanager
def _limit(seconds: int) -> Generator[None]:
    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _late(_: int, __: FrameType | None) -> None:
    raise TimeoutError("too slow")


def share_vocabularies() -> None:
    """Give peers that count by tiktoken the vocabularies that come with mckp, not a download."""
    registry: Any = importlib.import_module("tiktoken.registry")
    registry.ENCODINGS |= {name: load(name) for name in VOCABULARIES}


PEERS: Final = (
    Peer("toon", "toon-format", "toon_format", lambda m, v: m.dumps(v), lambda m, t: m.loads(t)),
    Peer("bpp", "bpp-format", "bpp", lambda m, v: m.dumps(v), lambda m, t: m.loads(t)),
    Peer(
        "terse",
        "terse-mcp",
        "terse.transforms",
        lambda m, v: m.compress(v),
        lambda m, t: m.decompress(t),
    ),
    Peer(
        "soon",
        "soon-format",
        "soon_format",
        lambda m, v: m.encode(v, tokenizer="o200k_base", elide=True, ref=True),
        lambda m, t: m.decode(t),
    ),
    Peer(
        "gcf",
        "gcf-python",
        "gcf",
        lambda m, v: m.encode_generic(v),
        lambda m, t: m.decode_generic(t),
    ),
    Peer("zon", "zon-format", "zon", lambda m, v: m.encode(v), lambda m, t: m.decode(t)),
    Peer(
        "json-compress",
        "json-compress",
        "json_compress",
        lambda m, v: dump(m.compress(v)),
        lambda m, t: m.decompress(json.loads(t)),
    ),
    Peer("tron", "tron-python", "tron", lambda m, v: m.stringify(v), lambda m, t: m.parse(t)),
    Peer(
        "distill",
        "distill-json",
        "distill",
        lambda m, v: m.compress(v)["compressed"],
        lambda m, t: m.decompress(t),
    ),
    Peer("tson", "tson", "tson", lambda m, v: m.dumps(v), lambda m, t: m.loads(t)),
    Peer(
        "agon",
        "agon-python",
        "agon",
        lambda m, v: m.AGON.encode(v).with_header(),
        lambda m, t: m.AGON.decode(t),
    ),
    Peer("jton", "jton", "jton", lambda m, v: m.dumps(v), lambda m, t: m.loads(t)),
    Peer(
        "flattype",
        "flattype",
        "flattype",
        lambda m, v: m.encode(v, indent=0, refs=True),
        lambda m, t: m.decode(t),
    ),
    Peer(
        "ison",
        "ison-py",
        "ison_parser",
        lambda m, v: m.dumps(m.from_dict(v, flatten=False)),
        lambda m, t: m.loads(t).to_dict(),
    ),
)
"""Every peer, each with the options that made its texts smallest and still right."""


def _crush(module: Any, value: Any) -> str:
    text: str = _crusher(module).crush(dump(value)).compressed
    return text


@cache
def _crusher(module: Any) -> Any:
    return module.SmartCrusher(lossless_only=True)


def _no_reader(_: Any, __: str) -> Any:
    raise WrongTextError("its library has no reader")


TIMED: Final = (
    Peer("toons", "toons", "toons", lambda m, v: m.dumps(v), lambda m, t: m.loads(t)),
    Peer("headroom", "headroom-ai", "headroom.transforms.smart_crusher", _crush, _no_reader),
)
"""Peers that are timed only: toons writes what toon does, by Rust; headroom reads nothing back."""
