"""Many conversations at once: what was delivered of each is looked up, not encoded again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.messages.recall import recalled
from mckp.messages.recent import Recent
from mckp.messages.transcript import Rules, Transcript, key_after

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from mckp.messages.options import Options
    from mckp.messages.result import ToolText
    from mckp.session import Session

MOST: Final = 64
"""Conversations that are remembered."""


class Transcripts:
    r"""Delivers the tool results of any number of conversations, each told in full.

    The longest beginning that is known is taken up, and only what follows it is encoded. What
    is not known any more is worked out again, to the same texts. Threads may share this.

    Parameters
    ----------
    **options : Options
        How results are written: settings, budget, tokenizer, templates, tools to leave alone.

    Examples
    --------
    >>> from mckp.messages import ToolText
    >>> log = "\n".join(f"step {n} of the build is done" for n in range(12))
    >>> found = [ToolText("build", log), ToolText("build", log)]
    >>> print(Transcripts().texts(found)[1])
    > [ref #1]
    (the same text as #1 above)
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        self.rules = Rules.of(**options)
        self._known = Recent[bytes, Transcript](MOST)

    def texts(self, results: Sequence[ToolText]) -> list[str]:
        """Return what to send for all results of a conversation, in its order."""
        return self._transcript(results)[1]

    def session(self, results: Sequence[ToolText]) -> Session:
        """Return the session of a conversation, which recalls, and knows what was saved."""
        return self._transcript(results)[0]

    def recall(
        self, results: Sequence[ToolText], number: int | str, path: str = "", skip: int = 0
    ) -> str:
        """Return what a label or reference stands for, or what is wrong with it.

        Parameters
        ----------
        results : sequence of ToolText
            The conversation.
        number : int or str
            The number, or a text such as ``#3``.
        path : str, optional
            A place in its data, such as ``$.jobs[3]``.
        skip : int
            Items, or lines of a text, to leave out at the beginning.
        """
        return recalled(self.session(results), self.rules, number, path, skip)

    def _transcript(self, results: Sequence[ToolText]) -> tuple[Session, list[str]]:
        keys = [b""]
        for result in results:
            keys.append(key_after(keys[-1], result))
        transcript = self._taken(keys)
        for result in results[len(transcript.texts) :]:
            transcript.add(result)
        found = transcript.session, list(transcript.texts)
        self._known.put(transcript.key, transcript, transcript.size)
        return found

    def _taken(self, keys: list[bytes]) -> Transcript:
        """Return the longest known beginning, which nobody else has meanwhile."""
        found = (self._known.take(key) for key in reversed(keys[1:]))
        return next(filter(None, found), None) or Transcript(self.rules)
