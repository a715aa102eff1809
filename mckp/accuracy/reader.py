"""Who answers: what readers are given, and what they return."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from mckp.accuracy.query import Question
    from mckp.accuracy.writing import Writing

_NOTES: Final = (
    "`name[20]{a b}` heads 20 records with the fields a and b, one a line or with `;` between; "
    "`{7}` heads 7 members, one a line. A line such as `> [+18 of 20 rows]` says what was left out."
)
_JSON: Final = "A line such as `> [+18 of 20 rows]` says what was left out."
_RULES: Final = """\
Answer with the value alone: no sentence, no unit, no thousands separators. Write yes or no for \
what is true or false, lists with commas between. If the data does not tell, because it is not \
there or was left out, answer: unknown"""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question about one text."""

    question: Question
    writing: Writing

    @property
    def parts(self) -> tuple[str, str]:
        """What a model is given: what all questions about a text begin with, and the rest."""
        notes = _JSON if self.writing.way.startswith("json") else _NOTES
        head = f"Here is data. {notes}\n\n{self._fenced}\n\n"
        return head, f"Question: {self.question.prompt}\n\n{_RULES}"

    @property
    def brief(self) -> tuple[str, str]:
        """The same without notes and rules, which models of few parameters repeat or refuse by."""
        head = f"Read this data:\n\n{self._fenced}\n\n"
        return head, f"{self.question.prompt} Answer with the value alone."

    @property
    def prompt(self) -> str:
        """What a model is given, in one."""
        return "".join(self.parts)

    @property
    def _fenced(self) -> str:
        longest = max(map(len, re.findall("`+", self.writing.text)), default=0)
        fence = "`" * max(3, longest + 1)
        text = self.writing.text.removesuffix("\n")
        return f"{fence}\n{text}\n{fence}"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a reader wrote.

    Attributes
    ----------
    text : str
        The answer.
    prompt_tokens, completion_tokens : int
        What was paid for, as the reader counts.
    cut : bool
        Whether the answer was ended by a limit.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut: bool = False


class Reader(Protocol):
    """Who answers questions.

    Attributes
    ----------
    name : str
        What answers are kept under; readers that would answer differently differ in it.
    """

    @property
    def name(self) -> str: ...

    def read(self, asked: Asked) -> Reply:
        """Answer one question.

        Raises
        ------
        ReaderError
            If there is no answer to this one.
        UnusableReaderError
            If there would be none to any.
        """
        ...
