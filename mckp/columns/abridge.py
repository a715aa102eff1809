"""The dense level: over the mixture chosen so far, repeated texts become codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mckp.columns.options import (
    ABOVE,
    CHILDREN,
    DEPTH,
    FIRST,
    FORMAT,
    NEXT,
    OWNER,
    PHRASES,
    SIZE,
    SOURCE,
    TEXT,
    Menu,
)
from mckp.encoders import hands
from mckp.encoders.phrase_search import searched
from mckp.jit import njit
from mckp.tokenizers.fragment import is_fragment

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.tape import Small
    from mckp.tokenizers.bpe import Bpe


def abridged_texts(texts: list[str], tokenizer: Bpe) -> list[bytes] | None:
    """Return the texts of a document in codes, the dictionary before the first, if there is one.

    All of them together may be longer for it.
    """
    if not is_fragment(texts[0].partition("\n")[0] + "\n"):
        return None  # below a dictionary it would cost what it does not cost alone
    hands.load()  # where there are columns, compiled code is
    found = searched(texts, tokenizer.count_batch, tokenizer.count_pieces)
    if found is None:
        return None
    written = [found.write(text).encode() for text in texts]
    written[0] = found.head.encode() + written[0]
    return written


def grafted(menu: Menu, pick: Small, options: Ints, texts: list[bytes]) -> Menu:
    """Return a menu on which a document written whole stands once more, in other words.

    Parameters
    ----------
    menu : Menu
        The menu.
    pick : array of int32
        The option of each class, as it stands so far.
    options : array of int64
        The options that were taken, in some order.
    texts : list of bytes
        The other words for each of them.
    """
    sizes = np.array([len(text) for text in texts], np.int32)
    ends = np.cumsum(sizes, dtype=np.int32) + menu.text.size
    place = np.zeros(len(menu.options), np.int64)
    place[options] = np.arange(len(options))
    classes, added, kinds, source = _copied(menu, pick, len(options))
    number = place[source]
    spans = np.stack([ends[number] - sizes[number], ends[number]], 1)
    return Menu(
        classes,
        added,
        kinds,
        np.concatenate([menu.spans, spans]),
        np.concatenate([menu.text, np.frombuffer(b"".join(texts), np.uint8)]),
        menu.columns,
        menu.state,
    )


@njit
def _copied(menu: Menu, pick: Small, taken: int) -> tuple[Small, Small, Bytes, Ints]:
    """Return classes and options with a copy of those taken, and which each copy is of."""
    old, count = menu.options.shape[0], menu.classes.shape[0]
    classes = np.empty((count + taken - 1, menu.classes.shape[1]), np.int32)
    options = np.empty((old + taken, menu.options.shape[1]), np.int32)
    kinds = np.empty((old + taken, menu.kinds.shape[1]), np.uint8)
    classes[:count], options[:old], kinds[:old] = menu.classes, menu.options, menu.kinds
    of = np.zeros(taken, np.int64)
    source = np.empty(taken, np.int64)
    free = 1
    for copy in range(taken):
        option = pick[of[copy]]
        source[copy] = option
        mine = options[old + copy]
        mine[:] = menu.options[option]
        mine[NEXT] = -1
        kinds[old + copy] = menu.kinds[option]
        kinds[old + copy, SOURCE] = TEXT
        mine[OWNER] = count + copy - 1 if copy else 0
        first, size = menu.options[option, CHILDREN], menu.options[option, SIZE]
        mine[CHILDREN] = count + free - 1 if size else -1
        for child in range(first, first + size):
            of[free] = child
            row = classes[count + free - 1]
            row[:] = menu.classes[child]
            row[ABOVE], row[FIRST], row[DEPTH] = old + copy, old + free, -1
            free += 1
    kinds[old, FORMAT] = PHRASES
    last = menu.classes[0, FIRST]
    while options[last, NEXT] >= 0:
        last = options[last, NEXT]
    options[last, NEXT] = old
    return classes, options, kinds, source
