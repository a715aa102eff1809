"""Changes to a configuration, proposed from some sessions and tried by replay on others.

Rules make proposals (the model, the kind of agent, how far back a repeat may refer, and settings
for a tool), and replay decides: sessions are split into parts, and each part is replayed with what
the other parts propose. A proposal is kept if it helps on sessions that it was not made from.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config import Config, Habits, effective
from mckp.agents.config.collect import AGENTS
from mckp.agents.config.files import merged_table
from mckp.agents.replay.actions import Compact, End, ModelRequest, Response
from mckp.agents.replay.run import replay
from mckp.agents.session.scopes import READING
from mckp.tokenizers.models import model_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mckp.agents.config import SessionSettings, ToolSettings
    from mckp.agents.replay.actions import Action
    from mckp.agents.replay.run import Played
    from mckp.api import TokenizerLike

    Table = dict[str, Any]

PARTS: Final = 5
"""The number of parts of the sessions; each part is left out once."""
LEAST_GAIN: Final = 0.005
"""The share of tokens that a change must save to be worth a line in a file."""
SHARE_OF_MODEL: Final = 0.8
"""A model is proposed if at least this share of the requests goes to it."""
FEWEST_CALLS: Final = 10
"""The fewest calls of a tool for which something may be proposed for it alone."""
FEWEST_USES: Final = 5
"""The fewest values of a tool that were used later for which a budget may be proposed."""
MOST_TOOLS: Final = 12
"""The number of tools, those with the most characters, that proposals are made for."""
BUDGETS: Final = (500, 1000, 2000, 4000)
DEPTHS: Final = (3, 10, 20)
LEAST_BODIES: Final = (0, 50)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change to a configuration, and its effect on sessions that it was not made from.

    Attributes
    ----------
    table : dict
        The change, as the table of a file.
    why : str
        The observation that it is based on.
    measure : str
        What `before` and `after` are: ``tokens``, or ``exact``, the number of requests whose model
        has the chosen tokenizer.
    before, after : int
        The sums over the sessions that were left out; for a tool, over its results.
    lost : int
        Values that were used later and that only the change loses.
    sessions : int
        The number of sessions that were left out and that the proposal was tried on.
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
        """The changed setting, as dotted keys."""
        return ".".join(_keys_of(self.table))

    @property
    def gains(self) -> bool:
        """Whether it helps: fewer tokens without losing what was used, or more exact counts."""
        if self.measure == "exact":
            return self.after > self.before
        return self.after < self.before * (1 - LEAST_GAIN) and self.lost <= 0


@dataclass(slots=True)
class Recorded:
    """A recorded session."""

    actions: list[Action] = field(default_factory=list["Action"])

    @property
    def responses(self) -> list[Response]:
        """The tool results of the session."""
        return [action for action in self.actions if isinstance(action, Response)]


def recorded_sessions(actions: Iterable[Action]) -> list[Recorded]:
    """Return the sessions in a log that have results."""
    sessions = [Recorded()]
    for action in actions:
        if isinstance(action, End):
            sessions.append(Recorded())
        else:
            sessions[-1].actions.append(action)
    return [session for session in sessions if session.responses]


def average_habits(sessions: Sequence[Recorded]) -> Habits:
    """Return average figures of sessions; all are 0 if there are none.

    `read_share` is the share of reads in the results of all sessions together.

    Examples
    --------
    >>> log = [Response("Read", "a", "x"), Response("Bash", "b", "y"), Compact()]
    >>> average_habits(recorded_sessions(log))
    Habits(results=2.0, compactions=1.0, read_share=0.5)
    """
    session_count = max(1, len(sessions))
    results_by_tool = Counter(
        response.tool for session in sessions for response in session.responses
    )
    compaction_count = sum(
        isinstance(action, Compact) for session in sessions for action in session.actions
    )
    result_count = results_by_tool.total()
    read_count = sum(count for tool, count in results_by_tool.items() if tool in READING)
    return Habits(
        result_count / session_count,
        compaction_count / session_count,
        read_count / max(1, result_count),
    )


class Tuner:
    """Makes proposals from sessions, and tries them on sessions that they were not made from.

    Parameters
    ----------
    sessions : sequence of Recorded
        At least two; otherwise none can be left out, and nothing is proposed.
    table : dict, optional
        The present configuration, as the table of a file.
    tokenizer : str, Tokenizer or callable, optional
        The tokenizer; by default that of the configuration.
    progress : callable, optional
        Called with the number of sessions that were replayed.
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
        self._config = Config.of_table(self._table)
        self._tokenizer = effective(self._config).tokenizer if tokenizer is None else tokenizer
        self._played: dict[tuple[int, str], Played] = {}
        self._progress = progress
        self._numbers = range(len(self._sessions))

    def proposals(self) -> Iterator[Proposal]:
        """Yield each proposal from all sessions, with its effect on sessions that were left out.

        Those that help are tried once more together, the best first: one that does not help in
        addition to the better ones gets the figures of that trial.
        """
        proposals = list(self._single_trials())
        helpful = [
            proposal for proposal in proposals if proposal.gains and proposal.measure == "tokens"
        ]
        together: Table = {}
        for proposal in sorted(helpful, key=lambda proposal: proposal.after - proposal.before):
            joined = merged_table(together, proposal.table)
            pairs = [
                (
                    self._played_with(session_number, together),
                    self._played_with(session_number, joined),
                )
                for session_number in self._numbers
            ]
            before, after = (
                sum(played.total.final for played in side) for side in zip(*pairs, strict=True)
            )
            if after < before:
                together = joined
            else:
                proposals[proposals.index(proposal)] = replace(proposal, before=before, after=after)
        yield from proposals

    def _single_trials(self) -> Iterator[Proposal]:
        """Yield each proposal with its effect by itself; none from fewer than two sessions."""
        part_count = min(PARTS, len(self._sessions))
        if part_count < 2:
            return
        by_part = [
            {
                proposal.key: proposal
                for proposal in self._propose(
                    [number for number in self._numbers if number % part_count != part]
                )
            }
            for part in range(part_count)
        ]
        for proposal in self._propose(list(self._numbers)):
            tried = replace(proposal)
            for part, by_key in enumerate(by_part):
                trained = by_key.get(proposal.key)
                if trained is not None:
                    left_out = [number for number in self._numbers if number % part_count == part]
                    tried = self._add_trial(tried, trained.table, left_out)
            yield tried

    def _add_trial(
        self, proposal: Proposal, table: Table, left_out_numbers: Sequence[int]
    ) -> Proposal:
        """Return a proposal, with the figures of more sessions that were left out added."""
        before, after, lost = self._trial_figures(proposal.measure, table, left_out_numbers)
        return replace(
            proposal,
            before=proposal.before + before,
            after=proposal.after + after,
            lost=proposal.lost + lost,
            sessions=proposal.sessions + len(left_out_numbers),
        )

    def _trial_figures(
        self, measure: str, table: Table, left_out_numbers: Sequence[int]
    ) -> tuple[int, int, int]:
        """Return the measure without and with a change, and how many used values only it loses."""
        if measure == "exact":
            model_counts = _model_counts(
                self._sessions[session_number] for session_number in left_out_numbers
            )
            current = effective(self._config).tokenizer
            pinned = effective(Config.of_table(merged_table(self._table, table))).tokenizer
            return (
                _requests_using(model_counts, current),
                _requests_using(model_counts, pinned),
                0,
            )
        pairs = [self._replay_pair(session_number, table) for session_number in left_out_numbers]
        before = sum(before_change.total.final for before_change, _ in pairs)
        after = sum(after_change.total.final for _, after_change in pairs)
        return before, after, sum(_newly_lost(*pair) for pair in pairs)

    def _played_with(self, session_number: int, table: Table) -> Played:
        """Return the replay of a session with a change; equal settings are replayed only once.

        For a change for one tool, the results of other tools are replaced with empty ones: only
        their calls matter, which show what was used.
        """
        settings = self._settings_with(table)
        (tool,) = names if len(names := _tools_of(table)) == 1 else (None,)
        session = self._sessions[session_number]
        tools = frozenset([tool] if tool else (response.tool for response in session.responses))
        key = session_number, repr((tool, _tool_settings(settings, tools)))
        if key not in self._played:
            actions = session.actions if tool is None else list(_actions_of_tool(session, tool))
            self._played[key] = replay(actions, settings, tokenizer=self._tokenizer)
            if self._progress is not None:
                self._progress(len(self._played))
        return self._played[key]

    def _replay_pair(self, session_number: int, table: Table) -> tuple[Played, Played]:
        """Return the replays of a session without and with a change, both of the same tools."""
        unchanged: Table = {"profiles": {"data": {tool: {} for tool in _tools_of(table)}}}
        return self._played_with(session_number, unchanged), self._played_with(
            session_number, table
        )

    def _settings_with(self, table: Table) -> SessionSettings:
        """Return the settings of the configuration with a change."""
        return effective(Config.of_table(merged_table(self._table, table))).settings

    def _propose(self, numbers: Sequence[int]) -> Iterator[Proposal]:
        """Yield the proposals of the numbered sessions, except those that change nothing."""
        sessions = [self._sessions[session_number] for session_number in numbers]
        for proposal in (
            *_propose_model(sessions),
            *self._propose_agent(sessions),
            *self._propose_depth(numbers),
            *self._propose_tool_settings(numbers),
        ):
            if effective(Config.of_table(merged_table(self._table, proposal.table))) != effective(
                self._config
            ):
                yield proposal

    def _propose_agent(self, sessions: Sequence[Recorded]) -> Iterator[Proposal]:
        """Yield a proposal of the kind of agent that fits the sessions' habits, if there is one."""
        averages = average_habits(sessions)
        if (name := effective(self._config, habits=averages).agent) in AGENTS:
            counts = f"{averages.results:.0f} results and {averages.compactions:.1f} compactions"
            why = f"{counts} a session"
            yield Proposal({"profiles": {"agent": {"active": name}}}, why)

    def _propose_depth(self, numbers: Sequence[int]) -> Iterator[Proposal]:
        """Yield a proposal for the number of results that a repeat may refer to, if one helps."""
        best = self._best_table([{"dedup": {"lru_size": depth}} for depth in DEPTHS], numbers)
        if best is not None:
            yield Proposal(best, "repeats of these sessions")

    def _propose_tool_settings(self, numbers: Sequence[int]) -> Iterator[Proposal]:
        """Yield proposals for each frequent tool: on references, the least size, and a budget."""
        calls, sizes = Counter[str](), Counter[str]()
        for number in numbers:
            for response in self._sessions[number].responses:
                calls[response.tool] += 1
                sizes[response.tool] += len(response.text)
        for tool, size in sizes.most_common(MOST_TOOLS):
            if calls[tool] < FEWEST_CALLS:
                continue
            why = f"{calls[tool]} results of {size // calls[tool]:,} characters on average"
            numbers_with_tool = [
                session_number
                for session_number in numbers
                if self._results_of(session_number, tool)
            ]
            settings_to_try: list[list[Table]] = [
                [{"near_ref_enabled": True}, {"references": False}],
                [{"min_body_chars": least} for least in LEAST_BODIES],
                [{"budget": budget} for budget in BUDGETS],
            ]
            for settings in settings_to_try:
                is_cut = "budget" in settings[0]
                longest = max(
                    len(response.text)
                    for session_number in numbers_with_tool
                    for response in self._results_of(session_number, tool)
                )
                # A text may have as many tokens as characters.
                tables: list[Table] = [
                    {"profiles": {"data": {tool: setting}}}
                    for setting in settings
                    if not is_cut or setting["budget"] < longest
                ]
                best = self._best_table(tables, numbers_with_tool, needs_uses=is_cut)
                if best is not None:
                    yield Proposal(best, why)

    def _results_of(self, number: int, tool: str) -> list[Response]:
        """Return the results of a tool in a session."""
        return [response for response in self._sessions[number].responses if response.tool == tool]

    def _best_table(
        self, tables: Sequence[Table], numbers: Sequence[int], *, needs_uses: bool = False
    ) -> Table | None:
        """Return the change that saves the most tokens and loses nothing, or None.

        With `needs_uses`, a change counts only if enough values of the sessions were used later,
        and the first change that loses none of them is returned.
        """
        best: tuple[int, Table] | None = None
        for table in tables:
            before = after = uses = 0
            for number in numbers:
                old_played, new_played = self._replay_pair(number, table)
                before, after = before + old_played.total.final, after + new_played.total.final
                uses += new_played.uses
                if _newly_lost(old_played, new_played) > 0:
                    break
            else:
                fewest = before if best is None else best[0]
                if after < fewest and (not needs_uses or uses >= FEWEST_USES):
                    best = after, table
                    if needs_uses:  # the smallest budget that loses nothing
                        break
        return None if best is None else best[1]


def _tools_of(table: Table) -> list[str]:
    """Return the names of the tools that a change is for; empty if it is for all."""
    is_for_some = list(table) == ["profiles"] and list(table["profiles"]) == ["data"]
    return list(table["profiles"]["data"]) if is_for_some else []


def _actions_of_tool(session: Recorded, tool: str) -> Iterator[Action]:
    """Yield the actions of a session, with the results of other tools emptied."""
    for action in session.actions:
        if isinstance(action, Response) and action.tool != tool:
            yield replace(action, text="")
        else:
            yield action


def _model_counts(sessions: Iterable[Recorded]) -> Counter[str]:
    """Return the number of requests to each model that is named."""
    actions = (action for session in sessions for action in session.actions)
    return Counter(
        action.model for action in actions if isinstance(action, ModelRequest) and action.model
    )


def _propose_model(sessions: Sequence[Recorded]) -> Iterator[Proposal]:
    """Yield a proposal of the model that gets nearly all requests, if its tokenizer is known."""
    model_counts = _model_counts(sessions)
    for name, count in model_counts.most_common(1):
        share = count / model_counts.total()
        if share >= SHARE_OF_MODEL and model_of(name) is not None:
            why = f"{share:.0%} of {model_counts.total():,} requests are to {name}"
            yield Proposal({"profiles": {"llm": {"active": name}}}, why, "exact")


def _requests_using(model_counts: Counter[str], tokenizer: str) -> int:
    """Return the number of requests to known models that use a tokenizer.

    `tokenizer` is its name, or that of a model.
    """
    from mckp import tokenizers

    name = tokenizers.get(tokenizer).name
    known = (model for model in model_counts if model_of(model) is not None)
    return sum(model_counts[model] for model in known if tokenizers.get(model).name == name)


def _newly_lost(before: Played, after: Played) -> int:
    """Return how many more of the values that were used later are lost after a change."""
    lost_before = before.uses - before.uses_kept if before.uses else 0
    return after.uses - after.uses_kept - lost_before


def _tool_settings(settings: SessionSettings, tools: frozenset[str]) -> list[ToolSettings]:
    """Return the settings that can affect the given tools, for comparison."""
    return [settings.of(tool) for tool in sorted(tools)]


def _keys_of(table: Table) -> Iterator[str]:
    """Yield the keys of a change, each before those of the table below it."""
    for name, value in table.items():
        yield name
        if isinstance(value, dict):
            yield from _keys_of(value)  # pyright: ignore[reportUnknownArgumentType]
