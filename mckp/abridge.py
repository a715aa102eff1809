"""The dense level: over the mixture chosen so far, repeated texts become codes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mckp.encoders import PHRASES
from mckp.encoders.phrase_search import find
from mckp.menu.base import MenuClass
from mckp.render import fragments, pick_whole
from mckp.tokenizers.fragment import is_fragment

if TYPE_CHECKING:
    from mckp.encoders.dictionary import Dictionary
    from mckp.menu.base import Option
    from mckp.menu.more import More
    from mckp.price import Prices
    from mckp.render import Pick
    from mckp.tokenizers.base import Tokenizer


def offer_phrases(prices: Prices, tokenizer: Tokenizer) -> None:
    """Put the cheapest whole document on its menu once more, below a dictionary.

    Its classes stay classes: what is cut is cut from the abridged text. The dictionary is
    that of the whole document, so under a small budget plain formats may well say more.

    Parameters
    ----------
    prices : Prices
        The menu with its prices; both are added to, where codes make the document cheaper.
    tokenizer : Tokenizer
        What weighs the phrases.
    """
    option = abridged(prices.menu.root, tokenizer)
    if option is not None:
        prices.add(option)


def abridged(cls: MenuClass, tokenizer: Tokenizer) -> Option | None:
    """Return the cheapest way to write all of a document below a dictionary, if that is shorter.

    Parameters
    ----------
    cls : MenuClass
        The document, or a smaller version of it, priced.
    tokenizer : Tokenizer
        What weighs the phrases.
    """
    whole = pick_whole(cls)
    first = next(fragments(whole)).partition("\n")[0]
    if not is_fragment(f"{first}\n"):
        return None  # below a dictionary it would cost what it does not cost alone
    found = find(fragments(whole), tokenizer.count_batch)
    if found is None:
        return None
    option = _option(whole, found)
    return replace(option, format=PHRASES.name, fragments=(found.head, *option.fragments))


def _option(pick: Pick, found: Dictionary) -> Option:
    assert pick.option is not None, "nothing is cut from a whole document"
    return replace(
        pick.option,
        fragments=tuple(map(found.write, pick.option.fragments)),
        children=tuple(_abridged(child, found) for child in pick.children),
        tail=found.write(pick.option.tail),
        more=_without_codes(pick.option, found),
    )


def _without_codes(option: Option, found: Dictionary) -> More | None:
    """Return an option's call if no letter in it would be read as a code."""
    hint = option.longest_hint
    return None if any(code in hint for code in found.phrases) else option.more


def _abridged(pick: Pick, found: Dictionary) -> MenuClass:
    cls = pick.cls
    return MenuClass(cls.key, cls.content, cls.weight, [_option(pick, found)])
