"""What cuts JSON down to a budget of tokens: two simple ways, and libraries of others.

Each gets compact JSON and a budget and gives a text, which may be no JSON any more. Whatever a
library keeps elsewhere for later is not counted.
"""

from __future__ import annotations

import importlib
import io
import os
import tempfile
from contextlib import redirect_stderr
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import tiktoken
from peers import share_vocabularies
from solver_figures import installed

if TYPE_CHECKING:
    from collections.abc import Callable


@cache
def encoding() -> tiktoken.Encoding:
    """Return tiktoken's own o200k, with the vocabulary that comes with mckp."""
    share_vocabularies()
    return tiktoken.get_encoding("o200k_base")


def recount(text: str) -> int:
    """Count the tokens of a text by tiktoken, not by mckp."""
    return len(encoding().encode_ordinary(text))


def cut_head(text: str, budget: int) -> str:
    """Return the tokens that come first, as many as the budget has.

    Examples
    --------
    >>> cut_head('{"name":"Ann"}', 3)
    '{"name":"'
    """
    tokens = encoding().encode_ordinary(text)
    size = budget
    while recount(head := encoding().decode(tokens[:size], errors="ignore")) > budget:
        size -= 1
    return head


@dataclass(frozen=True)
class Cutter:
    """Something that cuts JSON.

    Attributes
    ----------
    name : str
        What tables call it.
    distribution : str
        What must be installed, nothing for what is written here.
    cut : callable
        ``(text, budget) -> text``
    """

    name: str
    distribution: str
    cut: Callable[[str, int], str]

    @property
    def version(self) -> str | None:
        """What is installed of it; None if nothing is."""
        return installed(self.distribution) if self.distribution else ""


def _module(name: str) -> Any:
    # Some libraries print advice when they are imported.
    with redirect_stderr(io.StringIO()):
        return importlib.import_module(name)


def _tooltrim(text: str, budget: int) -> str:
    # It would count by cl100k_base; the budget is of o200k_base, so it gets that.
    _module("tooltrim.tokens")._ENCODER = encoding()  # noqa: SLF001
    compressor = _module("tooltrim").ToolCompressor(max_tokens=budget)
    compressed: str = compressor.compress(text, content_type="json").text
    return compressed


def _cendor(text: str, budget: int) -> str:
    compressed: str = _module("cendor.squeeze").compress(
        text, kind="json", target_tokens=budget, model="gpt-4o"
    )[0]
    return compressed


def _governor(text: str, budget: int) -> str:
    module = _module("tool_result_governor.governor")
    with tempfile.TemporaryDirectory() as folder:
        governor = module.Governor(
            module.SpillStore(folder),
            module.ReceiptSigner(b"a bench"),
            module.Budget(max_bytes=1 << 30, max_records=1 << 30, max_tokens=budget),
        )
        shaped: str = governor.shape("bench", {}, text)[0]
    return shaped


def _crush(text: str, budget: int) -> str:
    # It would learn from one text for the next, and keep both in the home folder.
    os.environ.setdefault("HEADROOM_TOIN_BACKEND", "none")
    module = _module("headroom.transforms.smart_crusher")
    elsewhere = _module("headroom.config").CCRConfig(enabled=False)
    crushed = text
    for items in ITEMS:
        limits = {"max_items_after_crush": items, "min_tokens_to_crush": 0}
        config = module.SmartCrusherConfig(use_feedback_hints=False, **limits)
        crushed = str(module.SmartCrusher(config, ccr_config=elsewhere).crush(text).compressed)
        if recount(crushed) <= budget:
            break
    return crushed


LIBRARIES: Final = (
    Cutter("tooltrim", "tooltrim", _tooltrim),
    Cutter("cendor-squeeze", "cendor-squeeze", _cendor),
    Cutter("governor", "tool-result-size-governor", _governor),
)
"""Libraries that take a budget of tokens; whether they keep to it is what is measured.

Two more were looked at: ``entroly`` cuts off the end of JSON and writes to the home folder, and
what ``llmslim`` fits texts by is private.
"""

ITEMS: Final = (200, 100, 50, 30, 20, 15, 10, 7, 5, 3, 2, 1)
"""How many items of an array headroom may keep."""
CRUSHER: Final = Cutter("headroom", "headroom-ai", _crush)
"""Takes no budget, only how many items to keep: the most with which the text fits, or else one."""
