"""What may be said of how results of tools are encoded, here and in every adapter."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.api import TokenizerLike
    from mckp.session import SessionSettings, Template


class Options(TypedDict, total=False):
    """What may be said; all of it may be left out.

    Attributes
    ----------
    settings : SessionSettings
        The knobs of references and templates.
    budget : int or None
        Tokens that a result may have, at least `mckp.messages.LEAST`; by default that of the
        settings.
    tokenizer : str, Tokenizer or callable
        Who counts; "o200k" by default.
    templates : iterable of Template
        Templates of your own.
    leave : iterable of str
        Tools whose results are sent as they are.
    """

    settings: SessionSettings | None
    budget: int | None
    tokenizer: TokenizerLike
    templates: Iterable[Template]
    leave: Iterable[str]
