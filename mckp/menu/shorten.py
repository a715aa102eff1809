"""Shorter forms of a long text: some sentences, lines or words, with ``…`` for each gap.

A text of several lines is cut by lines, which are chosen as in a document that is a text
(`mckp.menu.cuts.strings`). Of sentences, the first stay longest, and of HTML the words. The data in
an address, which nobody reads, go before anything else.

A form is worth its share of the text, to a power (`CONCAVE`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate, pairwise
from math import frexp
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.encoders.hints import Overflow
from mckp.regexes import regex
from mckp.weights.sums import FINEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mckp.menu.cuts.strings import StringLines

_END: Final = regex(r"[.!?]['\")\]]*\s+(?=[^\sa-z])|[。！？]+|\n(?=[^\S\n]*\n)")  # noqa: RUF001
_SHORT: Final = regex(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|fig|dr|mr|mrs|ms|st|[a-z]))\.\Z", re.I
)


def sentence_ends(text: str) -> Iterator[int]:
    """Yield the index at which each sentence of a text ends, except the last one.

    No sentence ends after an abbreviation, nor at a sign such as ``.`` before a lower-case letter.

    Examples
    --------
    >>> list(sentence_ends("Edits e.g. Config. Returns v1.2 now. Done."))
    [19, 37]
    """
    for match in _END.finditer(text):
        stop = match.start() + 1
        if not (text[stop - 1] == "." and _SHORT.search(text, max(0, stop - 8), stop)):
            yield match.end()


LEAST: Final = 40
"""A text of fewer characters is not shortened: that would save next to nothing."""

GAP: Final = "…"
"""What is written where something is missing."""

CONCAVE: Final = 0.7
"""The power of the share of its parts that a shorter form of a text in data is worth.

The first half of a text is worth 62 % of it. On rated fields, .7 keeps .003 more than 1 within a
fifth; .5 keeps .001 more than .7 within a fifth, and .001 less within a half.
"""

ENOUGH: Final = 0.75
"""Lines that have this share of the worth of all are kept, even if they fill little room."""

UNBROKEN: Final = 200
"""A text of so many characters, none of them blank, may be cut anywhere."""
_BLOB: Final = regex(r"(?<![\w+/=-])[\w+/=-]{24}([\w+/=-]{176,}+)")
"""What no reader reads, as the data in an address, and what of it goes first."""
_ENCODED: Final = regex(
    r"(?:data:[\w.+/;=-]*+,)?+([\w+/=-]{24})(?:[\w+/=-]{48,}+\r?\n)*+[\w+/=-]*+\s*+"
)
"""A text that is nothing but encoded bytes, such as an image, perhaps in lines; and its start."""
_TAG: Final = regex(
    r"<!--.*?-->|<(style|script)\b.*?</\1>"
    r"|(?!</?(?:a|b|code|em|i|s|span|strong|sub|sup|u)>)</?(?:a|abbr|article|b|blockquote|body|br|center|code|dd|div|dl|dt|em|font|footer|h[1-6]|head"
    r"|header|hr|html|i|img|label|li|link|main|meta|nav|ol|p|pre|q|s|section|small|span|strong|sub"
    r"|sup|table|tbody|td|th|thead|title|tr|u|ul|wbr)\b[^<>]*>",
    re.IGNORECASE | re.DOTALL,
)
"""A tag of HTML, or what no browser shows; not one without attributes within a sentence, as a mark
costs as much. Names of elements of XML may say what is in them."""
_INLINE: Final = regex(r"(?i)</?(?:a|abbr|b|code|em|font|i|s|small|span|strong|sub|sup|u)\b")
_LINKS: Final = regex(r"(?i)<(?:a|img)\b[^>]*?\b(?:href|src)=")
MARKUP: Final = 0.2
"""A text is HTML if this share of its characters are tags that are not within sentences: of the
cells of a helpdesk, the first words were tags alone."""
_WORD: Final = regex(r"\S+")
_BLANKLESS: Final = regex(r"[\u2e80-\u9fff\uf900-\ufaff\uff66-\uff9f\u0e00-\u0e7f]")
"""A character of a script that writes no blanks between words: Chinese, Japanese, Thai."""
_WORDS: Final = regex(r"(.*\S)\s", re.DOTALL)
"""A text without its last word."""
_BITS: Final = 30
"""Bits of precision of a part of a large worth."""
_FEW: Final = 4
"""A text needs so many lines to be cut between lines."""


class Shortened(NamedTuple):
    """A shorter form of a text: what is left, and how many parts are missing."""

    text: str
    """The parts that are left, with a mark for each gap."""
    missing: int
    total: int
    """How many parts the text had; `missing` of them were cut."""
    unit: str
    """What the parts are: ``sentences``, ``lines``, ``words`` or ``characters``."""
    characters: float = 0.0
    """The share of the characters that is left; 0 if each part counts the same."""


def notes(overflow: Overflow | None, forms: Iterable[Shortened]) -> tuple[Overflow, ...]:
    """Return the note on what is cut, if anything is, and one note per unit on shortened texts.

    Examples
    --------
    >>> forms = [Shortened("a …", 1, 3, "words"), Shortened("b …", 2, 3, "words")]
    >>> [str(note) for note in notes(Overflow(2, 9, "facts"), forms)]
    ['> [+2 facts]', '> [+3 of 6 words]']
    """
    counts: dict[str, tuple[int, int]] = {}
    for form in forms:
        missing, total = counts.get(form.unit, (0, 0))
        counts[form.unit] = missing + form.missing, total + form.total
    shortened = (Overflow(*pair, unit) for unit, pair in counts.items())
    return (overflow, *shortened) if overflow is not None and overflow.missing else tuple(shortened)


class _Parts(NamedTuple):
    """The ranges of a text's parts, what joins them, and the order in which they are kept."""

    spans: Sequence[tuple[int, int]]
    between: str
    order: Sequence[int]
    unit: str
    sizes: Sequence[int] | None = None  # the units of each part; None: one each


class Shortener:
    """Makes shorter forms of one text; a text below `LEAST` characters has none.

    If `is_markup`, a link or code span that would be cut in two is cut as a whole. Sentences or
    lines that are clearly what a `request` asks for stay longest. Of encoded bytes, such as an
    image in base64, only the first characters are ever kept, as no reader makes sense of the rest.

    Examples
    --------
    >>> note = Shortener("It works on most machines. " * 4 + "It fails on the last.")
    >>> note.within(60).text, note.within(26).text
    ('It works on most machines. It works on most machines. …', 'It works on most machines. …')
    >>> guide = "The ferry leaves at six. It has a clock. " * 9 + "A berth is 38 euro. No cars."
    >>> Shortener(guide, request="what is a berth").within(24).text
    '… A berth is 38 euro. …'
    """

    def __init__(self, text: str, *, is_markup: bool = True, request: str | None = None) -> None:
        self._text, self._is_markup = text, is_markup
        self._start_of_bytes = _start_of_bytes(text)
        has_parts = len(text) >= LEAST and not self._start_of_bytes
        parts = _markup_parts(text) if has_parts else None
        self._is_html = parts is not None
        is_by_lines = has_parts and is_cut_by_lines(text)
        self._lines = _lines_of(text, request) if is_by_lines and parts is None else None
        parts = _parts(text) if has_parts and parts is None and self._lines is None else parts
        if request and parts is not None and parts.sizes is None:
            parts = parts._replace(order=_order_by_request(text, parts, request))
        self._parts = parts
        spans = () if parts is None else (parts.spans[place] for place in parts.order)
        joint_length = 0 if parts is None else len(parts.between)
        # Running sums of the characters of the parts, in the order in which they stay.
        self._ends = list(accumulate(end - start + joint_length for start, end in spans))

    def within(self, most: int, less: int = 1) -> Shortened | None:
        """Return the longest form whose parts have at most `most` characters, or None.

        Parts are lines or sentences. They are words or characters if none of these fits, or if
        words fill much more of the room. With its marks, the form must be at least `less`
        characters shorter than the text.
        """
        if len(self._text) < LEAST:
            return None
        if self._start_of_bytes:
            return _first_characters(self._text, self._start_of_bytes, most)
        form, is_enough = self._form_by_parts(most)
        if not is_enough:
            words = _shorten_by_words(self._text, most, self._is_markup)
            if form is None or words is None or words.unit != "words":
                form = form or words
            elif len(words.text) > 2 * len(form.text):
                form = words
        return form if form is not None and len(form.text) + less <= len(self._text) else None

    def _form_by_parts(self, most: int) -> tuple[Shortened | None, bool]:
        """Return the form of lines or sentences, and whether words need not be tried as well.

        They need not if the form fills half of `most` or says half of what the lines say, or if
        parts have sizes or are not kept from the first on. Otherwise the next part is too long, and
        its first words say more than, for example, a greeting alone.
        """
        if self._lines is not None:
            lines = self._lines.within(most)
            if lines is None:
                return None, False
            is_enough = 2 * len(lines.text) >= most or lines.worth >= ENOUGH
            return Shortened(*lines[:2], lines.total, "lines", lines.share), is_enough
        if (parts := self._parts) is None:
            return None, False
        form = self._form_of(parts, self._fitting_parts(parts, most))
        if form is None:
            return None, self._is_html
        is_ordered = parts.sizes is None and isinstance(parts.order, range)
        return form, not is_ordered or 2 * len(form.text) >= most

    def forms(self, sizes: Iterable[float], less: int = 1) -> Iterator[Shortened]:
        """Yield the forms within each of the given sizes in characters, each form once."""
        last = ""
        for size in sizes:
            form = self.within(int(size), less)
            if form is not None and form.text != last:
                last = form.text
                yield form

    def _form_of(self, parts: _Parts, kept: Sequence[int]) -> Shortened | None:
        """Return the text with only the kept parts, whose numbers are in `kept`, ascending.

        The result is None if all parts are kept, or none that has a size.
        """
        if not 0 < len(kept) < len(parts.spans):
            return None
        sizes = parts.sizes or [1] * len(parts.spans)
        total, left = sum(sizes), sum(map(sizes.__getitem__, kept))
        if not left:
            return None
        text = parts.between.join(_kept_texts(self._text, parts.spans, kept))
        return Shortened(text, total - left, total, parts.unit)

    def _fitting_parts(self, parts: _Parts, most: int) -> list[int]:
        """Return the numbers of the parts that stay within `most` characters, ascending.

        The first one that does not fit ends the form. All parts never stay: they may fit although
        the text, with its blanks, does not.
        """
        return sorted(parts.order[: min(bisect_right(self._ends, most), len(parts.order) - 1)])


def sizes(first: float, ratio: float, last: float) -> Iterator[float]:
    """Yield a geometric sequence: from `first` to `last`, each `ratio` times the one before."""
    while first <= last if ratio > 1 else first >= last:
        yield first
        first *= ratio


def _kept_texts(text: str, spans: Sequence[tuple[int, int]], kept: Sequence[int]) -> Iterator[str]:
    """Yield the kept parts as they are in the text, with a mark for each gap.

    `kept` has the numbers of the parts; those next to each other are one piece.
    """
    if kept[0] > 0:
        yield GAP
    first = kept[0]
    for place, after in zip(kept, [*kept[1:], None], strict=True):
        if after != place + 1:
            yield text[spans[first][0] : spans[place][1]]
            if place + 1 < len(spans):
                yield GAP
            first = after or 0


def _lines_of(text: str, request: str | None) -> StringLines | None:
    """Return the sets of lines of a text of several lines; None if its first lines stay longest."""
    from mckp.menu.cuts.strings import lines_of  # which loads NumPy

    return lines_of(text, request)


def _parts(text: str) -> _Parts | None:
    """Return the lines or sentences of a text, or what is around encoded bytes; None if it is one.

    Lines are those of a text of several lines.
    """
    if " " in text and (blobs := [match.span(1) for match in _BLOB.finditer(text)]):
        return _parts_around_blobs(text, blobs)
    if is_cut_by_lines(text):
        ends = [place for place, sign in enumerate(text) if sign == "\n"]
        lines = list(zip([0, *(end + 1 for end in ends)], [*ends, len(text)], strict=True))
        return _Parts(lines, "\n", range(len(lines)), "lines")
    sentences = _sentences(text)
    return (
        _Parts(sentences, " ", range(len(sentences)), "sentences") if len(sentences) > 1 else None
    )


def _markup_parts(text: str) -> _Parts | None:
    """Return the words of HTML, then its tags, links first; None for any other text."""
    if "</" not in text:
        return None
    tags = [tag.span() for tag in _TAG.finditer(text)]
    outer = sum(end - start for start, end in tags if not _INLINE.match(text, start))
    if outer < MARKUP * len(text):
        return None
    edges = [0, *(place for tag in tags for place in tag), len(text)]
    from mckp.parsers.detect import looks_like_program  # few texts are HTML

    if looks_like_program(_TAG.sub(" ", text)):
        return None
    words = [
        word.span()
        for start, end in zip(edges[::2], edges[1::2], strict=True)
        for word in _WORD.finditer(text, start, end)
    ]
    if len(words) < 2:
        return None
    ranks = {span: 2 - (_LINKS.match(text, *span) is not None) for span in tags}
    spans = sorted([*words, *tags])
    order = sorted(range(len(spans)), key=lambda place: ranks.get(spans[place], 0))
    return _Parts(spans, "", order, "words", [1] * len(spans))


def _order_by_request(text: str, parts: _Parts, request: str) -> Sequence[int]:
    """Return the order of parts, with those that a request clearly asks for first."""
    from mckp.weights.queries import CLEARLY, line_factors  # few documents have a request

    factors = line_factors([text[start:end] for start, end in parts.spans], request)
    asked = [place for place, factor in enumerate(factors) if factor >= CLEARLY]
    asked.sort(key=lambda place: -factors[place])
    return list(dict.fromkeys([*asked, *parts.order]))


def _parts_around_blobs(text: str, blobs: Sequence[tuple[int, int]]) -> _Parts:
    """Return the lines or sentences of a text; the blobs in them are parts that go first.

    `blobs` has the start and end of each.
    """
    joined: list[tuple[int, int]] = []  # one in each word
    for start, end in blobs:
        is_same = bool(joined) and not any(map(str.isspace, text[joined[-1][1] : start]))
        joined.append((joined.pop()[0] if is_same else start, end))
    begins, stops = [start for start, _ in joined], [end for _, end in joined]
    # As many begin before an end of a sentence as stop there, or it is in one of them.
    apart = (at for at in sentence_ends(text) if bisect_left(begins, at) == bisect_right(stops, at))
    bounds = sorted({0, len(text), *apart, *(place for blob in joined for place in blob)})
    spans, blob_spans = list(pairwise(bounds)), set(joined)
    sizes = [int(span in blob_spans) for span in spans]
    for word in _WORD.finditer(text):
        # One that a blob is in counts where the blob is.
        if bisect_left(begins, word.end()) == bisect_left(begins, word.start()):
            sizes[bisect_right(bounds, word.start()) - 1] += 1
    order = sorted(range(len(spans)), key=lambda place: spans[place] in blob_spans)
    return _Parts(spans, "", order, "words", sizes)


def _shorten_by_words(text: str, most: int, is_markup: bool) -> Shortened | None:
    """Return the first words of a text, or its first characters if words are not separated.

    Without the mark, these are at most `most` characters. If `is_markup`, no link or code span is
    cut in two. The result is None if no word would be cut, if little would be left of markup, or if
    a text without blanks is short.
    """
    whole = _WORDS.match(text, 0, most + 1)
    left_by_words = 0 if whole is None else len(whole[1])
    if left_by_words < LEAST // 2 < most < len(text) and _BLANKLESS.search(
        text, left_by_words, most
    ):
        end = most
        while end > left_by_words + 1 and not _BLANKLESS.match(text[end - 1]):
            end -= 1
        if end < LEAST // 2 and _is_unbroken(text):
            end = most
        return Shortened(text[:end] + GAP, len(text) - end, len(text), "characters")
    if whole is not None:
        left, total = whole[1], len(text.split())
        if is_markup:
            opened = [left.rfind(sign) for sign, end in ("[]", "``") if _is_open(left, sign, end)]
            left = left[: min(opened, default=len(left))].rstrip("*_! ")
        missing = total - len(left.split())
        if not missing or (is_markup and len(left) < LEAST // 2):
            return None
        return Shortened(f"{left} {GAP}", missing, total, "words")
    if not _is_unbroken(text):
        return None
    return _first_characters(text, most, most)


def _first_characters(text: str, size: int, most: int) -> Shortened | None:
    """Return the first `size` characters of a longer text; None if these are more than `most`."""
    missing = len(text) - size
    return Shortened(text[:size] + GAP, missing, len(text), "characters") if size <= most else None


def _start_of_bytes(text: str) -> int:
    """Return how many characters say what encoded bytes are; 0 if a text is anything else.

    Examples
    --------
    >>> image = "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAABAAAAAQACAYAAAB" * 9
    >>> image[: _start_of_bytes(image)], _start_of_bytes("ACGT" * 99)
    ('data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA', 0)
    """
    if len(text) < UNBROKEN or " " in text[:UNBROKEN] or not any(map(str.isdigit, text[:UNBROKEN])):
        return 0
    match = _ENCODED.fullmatch(text)
    return match.end(1) if match and text.isascii() else 0


def _is_unbroken(text: str) -> bool:
    """Whether the first `UNBROKEN` characters of a text have no blank among them."""
    return len(text) >= UNBROKEN and not any(map(str.isspace, text[:UNBROKEN]))


def _is_open(text: str, sign: str, end: str) -> bool:
    """Whether the last opening sign has no closing one; both may be the same, as in a code span."""
    return text.count(sign) % 2 == 1 if sign == end else text.rfind(sign) > text.rfind(end)


def _sentences(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each sentence, without the blanks around it."""
    ends = [0, *sentence_ends(text), len(text)]
    return [
        (start + len(part) - len(part.lstrip()), start + len(part.rstrip()))
        for start, end in pairwise(ends)
        if (part := text[start:end]).strip()
    ]


def is_cut_by_lines(text: str) -> bool:
    """Whether a text is cut between lines or statements, and not between sentences."""
    return text.count("\n") + 1 >= _FEW


def shortened_worth(worth: float, form: Shortened) -> float:
    """Return the worth of a shorter form in data, given that of the whole text.

    The first parts that are kept add most to it.
    """
    share = form.characters or (form.total - form.missing) / form.total
    return _fraction_of(worth, share**CONCAVE)


def _fraction_of(worth: float, fraction: float) -> float:
    """Return a fraction of a worth, rounded down to a number whose sums are exact.

    It is a multiple of 2**-20, or of a larger power of two if the worth is large.
    """
    unit = 2.0 ** max(FINEST, frexp(worth)[1] - _BITS)
    return int(worth / unit * fraction) * unit
