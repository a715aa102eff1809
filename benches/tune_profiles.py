"""What tuning saves on made-up sessions of each kind, also on sessions it has not seen.

    python benches/tune_profiles.py [--events 600] [--seeds 3] [--json OUT]

replays each profile's sessions through `mckp.session` as they are by default and as tuned on them,
then *other* sessions of the kind under the same two configurations. *spoiled* begins with a
configuration in which an earlier run switched every endpoint off. All that is delivered is read
back. Figures are shares of tokens, as sums over the seeds, against compact JSON.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.progress import track
from rich.table import Table
from solver_figures import add_common, store

from mckp.config import Config
from mckp.config.tuner import Layer, LayerSavings
from mckp.replay import PROFILES, Response, generate, replay, settings_for
from mckp.replay.tuning import tune_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mckp.replay import Action

    Log = Callable[[], Iterable[Action]]

_CASES: Final = (
    "default",
    "tuned",
    "spoiled",
    "spoiled, tuned",
    "others, default",
    "others, tuned",
)
_COLUMNS: Final = ("exact", "near", "dedup", "encoder", "combined")


def played(log: Log, table: dict[str, Any]) -> LayerSavings:
    """Replay a log, and make sure that all of it can be read back."""
    tools = sorted({each.tool for each in log() if isinstance(each, Response)})
    found = replay(log(), settings_for(Config.of_table(table), tools))
    assert found.restored == found.responses, found.failures
    return found.savings


def spoiled(log: Log) -> dict[str, Any]:
    """Return a configuration that refers to nothing that is in a log."""
    tools = sorted({each.tool for each in log() if isinstance(each, Response)})
    return {"endpoint_overrides": {tool: {"dedup_enabled": False} for tool in tools}}


def cases(profile: str, seed: int, events: int) -> dict[str, LayerSavings]:
    """Return the savings of one seed's sessions."""
    log, others = (partial(generate, profile, each, events) for each in (seed, seed + 1000))
    tuned, bad = tune_log(log, {}), spoiled(log)
    again = tune_log(log, bad)
    tables: list[tuple[Log, dict[str, Any]]] = [
        (log, {}),
        (log, tuned.table),
        (log, bad),
        (log, again.table),
        (others, {}),
        (others, tuned.table),
    ]
    found = {case: played(*each) for case, each in zip(_CASES, tables, strict=True)}
    for better, worse in (("tuned", "default"), ("spoiled, tuned", "spoiled")):
        assert found[better].tokens <= found[worse].tokens, f"{profile} {seed}: {better} is worse"
    return found


def added(one: LayerSavings, other: LayerSavings) -> LayerSavings:
    """Return the sum of both."""
    found = LayerSavings()
    for each in (one, other):
        for endpoint, layers in each.sums.items():
            for layer in Layer:
                found.sums[endpoint][layer].add(layers[layer])
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Tune on each profile, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=600)
    parser.add_argument("--seeds", type=int, default=3)
    add_common(parser)
    arguments = parser.parse_args(argv)
    if arguments.quick:
        arguments.events = 30
    table = Table("profile", "case", "tokens", *_COLUMNS)
    stored: list[dict[str, Any]] = []
    for profile in track(list(PROFILES), console=Console(stderr=True)):
        sums = {case: LayerSavings() for case in _CASES}
        for seed in range(1, arguments.seeds + 1):
            for case, found in cases(profile, seed, arguments.events).items():
                sums[case] = added(sums[case], found)
        for case, found in sums.items():
            shares = {name: round(100 * getattr(found, name), 1) for name in _COLUMNS}
            table.add_row(profile, case, f"{found.tokens:,}", *map(str, shares.values()))
            stored.append({"profile": profile, "case": case, "tokens": found.tokens, **shares})
    Console().print(table)
    store(arguments.json, {"events": arguments.events, "seeds": arguments.seeds, "rows": stored})
    return 0


if __name__ == "__main__":
    sys.exit(main())
