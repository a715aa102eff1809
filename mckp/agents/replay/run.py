"""Replays a log through sessions, reads back what they deliver, and reports what is kept."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mckp import tokenizers
from mckp.agents.replay.actions import Compact, Edit, LeftOut, ModelRequest, Response
from mckp.agents.session import Reader, Savings, Session
from mckp.agents.session.classify import parsed_arguments
from mckp.agents.session.record import Tally
from mckp.agents.session.sender import ParsedResponse
from mckp.agents.telemetry.costs import Ledger, ModelPrices
from mckp.agents.telemetry.fields import Uses
from mckp.agents.telemetry.uses import result_part, survivals
from mckp.errors import MckpError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mckp.agents.replay.actions import Action
    from mckp.agents.session import Delivery, SessionSettings
    from mckp.agents.telemetry.uses import ConversationPart, Use
    from mckp.api import TokenizerLike
    from mckp.plain import JsonValue

MAX_FAILURES: Final = 20
"""The most failures that are described."""


@dataclass(slots=True, kw_only=True)
class Played(Tally):
    """The figures of a replay; uses are counted for results that have a budget."""

    restored: int = 0
    """The number of responses that could be read back from delivered texts, or recalled if cut."""
    uses: int = 0
    """The number of values in responses that later calls of the same session used."""
    uses_kept: int = 0
    """The number of these values that the delivered texts keep."""
    left_out: int = 0
    """The number of results that the log has only shortened; no other number includes them."""
    failures: list[str] = field(default_factory=list[str])
    """The first responses that could not be read back: number, tool and reason."""


class Player:
    """Replays actions, one session after the other.

    Attributes
    ----------
    played : Played
        The figures so far.
    ledger : Ledger
        What the results cost.
    counts_by_tool : mapping of str to Counter
        By tool, the numbers of values that were used later (``uses``), of those that are kept
        (``kept``), and of results that the log has only shortened (``left_out``).
    """

    def __init__(
        self, settings: SessionSettings, tokenizer: TokenizerLike, prices: ModelPrices | None = None
    ) -> None:
        self._settings, self._tokenizer = settings, tokenizers.get(tokenizer)
        self._has_budgets = settings.has_budgets
        self.played = Played(total=Savings(self._tokenizer.name, self._tokenizer.exact))
        self.ledger = Ledger(ModelPrices() if prices is None else prices)
        self.counts_by_tool: dict[str, Counter[str]] = defaultdict(Counter)
        self._begin_session()

    def _begin_session(self) -> None:
        """Begin a new session, without earlier results."""
        self._session = Session(self._settings, tokenizer=self._tokenizer, session_id="replayed")
        self._readers: dict[str, Reader] = {}
        self._contents: dict[ConversationPart, Any] = {}
        self._uses = Uses(on_used=self._count_uses)

    def _count_uses(self, part: ConversationPart, uses: list[Use]) -> None:
        """Count the values of a result that were used later, and those that its text keeps."""
        content = self._contents.pop(part, None)
        if uses and content is not None:
            self.played.uses += len(uses)
            kept = sum(survivals(uses, content))
            self.played.uses_kept += kept
            self.counts_by_tool[part.tool].update(uses=len(uses), kept=kept)

    def play(self, action: Action) -> None:
        """Replay the next action."""
        if isinstance(action, Response):
            self._deliver_response(action)
        elif isinstance(action, Edit):
            self._session.changed(action.file)
        elif isinstance(action, LeftOut):
            self.played.left_out += 1
            self.counts_by_tool[action.tool]["left_out"] += 1
        elif isinstance(action, ModelRequest):
            self.ledger.ask(action.agent, action.model)
        elif isinstance(action, Compact):
            self._session.compact(action.agent)
            self.ledger.close(action.agent)
            self._readers.pop(action.agent, None)
        else:
            self.end_session()

    def end_session(self) -> None:
        """End the session, and begin a new one."""
        self.played.sessions += self._session.savings.responses > 0
        self._uses.counts()
        self.ledger.close()
        self._begin_session()

    def _deliver_response(self, action: Response) -> None:
        """Deliver a response, and count what became of it."""
        args = parsed_arguments(action.args)
        delivery = self._session.add(
            tool=action.tool, args=args, text=action.text, file=action.file, agent=action.agent
        )
        hit = delivery.layer == "L0"
        self.ledger.note(action.agent, action.tool, delivery.baseline, delivery.tokens)
        self.played.note(action.tool, delivery.baseline, delivery.tokens, cut=delivery.cut, hit=hit)
        why = self._why_lost(action, args, delivery)
        if why is None:
            self.played.restored += 1
        elif len(self.played.failures) < MAX_FAILURES:
            number = self.played.total.responses
            self.played.failures.append(f"response {number} of {action.tool}: {why}")

    def _why_lost(self, action: Response, args: JsonValue, delivery: Delivery) -> str | None:
        """Return why a response cannot be read back from the delivered text, or None if it can.

        If there are budgets, the call, the response and what was read are kept to count later uses.
        """
        response = ParsedResponse.parse(action.text)
        reader = self._readers.setdefault(action.agent, Reader())
        try:
            content = reader.read(delivery.text)
            if self._has_budgets:
                part = result_part(action.tool, args, action.text)
                if self._settings.of(action.tool).limit is not None:
                    self._contents[part] = content
                self._uses.add_call(args)
                self._uses.add_parts([part])
            if not delivery.cut and not response.is_equal_to(content):
                return f"{delivery.name} says something else"
            if delivery.number is not None and self._session.recall(delivery.number) != action.text:
                return f"recalling #{delivery.number} gives something else"
        except MckpError as error:
            return str(error)
        return None


def replay(
    actions: Iterable[Action],
    settings: SessionSettings,
    *,
    tokenizer: TokenizerLike = "o200k",
    on_response: Callable[[int], object] | None = None,
) -> Played:
    """Replay a log through sessions with the given settings.

    Parameters
    ----------
    actions : iterable of actions
        The log.
    settings : SessionSettings
        The settings of the sessions.
    tokenizer : str, Tokenizer or callable, default "o200k"
        What counts tokens.
    on_response : callable, optional
        Called with the number of responses so far.

    Returns
    -------
    Played

    Examples
    --------
    >>> from mckp.agents.replay import Response, replay
    >>> from mckp.agents.session import SessionSettings
    >>> page = '{"id":7,"state":"open"}' * 40
    >>> log = [Response("search", "page 1", page) for _ in range(2)]
    >>> played = replay(log, SessionSettings())
    >>> played.total.responses, played.restored
    (2, 2)
    """
    return play(actions, Player(settings, tokenizer), on_response).played


def play(
    actions: Iterable[Action], player: Player, on_response: Callable[[int], object] | None = None
) -> Player:
    """Replay a whole log with a player, and return the player; see `replay`."""
    for action in actions:
        player.play(action)
        if on_response is not None and isinstance(action, Response):
            on_response(player.played.total.responses)
    player.end_session()
    player.played.sort()
    return player
