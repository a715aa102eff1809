"""Marks from telemetry: what its events say of repeats and encoders, without any text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from mckp.config.tuner.marks import KNAPSACK, RAW, Changed, Compacted, Ended, Mark, Seen
from mckp.config.tuner.simulate import LABEL_TOKENS, NUMBER_TOKENS
from mckp.jsontext import is_object
from mckp.session.scopes import EDITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from os import PathLike

_NEEDED: Final = {
    "session_hash": str,
    "tool_name_anon": str,
    "content_sha_prefix": str,
    "tokens_baseline": int,
}
_USED: Final = {
    **_NEEDED,
    **dict.fromkeys(("shape", "layer_used", "template_id", "file_path_hash"), str),
    **dict.fromkeys(("tokens_final", "response_chars", "context_partition", "cols", "depth"), int),
    "inner_formats": list,
}


def is_event(record: object) -> bool:
    """Whether a line of JSON is an event of telemetry, as far as is looked at here.

    Examples
    --------
    >>> is_event({"do": "end"})
    False
    """
    if not is_object(record) or not all(name in record for name in _NEEDED):
        return False
    inner = record.get("inner_formats", ())
    right = (isinstance(record[name], kind) for name, kind in _USED.items() if name in record)
    return all(right) and all(isinstance(each, str) for each in inner)


def read_events(place: str | PathLike[str]) -> Iterator[dict[str, Any]]:
    """Read the events in a file, or in all files below a folder; other lines are passed over.

    Parameters
    ----------
    place : path
        A file of JSON lines, or a folder.

    Yields
    ------
    dict
    """
    root = Path(place)
    for file in [root] if root.is_file() else sorted(root.rglob("*.jsonl")):
        with file.open("rb") as lines:
            for line in lines:
                record = _known(line)
                if is_event(record):
                    yield record


def _known(line: bytes) -> Any:
    """Return what a line says, of an object what is not null; None if it is no JSON."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    if not is_object(record):
        return record
    return {name: value for name, value in record.items() if value is not None}


def marks_of_events(events: Iterable[Mapping[str, Any]]) -> Iterator[Mark]:
    """Turn events into marks, a session after the other as they come.

    An event says how many tokens its encoder took only where it was not a reference; of one
    that was, the text's first event tells. Near repeats are not in events, so nothing is
    concluded about them; nor is what a shell changed, so repeats after that count as repeats.

    Parameters
    ----------
    events : iterable of mapping
        As telemetry writes them, the events of a session one after the other.

    Yields
    ------
    Mark
    """
    session, partitions, ways = "", dict[int, int](), dict[str, dict[str, int]]()
    numbers: dict[object, int] = {}
    for event in events:
        if event["session_hash"] != session:
            if session:
                yield Ended()
            session, partitions = event["session_hash"], {}
        agent, partition = int(bool(event.get("is_sidechain"))), event.get("context_partition", 0)
        if partitions.setdefault(agent, partition) != partition:
            partitions[agent] = partition
            yield Compacted(agent)
        yield from _event_marks(event, agent, ways, numbers)
    if session:
        yield Ended()


def _event_marks(
    event: Mapping[str, Any],
    agent: int,
    ways: dict[str, dict[str, int]],
    numbers: dict[object, int],
) -> Iterator[Mark]:
    tool, content = event["tool_name_anon"], event["content_sha_prefix"]
    file = numbers.setdefault(("file", event.get("file_path_hash")), len(numbers))
    if tool in EDITS:
        yield Changed(frozenset({file}))
    known = ways.get(content)
    if known is None or event.get("layer_used") != "L0":
        known = ways[content] = {**(known or {}), **_ways(event)}
    yield Seen(
        tool,
        agent,
        content=numbers.setdefault(("content", content), len(numbers)),
        call=file,
        source=file,
        chars=event.get("response_chars", 0),
        baseline=event["tokens_baseline"],
        ways=known,
        shape=event.get("shape", "unknown"),
        inner=frozenset(event.get("inner_formats", ())),
        columns=event.get("cols") or 0,
        depth=event.get("depth") or 0,
    )


def _ways(event: Mapping[str, Any]) -> dict[str, int]:
    """Return the tokens by way that an event tells, the line above taken off."""
    found, final = {RAW: event["tokens_baseline"]}, event.get("tokens_final", 0)
    layer = event.get("layer_used")
    if layer == "L1" and event.get("template_id"):
        found[event["template_id"]] = max(0, final - NUMBER_TOKENS)
    elif layer == "L2":
        found[KNAPSACK] = max(0, final - NUMBER_TOKENS)
    elif layer == "L3":
        found[RAW] = max(0, final - LABEL_TOKENS) if final > event["tokens_baseline"] else final
    return found
