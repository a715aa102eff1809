r"""Texts with parts that are data: one more way to write them, with the data in place.

The document opens into stretches of text and blocks of data, in the order of the source::

    Alerts of today:
    ```[JSON indent=2]
    {2}
    total: 8
    # alerts[8]{id severity host}
    ...
    ```
    They were all acknowledged.

A stretch is cut by lines, as the whole text would be, and data by rows, columns and members. A gap
counts lines of the source in both. Each stretch and each block has an option that leaves all of it
out, with the mark of this gap; so nothing is cut without a mark at its place.

A line of text and the data have, on average, the same worth for each token. Which lines of a
stretch are worth more is decided for the text as a whole.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.encoders import FLOW, JSON, KV, PROSE, ROWS, marks
from mckp.menu.classes import BlockPlan, CutPart, Menu, MenuClass, Option, PartsPlan, StretchPlan
from mckp.menu.cuts.worths import weights_of_lines
from mckp.menu.data import offer
from mckp.menu.price import gather, price
from mckp.menu.render import PARTS, fragments, whole_pick
from mckp.menu.rules import with_rules
from mckp.menu.text import may_mislead
from mckp.menu.weighing import Weighed, weigh
from mckp.parsers.embedded import embedding_of
from mckp.parsers.parts import ticks_for
from mckp.parsers.text import text_tree
from mckp.texts import outline, plain
from mckp.tokenizers.fragment import is_fragment
from mckp.tree import TreeNode
from mckp.weights.sums import exact_sums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mckp.encoders.base import Format
    from mckp.menu.classes import AnyOption
    from mckp.menu.price import Prices
    from mckp.parsers.embedded import Embedding
    from mckp.parsers.parts import DataPart
    from mckp.tokenizers.base import Tokenizer
    from mckp.weights.models import WeightsLike

LEAST_SAVED: Final = 12
"""Tokens that a part must save if it is written as data, so that its marks are worth it."""

LEAST_SHARE: Final = 0.15
"""The share of its tokens that a part must save."""

_UNIT: Final = 2.0**-10
"""Worths of stretches are multiples of this, so that sums are exact."""


class _Block(NamedTuple):
    """A part with the menu of its data."""

    part: DataPart
    name: str
    """The title, or which lines it has."""
    embedding: Embedding
    menu: Menu
    text: str
    """All of the data."""
    head: str
    """The line above all of the data, which restores the source."""
    short: str
    """The line above data of which some may be missing."""
    tail: str
    """The line below the data, and the blank lines that follow."""
    end: int
    """The line behind these blank lines, from 0."""


class Wishes(NamedTuple):
    """How the data in a text are weighed and written; see `mckp.encode`."""

    formats: tuple[Format, ...]
    weights: WeightsLike
    query: str | None
    tokenizer: Tokenizer


def with_parts(
    menu: Menu,
    document: Weighed,
    found: Sequence[DataPart],
    wishes: Wishes,
    prices: Prices,
    read: Callable[[str], Any],
) -> Menu:
    """Return the menu of a text with one more option, which opens it into its parts.

    `found` are the parts that are data. If none of them saves enough tokens, the menu stays as it
    is. `read` decodes data.
    """
    formats, source = wishes.formats, document.tree.source or ""
    has_notes = JSON in formats and any(format_ in formats for format_ in (KV, ROWS, FLOW))
    if not has_notes or menu.root.plan is None or not plain(source).is_source:
        return menu
    maker = _Maker(document, wishes, prices, read)
    ticks = ticks_for(source, [part.value for part in found])
    blocks = list(filter(None, (maker.block(part, ticks) for part in found)))
    return maker.menu(menu, blocks) if blocks else menu


class _Maker:
    """Makes the classes of a text with parts."""

    def __init__(
        self, document: Weighed, wishes: Wishes, prices: Prices, read: Callable[[str], Any]
    ) -> None:
        self._document, self._wishes, self._prices, self._read = document, wishes, prices, read
        self._source = document.tree.source or ""
        self._lines = self._source.split("\n")

    def block(self, part: DataPart, ticks: str) -> _Block | None:
        """Return a part with its menu; None if it saves too little, or would not be read back."""
        lines, prices = self._lines, self._prices
        if part.title and not is_fragment(f"{part.title}\n"):
            part = part._replace(title="")
        value, embedding = embedding_of(part.value, part.form)
        if embedding is None:
            return None
        end = part.end
        while end < len(lines) and not lines[end].strip():
            end += 1
        if end < len(lines) and not is_fragment(f"{lines[end]}\n"):
            return None
        menu = self._data_menu(Weighed(TreeNode.of(value)))
        text = "".join(fragments(whole_pick(menu.root, prices)))
        ordered = embedding.with_moves(self._read(text), value)
        if ordered is None:
            return None
        head, below = part.mark(ticks, ordered), "\n".join(["", *lines[part.stop : end]])
        tail = ticks + below + "\n" * (part.stop < len(lines) and end < len(lines))
        tail = marks.escape_lines(tail)
        short = part.short_mark(ticks, embedding)
        prices.add([head, short, tail])
        cost = prices["\n".join([*lines[part.start : end], ""])]
        saved = cost - prices.whole_cost(menu.root) - prices[head] - prices[tail]
        if saved < max(LEAST_SAVED * prices.scale, LEAST_SHARE * cost):
            return None
        name = part.title.strip("=#>*~-$ :") or f"lines {part.first + 1}-{part.stop}"
        return _Block(part, name, ordered, menu, text, head, short, tail, end)

    def _data_menu(self, document: Weighed) -> Menu:
        """Return the menu of the data of a part, each of whose texts ends with a line feed."""
        menu = offer(document, self._wishes.formats, lambda _: "blocks")
        menu = with_rules(menu, price(menu, self._prices))
        options = tuple(map(_with_line_feed, menu.root.options))
        return replace(menu, root=replace(menu.root, options=options, is_pinned=True))

    def menu(self, menu: Menu, blocks: Sequence[_Block]) -> Menu:
        """Return the menu with the option that opens the text into stretches and blocks."""
        stretches = self._stretches(blocks)
        children: list[MenuClass] = []
        part_menus: list[Menu] = []
        worth_of_token = self._weigh(stretches)
        for stretch, block in zip(stretches, (*blocks, None), strict=True):
            if stretch.text:
                worth = _rounded(float(stretch.weights.sum()) / worth_of_token)
                written = Option(PROSE.name, (marks.escape_lines(stretch.text),))
                content = text_tree([stretch.text])
                children.append(
                    MenuClass(None, content, worth, (written,), is_pinned=True, plan=stretch)
                )
            if block is not None:
                part_menus.append(self._weighed_menu(block))
                children.append(self._block_class(block, part_menus[-1].root))
        head = (marks.kind_line("text"),) if may_mislead(self._source) else ()
        some = CutPart(())  # even if nothing is cut, the style of the source is
        opening = Option(
            PROSE.name, head, 0.0, tuple(children), unit=PARTS, part=some, keeps_all=True
        )
        whole = Option(PROSE.name, (*head, *self._whole_texts(stretches, blocks)))
        self._prices.add(gather([opening, whole]))
        tree = copy(self._document.tree)
        tree.data = {block.name: block.part.value for block in blocks}
        worth = sum(cls.worth for cls in children)
        options = (*menu.root.options, whole, opening)
        root = replace(menu.root, content=tree, worth=worth, options=options, plan=PartsPlan())
        return replace(menu, root=root, parts=tuple(part_menus))

    def _stretches(self, blocks: Sequence[_Block]) -> list[StretchPlan]:
        """Return the stretches of text before, between and after blocks; some may be empty."""
        document, whole = (
            self._document,
            outline(
                self._source,
                request=self._document.request,
                folds=self._document.folds,
                kind=self._document.tree.text_kind,
            ),
        )
        weights = weights_of_lines(document, whole, self._source)[0]
        stretches: list[StretchPlan] = []
        at = 0
        for block in (*blocks, None):
            stop = len(self._lines) if block is None else block.part.first
            text = "\n".join(self._lines[at:stop]) + "\n" * (block is not None and stop > at)
            first, last = min(at, len(weights)), min(stop, len(weights))
            lines = whole.lines(first, last)
            stretches.append(StretchPlan(text, at, len(weights), lines, weights[first:last]))
            at = stop if block is None else block.end
        return stretches

    def _whole_texts(
        self, stretches: Sequence[StretchPlan], blocks: Sequence[_Block]
    ) -> Iterator[str]:
        """Yield the fragments of the whole text, which restores the source to the byte."""
        for stretch, block in zip(stretches, (*blocks, None), strict=True):
            if stretch.text:
                yield marks.escape_lines(stretch.text)
            if block is not None:
                if block.part.title:
                    yield marks.escape_lines(f"{block.part.title}\n")
                yield from (block.head, block.text, block.tail)

    def _weigh(self, stretches: Sequence[StretchPlan]) -> float:
        """Return the mean worth of a token of all stretches; 1 if they are worth nothing."""
        worth = sum(float(stretch.weights.sum()) for stretch in stretches)
        tokens = sum(self._prices[stretch.text] for stretch in stretches if stretch.text)
        return worth / tokens if worth else 1.0

    def _weighed_menu(self, block: _Block) -> Menu:
        """Return the menu of a block with weights, which add up to its tokens.

        A request raises the worth of a block by as much as it raises that of its parts.
        """
        if not self._document.by_line:
            return block.menu
        tree, wishes, roots = block.menu.root.content, self._wishes, block.embedding.roots
        tree = TreeNode.of(tree)
        weights, counter = wishes.weights, wishes.tokenizer
        document = plain_document = weigh(tree, weights, None, None, counter, roots)
        if wishes.query:
            document = weigh(tree, weights, None, wishes.query, counter, roots)
        if document.weights is None or plain_document.weights is None:
            return block.menu
        total = plain_document.weights.sums[-1]
        factor = self._prices.whole_cost(block.menu.root) / total if total else 1.0
        sums = document.weights.sums
        scaled = exact_sums([(end - begin) * factor for begin, end in pairwise(sums)])
        weights_of_block = replace(document.weights, sums=scaled)
        return self._data_menu(document._replace(weights=weights_of_block))

    def _block_class(self, block: _Block, data: MenuClass) -> MenuClass:
        """Return the class of a block: its title, and the data between two lines."""
        part, prices = block.part, self._prices
        title = f"{part.title}\n" if part.title else ""
        title_worth = _rounded(prices[title]) if title else 0.0
        above = (marks.escape_lines(title), block.short) if title else (block.short,)
        opening = Option(
            part.form.name,
            above,
            title_worth,
            (data,),
            unit=PARTS,
            foot=block.tail,
            keeps_all=True,
        )
        total = self._source.count("\n") + (not self._source.endswith("\n"))
        plan = BlockPlan(part.first + 1, min(block.end, total), total, marks.escape_lines(title))
        worth = data.worth + title_worth
        return MenuClass(block.name, part.value, worth, (opening,), is_pinned=True, plan=plan)


def _rounded(worth: float) -> float:
    """Return a worth as a multiple of a power of two, so that sums are exact."""
    return round(worth / _UNIT) * _UNIT


def _with_line_feed(option: AnyOption) -> AnyOption:
    """Return an option whose text ends with a line feed."""
    texts = option.fragments
    is_open = bool(texts) and not texts[-1].endswith("\n") and not option.tail
    return replace(option, fragments=(*texts[:-1], f"{texts[-1]}\n")) if is_open else option
