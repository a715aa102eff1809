"""Changes of a configuration, proposed from some sessions and tried by replay on others.

Rules make proposals (the model, the kind of agent, how far back a repeat may lie, and what holds
for a tool), replay decides: sessions are in parts, and each part is played with what the other
parts propose. A proposal is kept if it helps on the sessions that it was not made from.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config import Config, Habits, effective
from mckp.agents.config.effective import AGENTS
from mckp.agents.config.files import over
from mckp.agents.replay.actions import Asked, Compact, End, Response
from mckp.agents.replay.run import replay
from mckp.agents.session.scopes import READING
from mckp.tokenizers.models import model_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mckp.agents.config import SessionSettings
    from mckp.agents.replay.actions import Action
    from mckp.agents.replay.run import Played
    from mckp.api import TokenizerLike

    Table = dict[str, Any]

PARTS: Final = 5
"""Parts of the sessions; each is left out once."""
LEAST_GAIN: Final = 0.005
"""The share of tokens that a change has to save before it is worth a line in a file."""
SHARE_OF_MODEL: Final = 0.8
"""A model that this share of the requests is to is pinned."""
FEWEST_CALLS: Final = 10
"""Calls of a tool from which on something may hold for it alone."""
FEWEST_USES: Final = 5
"""Values of a tool that were used later from which on a budget may be proposed."""
MOST_TOOLS: Final = 12
"""Tools with the most characters, for which something is proposed."""
BUDGETS: Final = (500, 1000, 2000, 4000)
DEPTHS: Final = (3, 10, 20)
LEAST_BODIES: Final = (0, 50)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change of a configuration, with what it does to sessions that it was not made from.

    Attributes
    ----------
    table : dict
        The change, as the table of a file.
    why : str
        What was seen in sessions.
    measure : str
        What `before` and `after` are: ``tokens``, or ``exact``, the requests to models that the
        tokenizer is the one of.
    before, after : int
        The sums on the sessions that were left out; for a tool those of its results.
    lost : int
        Values that were used later and are left without the change alone.
    sessions : int
        How many sessions were left out and had a proposal.
    """

    table: Table
    why: str
    measure: str = "tokens"
    before: int = 0
    after: int = 0
    lost: int = 0
    sessions: int = 0

    @property
    def key(self) -> str:
        """What is changed, as dotted keys."""
        return ".".join(_keys(self.table))

    @property
    def gains(self) -> bool:
        """Whether it helps: fewer tokens and nothing lost that was used, or more exact counts."""
        if self.measure == "exact":
            return self.after > self.before
        return self.after < self.before * (1 - LEAST_GAIN) and self.lost <= 0


@dataclass(slots=True)
class Recorded:
    """One session: its actions, and what the rules look at."""

    actions: list[Action] = field(default_factory=list["Action"])

    @property
    def responses(self) -> list[Response]:
        """The results of tools."""
        return [action for action in self.actions if isinstance(action, Response)]


def recorded(actions: Iterable[Action]) -> list[Recorded]:
    """Return the sessions of a log that have results."""
    sessions = [Recorded()]
    for action in actions:
        if isinstance(action, End):
            sessions.append(Recorded())
        else:
            sessions[-1].actions.append(action)
    return [session for session in sessions if session.responses]


def habits(sessions: Sequence[Recorded]) -> Habits:
    """Return what sessions were like, on average.

    Examples
    --------
    >>> log = [Response("Read", "a", "x"), Response("Bash", "b", "y"), Compact()]
    >>> habits(recorded(log))
    Habits(results=2.0, compactions=1.0, read_share=0.5)
    """
    count = max(1, len(sessions))
    tools = Counter(response.tool for session in sessions for response in session.responses)
    compactions = sum(isinstance(a, Compact) for session in sessions for a in session.actions)
    results = tools.total()
    reads = sum(number for tool, number in tools.items() if tool in READING)
    return Habits(results / count, compactions / count, reads / max(1, results))


class Tuner:
    """Makes proposals from sessions, and tries them on sessions that they were not made from.

    Parameters
    ----------
    sessions : sequence of Recorded
        At least two, else nothing can be left out and nothing is proposed.
    table : dict, optional
        The configuration that holds, as the table of a file.
    tokenizer : str, Tokenizer or callable, optional
        Who counts; by default what the configuration says.
    progress : callable, optional
        Called with how many sessions were played.
    """

    def __init__(
        self,
        sessions: Sequence[Recorded],
        table: Table | None = None,
        *,
        tokenizer: TokenizerLike | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> None:
        self._sessions, self._table = list(sessions), table or {}
        self._now = Config.of_table(self._table)
        self._counter = effective(self._now).tokenizer if tokenizer is None else tokenizer
        self._played: dict[tuple[int, str], Played] = {}
        self._told = progress
        self._every = range(len(self._sessions))

    def proposals(self) -> Iterator[Proposal]:
        """Yield each proposal that all sessions make, with what it does where it was left out.

        Those that help are tried once more together, the best first: one that does not help beside
        the better ones has the figures of that.
        """
        proposals = list(self._alone())
        helpful = [
            proposal for proposal in proposals if proposal.gains and proposal.measure == "tokens"
        ]
        together: Table = {}
        for proposal in sorted(helpful, key=lambda proposal: proposal.after - proposal.before):
            joined = over(together, proposal.table)
            pairs = [(self._play(n, together), self._play(n, joined)) for n in self._every]
            before, after = (sum(p.total.final for p in side) for side in zip(*pairs, strict=True))
            if after < before:
                together = joined
            else:
                proposals[proposals.index(proposal)] = replace(proposal, before=before, after=after)
        yield from proposals

    def _alone(self) -> Iterator[Proposal]:
        """Yield each proposal with what it does by itself."""
        parts = min(PARTS, len(self._sessions))
        if parts < 2:
            return
        every = self._every
        by_part = [
            {
                proposed.key: proposed
                for proposed in self._proposed([n for n in every if n % parts != part])
            }
            for part in range(parts)
        ]
        for proposal in self._proposed(list(every)):
            tried = replace(proposal)
            for part, by_key in enumerate(by_part):
                same = by_key.get(proposal.key)
                if same is not None:
                    rest = [n for n in every if n % parts == part]
                    tried = self._tried(tried, same.table, rest)
            yield tried

    def _tried(self, proposal: Proposal, table: Table, rest: Sequence[int]) -> Proposal:
        """Return a proposal with the figures of some more sessions that were left out."""
        before, after, lost = self._figures(proposal.measure, table, rest)
        return replace(
            proposal,
            before=proposal.before + before,
            after=proposal.after + after,
            lost=proposal.lost + lost,
            sessions=proposal.sessions + len(rest),
        )

    def _figures(self, measure: str, table: Table, rest: Sequence[int]) -> tuple[int, int, int]:
        if measure == "exact":
            models = _models(self._sessions[n] for n in rest)
            current = effective(self._now).tokenizer
            pinned = effective(Config.of_table(over(self._table, table))).tokenizer
            return _counted_by(models, current), _counted_by(models, pinned), 0
        pairs = [self._pair(n, table) for n in rest]
        before = sum(before_change.total.final for before_change, _ in pairs)
        after = sum(after_change.total.final for _, after_change in pairs)
        return before, after, sum(_lost(*pair) for pair in pairs)

    def _play(self, number: int, table: Table) -> Played:
        """Return a session played with a change; one that changes nothing for it is played once.

        Of a change for one tool, the results of other tools are played as empty ones: only the
        calls matter, which show what was used.
        """
        settings = self._settings(table)
        (tool,) = names if len(names := _tools_of(table)) == 1 else (None,)
        session = self._sessions[number]
        tools = frozenset([tool] if tool else (response.tool for response in session.responses))
        key = number, repr((tool, _for_tools(settings, tools)))
        if key not in self._played:
            actions = session.actions if tool is None else list(_of_tool(session, tool))
            self._played[key] = replay(actions, settings, tokenizer=self._counter)
            if self._told is not None:
                self._told(len(self._played))
        return self._played[key]

    def _pair(self, number: int, table: Table) -> tuple[Played, Played]:
        """Return a session played without a change, and with it."""
        nothing: Table = {"profiles": {"data": {tool: {} for tool in _tools_of(table)}}}
        return self._play(number, nothing), self._play(number, table)

    def _settings(self, table: Table) -> SessionSettings:
        return effective(Config.of_table(over(self._table, table))).settings

    def _proposed(self, numbers: Sequence[int]) -> Iterator[Proposal]:
        """Yield what some sessions propose; without those that change nothing."""
        sessions = [self._sessions[n] for n in numbers]
        for proposal in (
            *_model(sessions),
            *self._agent(sessions),
            *self._depth(numbers),
            *self._tools(numbers),
        ):
            if effective(Config.of_table(over(self._table, proposal.table))) != effective(
                self._now
            ):
                yield proposal

    def _agent(self, sessions: Sequence[Recorded]) -> Iterator[Proposal]:
        seen = habits(sessions)
        if (name := effective(self._now, habits=seen).agent) in AGENTS:
            why = f"{seen.results:.0f} results and {seen.compactions:.1f} compactions a session"
            yield Proposal({"profiles": {"agent": {"active": name}}}, why)

    def _depth(self, numbers: Sequence[int]) -> Iterator[Proposal]:
        """Propose how many of the latest results a repeat may refer to."""
        best = self._best([{"dedup": {"lru_size": depth}} for depth in DEPTHS], numbers)
        if best is not None:
            yield Proposal(best, "repeats of these sessions")

    def _tools(self, numbers: Sequence[int]) -> Iterator[Proposal]:
        """Propose what holds for a tool: near references, the least size, and a budget."""
        calls, sizes = Counter[str](), Counter[str]()
        for number in numbers:
            for response in self._sessions[number].responses:
                calls[response.tool] += 1
                sizes[response.tool] += len(response.text)
        for tool, size in sizes.most_common(MOST_TOOLS):
            if calls[tool] < FEWEST_CALLS:
                continue
            why = f"{calls[tool]} results of {size // calls[tool]:,} characters on average"
            with_tool = [n for n in numbers if self._of(n, tool)]
            ways: list[list[Table]] = [
                [{"near_ref_enabled": True}, {"references": False}],
                [{"min_body_chars": least} for least in LEAST_BODIES],
                [{"budget": budget} for budget in BUDGETS],
            ]
            for way in ways:
                is_cut = "budget" in way[0]
                longest = max(len(r.text) for n in with_tool for r in self._of(n, tool))
                # A text of so many characters may have that many tokens.
                some = [table for table in way if not is_cut or table["budget"] < longest]
                tables: list[Table] = [{"profiles": {"data": {tool: table}}} for table in some]
                best = self._best(tables, with_tool, needs_uses=is_cut)
                if best is not None:
                    yield Proposal(best, why)

    def _of(self, number: int, tool: str) -> list[Response]:
        return [response for response in self._sessions[number].responses if response.tool == tool]

    def _best(
        self, tables: Sequence[Table], numbers: Sequence[int], *, needs_uses: bool = False
    ) -> Table | None:
        """Return the change with the fewest tokens that loses nothing; None if none has fewer."""
        best: tuple[int, Table] | None = None
        for table in tables:
            before = after = uses = 0
            for number in numbers:
                now, then = self._pair(number, table)
                before, after = before + now.total.final, after + then.total.final
                uses += then.uses
                if _lost(now, then) > 0:
                    break
            else:
                least = before if best is None else best[0]
                if after < least and (not needs_uses or uses >= FEWEST_USES):
                    best = after, table
                    if needs_uses:  # the smallest budget that loses nothing
                        break
        return None if best is None else best[1]


def _tools_of(table: Table) -> list[str]:
    """Return the tools that a change is for; none if it is for all."""
    is_for_some = list(table) == ["profiles"] and list(table["profiles"]) == ["data"]
    return list(table["profiles"]["data"]) if is_for_some else []


def _of_tool(session: Recorded, tool: str) -> Iterator[Action]:
    """Yield the actions of a session, with empty results of other tools."""
    for action in session.actions:
        if isinstance(action, Response) and action.tool != tool:
            yield replace(action, text="")
        else:
            yield action


def _models(sessions: Iterable[Recorded]) -> Counter[str]:
    """Return how often each model was asked."""
    actions = (action for session in sessions for action in session.actions)
    return Counter(action.model for action in actions if isinstance(action, Asked) and action.model)


def _model(sessions: Sequence[Recorded]) -> Iterator[Proposal]:
    """Propose the model that most requests are to, if its tokenizer is known."""
    models = _models(sessions)
    for name, number in models.most_common(1):
        share = number / models.total()
        if share >= SHARE_OF_MODEL and model_of(name) is not None:
            why = f"{share:.0%} of {models.total():,} requests are to {name}"
            yield Proposal({"profiles": {"llm": {"active": name}}}, why, "exact")


def _counted_by(models: Counter[str], tokenizer: str) -> int:
    """Return how many requests are to models that a tokenizer, or that of a model, counts for."""
    from mckp import tokenizers

    name = tokenizers.get(tokenizer).name
    known = (model for model in models if model_of(model) is not None)
    return sum(models[model_] for model_ in known if tokenizers.get(model_).name == name)


def _lost(before: Played, after: Played) -> int:
    """Return how many values that were used later a change costs."""
    kept = before.uses - before.uses_kept if before.uses else 0
    return after.uses - after.uses_kept - kept


def _for_tools(settings: SessionSettings, tools: frozenset[str]) -> list[Any]:
    """Return what of settings can matter to some tools."""
    per = [
        (tool, settings.policy(tool), settings.may_refer(tool), settings.may_differ(tool))
        for tool in sorted(tools)
    ]
    least = [(settings.min_body_chars_of(tool), settings.preferred(tool)) for tool in sorted(tools)]
    worth = [settings.salience.get(tool) for tool in sorted(tools)]
    whole = [settings.lru_size, settings.formats, settings.budget, settings.work_limit]
    rest = [settings.labels, settings.near_refs_most, settings.heeds_request]
    return [per, least, worth, whole, rest]


def _keys(table: Table) -> Iterator[str]:
    for name, value in table.items():
        yield name
        if isinstance(value, dict):
            yield from _keys(value)  # pyright: ignore[reportUnknownArgumentType]
