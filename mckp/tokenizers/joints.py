"""Where counts of a tokenizer add up: known for the vocabularies at hand, probed for others.

A menu is written in fragments and, within lines, in words with the blank before them; see
`mckp.tokenizers.fragment`. For the counts of such parts, one of three cases holds:

- *they add up* to the count of the text, less the count of an empty text (the frame);
- they add up *within a text*: as in SentencePiece, which puts a blank before every text, the count
  of a part is what it adds between two other lines;
- they do not add up. Then a part's price is what several copies of it add between two lines, which
  is only a guide.

`breaks` has the characters next to which the law does not hold. A probe counts about a hundred
joints, the same ones for every tokenizer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, runtime_checkable

from mckp.frozen import frozen
from mckp.tokenizers.backends import Bpe
from mckp.tokenizers.vocabularies import VendorTokenizer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mckp.tokenizers.base import Tokenizer

COPIES: Final = 8
"""Copies of a part that are counted together where counts of parts do not add up."""

_USUAL: Final = (
    "name: Ada\n",
    "  indented: 1\n",
    '{"id":17,"at":"2026-03-01T02:00:07Z"}\n',
    "- item (two words)\n",
    "| cell | 3.25 |\n",
    "2026,berlin,-4\n",
    "end.\n\n",
    "x\n",
    "'s own\n",
    "…313-349\n",
    "Zürich 日本語 🚀\n",
    "# Heading\n",
    "        deep = call(a, b)\n",
    "007\n",
    '"quoted"\n',
    "line with blanks at its end  \n",
)
_WORDS: Final = (
    " word",
    " 12",
    " Ada",
    " {",
    " (two",
    ' "x"',
    " — ",
    " =",
    " https://a.b/c?d=1",
    " é",
)
UNUSUAL: Final = {
    "\t": ("\tcell\n", "a\tb\n", "\t\tdeep\n", "tab\t\n"),
    "\r": ("line\r\n", "next\r\n"),
    "\u2581": ("▁a\n", "a▁\n", "a ▁ b\n"),
    "\xa0": ("\xa0a\n", "a\xa0\n"),
    "\u3000": ("\u3000a\n", "a\u3000\n"),
}
"""Parts with characters that tokenizers treat in ways of their own."""


class Joints(NamedTuple):
    """Where the counts of a tokenizer add up."""

    adds_up: bool
    """Whether the counts of parts add up, after subtracting the frame from each."""
    within: bool = True
    """Whether the tokens that parts add between two lines add up."""
    frame: int = 0
    """Tokens of the empty text."""
    breaks: str = ""
    """Characters next to which counts do not add up."""


def joints_of(tokenizer: Tokenizer) -> Joints:
    """Return where a tokenizer's counts add up: known for built-in ones, else by a probe."""
    if isinstance(tokenizer, Bpe):
        return Joints(adds_up=True)
    if isinstance(tokenizer, VendorTokenizer):
        return Joints(tokenizer.additive, breaks=tokenizer.breaks)
    return probe_joints(tokenizer)


def probe_joints(tokenizer: Tokenizer) -> Joints:
    """Return where a tokenizer's counts add up, by counting pairs of usual and unusual parts.

    Examples
    --------
    >>> from mckp.tokenizers import get
    >>> probe_joints(get("o200k"))
    Joints(adds_up=True, within=True, frame=0, breaks='')
    >>> probe_joints(get(lambda text: len(text) // 3 + 2))
    Joints(adds_up=False, within=False, frame=2, breaks='')
    """
    pairs = _adjacent_parts(_USUAL, _USUAL, _WORDS)
    for parts in UNUSUAL.values():
        pairs += _adjacent_parts(parts, (*parts, *_USUAL[:3]), _WORDS[:2]) + _adjacent_parts(
            _USUAL[:3], parts, ()
        )
    singles = dict.fromkeys(part for pair in pairs for part in pair)
    texts = list(dict.fromkeys(["", *singles, *("".join(pair) for pair in pairs)]))
    frame, joints = 0, Joints(adds_up=False, within=False)
    for is_within in (False, True):
        framed_texts = [framed_text(text) if is_within else text for text in texts]
        token_counts = tokenizer.count_batch([*framed_texts, AROUND] if is_within else framed_texts)
        base_count = token_counts[-1] if is_within else token_counts[0]
        counts = {
            text: count - base_count for text, count in zip(texts, token_counts, strict=False)
        }
        frame = frame if is_within else base_count
        broken = [
            (first_part, second_part)
            for first_part, second_part in pairs
            if counts[first_part + second_part] != counts[first_part] + counts[second_part]
        ]
        breaks = "".join(
            character
            for character in UNUSUAL
            if any(character in first_part + second_part for first_part, second_part in broken)
        )
        broken_usual = [
            (first_part, second_part)
            for first_part, second_part in broken
            if not any(character in first_part + second_part for character in UNUSUAL)
        ]
        if not broken_usual:
            return Joints(not is_within, True, frame, breaks)
        joints = Joints(adds_up=False, within=False, frame=frame)
    return joints


def _adjacent_parts(
    before: Sequence[str], after: Sequence[str], words: Sequence[str]
) -> list[tuple[str, str]]:
    """Return pairs of parts that a menu may write in a row: two lines, or a line and a word."""
    lines = [(first_part, second_part) for first_part in before for second_part in after]
    return lines + [
        (first_part[:-1].rstrip(), second_part)
        for first_part in before
        for second_part in words
        if first_part[:-1].rstrip()
    ]


AROUND: Final = "x\nx"
"""The two lines between which `framed_text` puts a part."""


def framed_text(text: str) -> str:
    """Return a part between two lines; a word with a blank before it continues the first line."""
    before = "x" if text.startswith(" ") and not text.endswith("\n") else "x\n"
    return f"{before}{text}{'' if text.endswith(chr(10)) else chr(10)}x"


@runtime_checkable
class InParts(Protocol):
    """A tokenizer that counts in additive fractions of a token and rounds the total up."""

    @property
    def parts(self) -> int:
        """The number of parts in a token."""
        ...

    def parts_batch(self, texts: Sequence[str]) -> list[int]:
        """Count the parts of each text."""
        ...


@frozen
class Pricing:
    """How parts of a menu are priced, so that their sum is close to the count of the text."""

    scale: int
    """The number of units in a token."""
    frame: int
    """The units of a text in addition to its parts."""
    adds_up: bool
    """Whether the prices of parts add up to the count of the text, as in `Joints`."""
    breaks: str
    """Characters next to which they do not."""
    proves: bool
    """Whether sums are counts: the note on a cut has the same tokens for any number in it."""
    count: Callable[[Sequence[str]], list[int]]
    """Returns the price of each part, in units."""


def pricing_for(tokenizer: Tokenizer) -> Pricing:
    """Return how parts of a menu are priced for a tokenizer, after probing it if necessary."""
    if isinstance(tokenizer, InParts):
        return Pricing(tokenizer.parts, 0, True, "", False, tokenizer.parts_batch)
    joints = joints_of(tokenizer)
    if joints.adds_up and not joints.frame:
        proves = isinstance(tokenizer, Bpe) or _joins_digits(tokenizer)
        return Pricing(1, 0, True, joints.breaks, proves, tokenizer.count_batch)
    copies = 1 if joints.within else COPIES

    def count_without_frame(texts: Sequence[str]) -> list[int]:
        """Return the token counts of texts, each less the count of an empty text."""
        return [count - joints.frame for count in tokenizer.count_batch(texts)]

    def count_between_lines(texts: Sequence[str]) -> list[int]:
        """Return the tokens that `copies` of each text add between two lines."""
        *counts, count_around = tokenizer.count_batch(
            [*(framed_text(text * copies) for text in texts), AROUND]
        )
        return [max(0, count - count_around) for count in counts]

    if joints.adds_up:
        proves = _joins_digits(tokenizer)
        return Pricing(1, joints.frame, True, joints.breaks, proves, count_without_frame)
    return Pricing(copies, 0, False, joints.breaks, False, count_between_lines)


def _joins_digits(tokenizer: Tokenizer) -> bool:
    """Whether each number of up to three digits is one token, as in o200k.

    In glm4, 177 numbers of three digits are one token and the other 723 are two, so all are tried.
    """
    if isinstance(tokenizer, VendorTokenizer):
        return tokenizer.joins_digits
    return len(set(tokenizer.count_batch([f"> [+{n} items]\n" for n in range(1, 1000)]))) == 1
