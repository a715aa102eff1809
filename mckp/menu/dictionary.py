"""The dense level: a repeated text is written once, in a dictionary, and then as a code."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mckp.encoders import PHRASES, RULES
from mckp.encoders.phrase_search import find
from mckp.menu.classes import AnyOption, Option
from mckp.menu.price import gather
from mckp.menu.render import fragments, whole_pick
from mckp.tokenizers.fragment import is_fragment

if TYPE_CHECKING:
    from mckp.encoders.dictionary import Dictionary
    from mckp.menu.classes import Menu, MenuClass
    from mckp.menu.more import More
    from mckp.menu.price import Prices
    from mckp.menu.render import Pick
    from mckp.tokenizers.base import Tokenizer


def with_dictionary(menu: Menu, prices: Prices, tokenizer: Tokenizer) -> Menu:
    """Return the menu with more options: the document in codes, below a dictionary.

    The dictionary is made for the cheapest whole text, so under a small budget plain formats may
    keep more. A class in codes has one option that writes it whole, and options for parts of it.
    If there are rules above the document, their text is offered in codes too, but only whole. If
    no dictionary saves tokens, the menu stays as it is.
    """
    root, below = menu.root, list[AnyOption]()
    for with_rules in (False, True):
        options = tuple(o for o in root.options if (o.format == RULES.name) is with_rules)
        if options:
            pick = whole_pick(replace(root, options=options), prices)
            below += _below_dictionary(pick, tokenizer)
    prices.add(gather(below))
    return replace(menu, root=replace(root, options=(*root.options, *below))) if below else menu


def _below_dictionary(pick: Pick, tokenizer: Tokenizer) -> list[AnyOption]:
    """Return the option that writes the pick of a document in codes, if this saves tokens."""
    texts = list(fragments(pick))
    first = texts[0].partition("\n")[0]
    if not is_fragment(f"{first}\n"):
        return []  # below a dictionary it would have another cost than alone
    phrases = find(texts, tokenizer.count_batch)
    if phrases is None:
        return []
    option = _coded_option(pick, phrases)
    return [replace(option, format=PHRASES.name, fragments=(phrases.head, *option.fragments))]


def _coded_option(pick: Pick, phrases: Dictionary) -> AnyOption:
    """Return the option of a pick in codes, with everything below it as the pick has it."""
    assert pick.option is not None, "nothing is cut from a whole document"
    option = write_in_codes(pick.option, phrases)
    if not isinstance(option, Option):
        return option
    return replace(option, children=tuple(_coded_class(child, phrases) for child in pick.children))


def write_in_codes(option: AnyOption, phrases: Dictionary) -> AnyOption:
    """Return an option with its texts in codes, without a call that would be misread."""
    names = [name for name in ("fragments", "rows") if hasattr(option, name)]
    texts: dict[str, Any] = {
        name: tuple(map(phrases.write, getattr(option, name))) for name in names
    }
    texts |= {"tail": phrases.write(option.tail), "more": _readable_call(option, phrases)}
    return replace(option, **texts)


def _readable_call(option: AnyOption, phrases: Dictionary) -> More | None:
    """Return the call of an option, or None if a letter in it would be read as a code."""
    call = "" if option.more is None else option.more.call(0, 0)
    return None if any(code in call for code in phrases.phrases) else option.more


def _coded_class(pick: Pick, phrases: Dictionary) -> MenuClass:
    """Return the class of a pick with a single option: that of the pick in codes."""
    return replace(pick.cls, options=(_coded_option(pick, phrases),), phrases=phrases)
