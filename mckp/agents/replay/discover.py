"""What recorded sessions of hosts cost by tool, and what mckp would have saved or lost."""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config.rules import RuleSource, ToolRule
from mckp.agents.config.settings import SessionSettings
from mckp.agents.host import HOSTS
from mckp.agents.places import path_of
from mckp.agents.replay.log import read_log
from mckp.agents.replay.run import Player, play
from mckp.agents.session.scopes import EDITS
from mckp.agents.telemetry.costs import Cost, ModelPrices
from mckp.errors import MckpError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from mckp.api import TokenizerLike

UNCHANGED_TOOLS: Final = ("Read", "NotebookRead", *sorted(EDITS), "apply_patch")
"""Tools of hosts whose results our hooks leave unchanged, because edits rely on them."""
_DAY_S: Final = 86_400
_MANY_USES: Final = 10
_MANY_REPEATS: Final = 3
_LITTLE: Final = 2.0
_MUCH_LOST: Final = 0.1


def session_folders() -> dict[str, Path]:
    """Return the folders in which hosts keep their sessions, by host; they may not exist."""
    return {host.title: path_of(host.sessions) for host in HOSTS.values() if host.sessions}


def session_files(places: Iterable[Path], most: int, days: int | None = None) -> list[Path]:
    """Return the newest session files among files and folders, sorted from old to new.

    There are at most `most`. If `days` is given, they were all written within that many days.
    """
    since = 0.0 if days is None else time.time() - days * _DAY_S
    times: dict[Path, float] = {}
    for place in places:
        for file in [place] if place.is_file() else sorted(place.rglob("*.jsonl")):
            if (modified := os.stat(file).st_mtime) >= since:
                times[file] = modified
    files = sorted(times, key=lambda file: (times[file], file))
    return files[max(0, len(files) - most) :]


@dataclass(slots=True, kw_only=True)
class ToolFigures:
    """Figures on the results of one tool, or of all tools.

    Attributes
    ----------
    results, repeats : int
        The number of results, and of those that were already in the context.
    before, shorter, after : int
        Their tokens as they came, when shortened without loss, and when cut to the budget.
    uses, kept : int
        Values in them that later calls used, and the number of these that the budget keeps.
    left_out : int
        Results recorded only as shortened by our hook or the host; not counted above.
    cost : Cost
        Their cost in dollars, with prompt caching.
    """

    results: int = 0
    repeats: int = 0
    before: int = 0
    shorter: int = 0
    after: int = 0
    uses: int = 0
    kept: int = 0
    left_out: int = 0
    cost: Cost = field(default_factory=Cost)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data that JSON can hold."""
        return {**asdict(self), "cost": {**asdict(self.cost), "saved": self.cost.saved}}


@dataclass(slots=True, kw_only=True)
class Discovery:
    """What was found in recorded sessions.

    Attributes
    ----------
    tools : dict of str to ToolFigures
        The figures by tool, the most expensive first.
    total : ToolFigures
        The figures of all tools together.
    sessions : int
        The number of sessions with results.
    budget : int or None
        The budget of one result.
    prices : ModelPrices
        The prices that the costs are based on.
    skipped : dict of str to str
        Files that could not be read, with the reason.
    """

    tools: dict[str, ToolFigures]
    total: ToolFigures
    sessions: int
    budget: int | None
    prices: ModelPrices
    skipped: dict[str, str] = field(default_factory=dict[str, str])

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain data that JSON can hold."""
        return {
            "sessions": self.sessions,
            "budget": self.budget,
            "prices": {**asdict(self.prices), "per_million": dict(self.prices.per_million)},
            "total": self.total.to_dict(),
            "tools": {name: tool_figures.to_dict() for name, tool_figures in self.tools.items()},
            "findings": self.findings(),
            "skipped": self.skipped,
        }

    def findings(self, most: int = 5) -> list[str]:
        """Return at most `most` sentences of advice, those on the tools that save most first."""
        sentences: list[tuple[float, str]] = []
        for name, tool_figures in self.tools.items():
            saved = tool_figures.cost.saved
            sentences.extend((saved, text) for text in self._advice_on(name, tool_figures))
        sentences.sort(key=lambda pair: -pair[0])
        return [text for _, text in sentences[:most]]

    def _advice_on(self, name: str, figures: ToolFigures) -> Iterator[str]:
        """Yield sentences on what mckp would save or lose on a tool's results.

        They also say what to do about it, if anything.
        """
        if figures.left_out and figures.left_out >= figures.results:
            yield (
                f"{name}: {figures.left_out} results were cut by the host or by a hook before they "
                "were recorded, so their costs and losses are unknown"
            )
        if not figures.before or name in UNCHANGED_TOOLS:
            return
        percent = 100 * (figures.before - figures.after) / figures.before
        lost = figures.uses - figures.kept
        if percent < _LITTLE:
            if figures.before > self.total.before / 10:
                yield f"{name}: nothing to save ({percent:.0f}%); leave it alone (--leave)"
        elif figures.uses >= _MANY_USES and lost > _MUCH_LOST * figures.uses:
            yield (
                f"{name}: later calls used {figures.uses} of its values, and {lost} of them would "
                f"be cut; give it more than {self.budget} tokens, or set exact = true in "
                f'[policies."{name}"]'
            )
        else:
            uncut_percent = max(0.0, 100 * (figures.before - figures.shorter) / figures.before)
            parts = [f"with nothing cut, {uncut_percent:.0f}% shorter"] if self.budget else []
            parts += (
                [f"{figures.kept} of {figures.uses} values used later are kept"]
                if figures.uses
                else []
            )
            yield (
                f"{name}: {figures.results} results, {figures.before:,} tokens in all, would be "
                f"{percent:.0f}% shorter, which saves ${figures.cost.saved:.2f} of "
                f"${figures.cost.before:.2f}" + "".join(f"; {part}" for part in parts)
            )
        if figures.repeats >= _MANY_REPEATS and figures.repeats * 4 >= figures.results:
            yield (
                f"{name}: {figures.repeats} of {figures.results} results were already in the "
                f"context; mckp would send references instead"
            )


def discover(
    files: Sequence[Path],
    settings: SessionSettings,
    *,
    prices: ModelPrices | None = None,
    tokenizer: TokenizerLike = "o200k",
    on_session: Callable[[int], object] | None = None,
) -> Discovery:
    """Replay recorded sessions, and return what their results cost and what would be saved.

    Reads of files and answers to edits stay as they are, as in our hooks. A session file that
    cannot be read is skipped. Results that hosts or hooks had shortened are only counted as such.

    Parameters
    ----------
    files : sequence of Path
        Session files, as `session_files` returns them.
    settings : SessionSettings
        How results would be written, with or without a budget.
    prices : ModelPrices, optional
        What tokens cost.
    tokenizer : str, Tokenizer or callable, default "o200k"
        What counts tokens.
    on_session : callable, optional
        Called with the number of files that are done.

    Raises
    ------
    MckpError
        If there are no files.
    """
    if not files:
        searched = ", ".join(f"{name} in {place}" for name, place in session_folders().items())
        raise MckpError(f"no sessions were found (looked for {searched}); name a PLACE")
    unchanged = [ToolRule({"leave": True}, name, RuleSource.BUILT_IN) for name in UNCHANGED_TOOLS]
    settings = SessionSettings(rules=[*unchanged, *settings.rules])
    player = Player(settings, tokenizer, prices)
    skipped: dict[str, str] = {}
    for number, file in enumerate(files, 1):
        try:
            play(
                list(read_log(file)), player
            )  # a list, so that nothing of a file with a later error is played
        except (MckpError, OSError) as error:
            skipped[str(file)] = str(error)
            player.end_session()
        if on_session is not None:
            on_session(number)
    return _discovery(player, settings.budget, skipped)


def _discovery(player: Player, budget: int | None, skipped: dict[str, str]) -> Discovery:
    """Return the figures of a player by tool and in total."""
    played = player.played
    tools: dict[str, ToolFigures] = {}
    for name in {*played.tools, *player.counts_by_tool}:
        counts, sums = player.counts_by_tool[name], played.tools.get(name)
        tools[name] = figures_of_tool = ToolFigures(
            uses=counts["uses"], kept=counts["kept"], left_out=counts["left_out"]
        )
        if sums is not None:
            figures_of_tool.results, figures_of_tool.repeats = sums.responses, sums.hits
            figures_of_tool.before, figures_of_tool.after = sums.baseline, sums.final
            figures_of_tool.shorter = sums.final + sums.cut
            figures_of_tool.cost = player.ledger.tools.get(name, Cost())
    ordered = dict(sorted(tools.items(), key=lambda item: (-item[1].cost.before, item[0])))
    total = ToolFigures(cost=player.ledger.total)
    for tool_figures in tools.values():
        for name in ("results", "repeats", "before", "shorter", "after", "uses", "kept"):
            setattr(total, name, getattr(total, name) + getattr(tool_figures, name))
        total.left_out += tool_figures.left_out
    return Discovery(
        tools=ordered,
        total=total,
        sessions=played.sessions,
        budget=budget,
        prices=player.ledger.prices,
        skipped=skipped,
    )
