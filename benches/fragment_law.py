"""How often the counts of parts add up to the count of the whole.

    python benches/fragment_law.py [--sequences 100000] [--quick] [--json OUT]

makes sequences of two to four parts from pieces that tokenizers are odd about: contractions, line
ends, blanks of all kinds, marks, scripts, digits, slashes and indentation. *fragments* keep the
fragment law; *lines* end with a line feed and keep nothing else of it; *any* are cut anywhere. A
sequence *misses* if the parts' counts do not add up; *over* and *under* say whether the sum is too
large or too small for the whole.
"""

from __future__ import annotations

import argparse
import sys
from random import Random
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.table import Table as Grid
from solver_figures import add_common, fill, store

from mckp.tokenizers import get, is_fragment

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PIECES: Final = (
    *("'s", "'S", "'t", "'ll", "'LL", "'ve", "'re", "'d", "'m", "'", '"', '","'),
    *("\r", "\n", "\r\n", "\n\n", " \n", "\t\n", "\n ", "\v", "\f"),
    *("\x85", "\xa0", "\u2003", "\u2028", "\u3000", "\x00", "\u200b", "\ufeff"),
    *("😀", "🇩🇪", "e\u0301", "\u0301", "中", "日本語", "한국", "שלום", "ǅ", "ʰ", "ß"),
    *("0", "12", "123", "1234", "²", "½", "/", "//", "/*", ";/", "\\", "|", " | ", "- ", ": "),
    *("{", "}", "](", "<|endoftext|>", " ", "  ", " " * 81, "\t", "\t\t"),
    *("a", "Z", "word", "camelCase", "UPPER", "don't", "snake_case"),
)
KINDS: Final[dict[str, Callable[[str], str | None]]] = {
    "fragments": lambda text: text + "\n" if is_fragment(text + "\n") else None,
    "lines": lambda text: text + "\n",
    "any": lambda text: text or None,
}
TOKENIZERS: Final = ("o200k", "cl100k")


def parts(random: Random, kind: str) -> list[str]:
    """Return a sequence of parts of a kind."""
    wanted, sequence = random.randint(2, 4), list[str]()
    while len(sequence) < wanted:
        part = KINDS[kind]("".join(random.choices(PIECES, k=random.randint(0, 12))))
        if part is not None:
            sequence.append(part)
    return sequence


def measure(name: str, kind: str, sequences: int) -> dict[str, Any]:
    """Return how many sequences of a kind miss."""
    tokenizer, random = get(name), Random(1)
    made = [parts(random, kind) for _ in range(sequences)]
    wholes = tokenizer.count_batch(["".join(sequence) for sequence in made])
    single = iter(tokenizer.count_batch([part for sequence in made for part in sequence]))
    differences = [
        sum(next(single) for _ in sequence) - whole
        for sequence, whole in zip(made, wholes, strict=True)
    ]
    over, under = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    figures = {"tokenizer": name, "parts": kind, "sequences": sequences, "misses": over + under}
    return figures | {"over": over, "under": under, "share": (over + under) / sequences}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and fail if the law does not hold."""
    parser = argparse.ArgumentParser(description="Count where counts of parts add up.")
    add_common(parser)
    parser.add_argument("--sequences", type=int, default=100_000)
    chosen = parser.parse_args(arguments)
    sequences = 500 if chosen.quick else chosen.sequences
    rows = [measure(name, kind, sequences) for name in TOKENIZERS for kind in KINDS]
    heads = tuple(rows[0])
    Console().print(fill(Grid(*heads), ([row[head] for head in heads] for row in rows)))
    store(chosen.json, {"rows": rows})
    return int(any(row["misses"] for row in rows if row["parts"] == "fragments"))


if __name__ == "__main__":
    sys.exit(main())
