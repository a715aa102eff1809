"""Statistics about tools from sessions, fit for sharing: fields, sizes, repeats and kinds.

They contain no texts, arguments or values. What occurs in fewer than five sessions is left out, so
that nobody can be identified (L. Sweeney, k-anonymity: a model for protecting privacy, 2002).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from mckp.agents.replay.actions import End, Response
from mckp.agents.replay.learning import used_in
from mckp.agents.session.classify import response_kind
from mckp.agents.telemetry.fields import count_votes
from mckp.errors import MckpError, import_extra
from mckp.jsontext import dump, is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    from mckp.agents.replay.actions import Action

VERSION: Final = 1
FEWEST_SESSIONS: Final = 5
"""The fewest sessions that must show a tool, or a field of one, before it is written."""
MOST_OF_PROVIDER: Final = 0.4
"""The greatest share of the sessions of a tool that may come from providers."""
COUNTS: Final = ("results", "expected", "used")
_NUMBERS: Final = ("sessions", "calls", "characters", "repeats")


@dataclass(slots=True)
class Fingerprint:
    """Figures on one tool from sessions; they may be weighted, so they are floats.

    Attributes
    ----------
    sessions, calls : float
        Sessions with the tool, and its results in them.
    characters : float
        Characters of all results.
    repeats : float
        Results equal to an earlier one of the same session.
    kinds : dict
        Results by kind: ``json``, ``markdown``, or a kind of text such as ``log``.
    fields : dict
        By field, the sessions that show it, and the counts of
        `mckp.agents.telemetry.fields.count_votes`.
    """

    sessions: float = 0.0
    calls: float = 0.0
    characters: float = 0.0
    repeats: float = 0.0
    kinds: dict[str, float] = field(default_factory=dict[str, float])
    fields: dict[str, dict[str, float]] = field(default_factory=dict[str, dict[str, float]])

    def add(self, other: Fingerprint, weight: float = 1.0) -> None:
        """Add the figures of another fingerprint, times a weight."""
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name) + weight * getattr(other, name))
        for kind, number in other.kinds.items():
            self.kinds[kind] = self.kinds.get(kind, 0.0) + weight * number
        for path, counts in other.fields.items():
            sums = self.fields.setdefault(path, {})
            for name, number in counts.items():
                sums[name] = sums.get(name, 0.0) + weight * number

    def to_dict(self) -> dict[str, Any]:
        """Return the fingerprint as plain data, with numbers rounded to six significant digits."""
        plain: dict[str, Any] = {name: _six_digits(getattr(self, name)) for name in _NUMBERS}
        plain["kinds"] = {name: _six_digits(number) for name, number in sorted(self.kinds.items())}
        plain["fields"] = {
            path: {name: _six_digits(number) for name, number in counts.items()}
            for path, counts in sorted(self.fields.items())
        }
        return plain


Tools = dict[str, Fingerprint]


def fingerprints(actions: Iterable[Action], fewest: int = FEWEST_SESSIONS) -> Tools:
    """Return the fingerprints of tools, without what fewer than `fewest` sessions show.

    Examples
    --------
    >>> log = [Response("find", "{}", '[{"id": 70412}]'), Response("get", "[70412]", ""), End()] * 5
    >>> by_tool = fingerprints(log)
    >>> by_tool["find"].calls, by_tool["find"].fields["[*].id"]["used"], fingerprints(log[:12])
    (5.0, 5.0, {})
    """
    by_tool: Tools = {}
    responses: list[Response] = []
    for action in (*actions, End()):
        if isinstance(action, Response):
            responses.append(action)
        elif isinstance(action, End):
            for tool, session_fingerprint in _session_fingerprints(responses).items():
                by_tool.setdefault(tool, Fingerprint()).add(session_fingerprint)
            responses = []
    frequent = {
        tool: fingerprint for tool, fingerprint in by_tool.items() if fingerprint.sessions >= fewest
    }
    for fingerprint in frequent.values():
        fingerprint.fields = {
            field_path: counts
            for field_path, counts in fingerprint.fields.items()
            if counts["sessions"] >= fewest
        }
    return dict(sorted(frequent.items()))


def _session_fingerprints(responses: Sequence[Response]) -> Tools:
    """Return the fingerprints of the tools in one session."""
    by_tool: Tools = {}
    seen = set[tuple[str, str]]()
    for response in responses:
        fingerprint = by_tool.setdefault(response.tool, Fingerprint(sessions=1.0))
        fingerprint.calls += 1
        fingerprint.characters += len(response.text)
        fingerprint.repeats += (response.agent, response.text) in seen
        seen.add((response.agent, response.text))
        kind = response_kind(response.text)
        fingerprint.kinds[kind] = fingerprint.kinds.get(kind, 0.0) + 1
    for use in used_in(responses):
        fields = by_tool[use.tool].fields
        for path, counts in count_votes(use.payload, use.uses).items():
            own_counts = fields.setdefault(path, {"sessions": 1.0})
            for name, number in counts.items():
                own_counts[name] = own_counts.get(name, 0.0) + number
    return by_tool


def merged_files(
    own: Sequence[Tools],
    weights: Sequence[float] | None = None,
    providers: Sequence[Tools] = (),
    most: float = MOST_OF_PROVIDER,
) -> Tools:
    """Return several files of fingerprints merged into one.

    Parameters
    ----------
    own : sequence of Tools
        One's own, or those of a team. Each session counts equally, times the weight of its file.
    weights : sequence of float, optional
        A weight for each file.
    providers : sequence of Tools
        What providers say of their tools. All of them together make up at most the share `most` of
        the sessions of a tool; if nobody else has seen it, they are multiplied by `most`.

    Raises
    ------
    ValueError
        If the number of weights differs, or one is not a finite number above 0.

    Examples
    --------
    >>> ours, theirs = Fingerprint(sessions=6.0), Fingerprint(sessions=1000.0)
    >>> round(merged_files([{"find": ours}], providers=[{"find": theirs}])["find"].sessions, 6)
    10.0
    """
    file_weights = [1.0] * len(own) if weights is None else list(weights)
    if len(file_weights) != len(own) or not all(
        0 < weight < float("inf") for weight in file_weights
    ):
        raise ValueError(
            f"expected one weight above 0 for each of {len(own)} files, got {file_weights}"
        )
    local_tools: Tools = {}
    for tools, weight in zip(own, file_weights, strict=True):
        for tool, fingerprint in tools.items():
            local_tools.setdefault(tool, Fingerprint()).add(fingerprint, weight)
    provider_tools: Tools = {}
    for tools in providers:
        for tool, fingerprint in tools.items():
            provider_tools.setdefault(tool, Fingerprint()).add(fingerprint)
    for tool, fingerprint in provider_tools.items():
        local_sessions = local_tools.setdefault(tool, Fingerprint()).sessions
        limit = (
            local_sessions * most / (1 - most) if local_sessions else most * fingerprint.sessions
        )
        local_tools[tool].add(
            fingerprint, min(1.0, limit / fingerprint.sessions) if fingerprint.sessions else 0.0
        )
    return dict(sorted(local_tools.items()))


def counts_of(tools: Tools, tool: str) -> list[Mapping[str, Any]]:
    """Return a list with the counts of a tool's fields by path; empty for an unknown tool.

    `mckp.agents.replay.learning` takes such lists.
    """
    fingerprint = tools.get(tool)
    if fingerprint is None:
        return []
    return [
        {
            field_path: {count_name: field_counts.get(count_name, 0.0) for count_name in COUNTS}
            for field_path, field_counts in fingerprint.fields.items()
        }
    ]


def file_content(tools: Tools, file: str | PathLike[str]) -> bytes:
    """Return the content of a file of fingerprints: Parquet if its name says so, else JSON."""
    if Path(file).suffix != ".parquet":
        document = {
            "fingerprints": VERSION,
            "tools": {tool: fingerprint.to_dict() for tool, fingerprint in tools.items()},
        }
        return (dump(document) + "\n").encode()
    arrow, parquet = _arrow_modules()
    rows = [
        row
        for tool, fingerprint in tools.items()
        for row in _parquet_rows(tool, fingerprint.to_dict())
    ]
    table = arrow.Table.from_pylist(rows, schema=_parquet_schema(arrow))
    sink = arrow.BufferOutputStream()
    parquet.write_table(table.replace_schema_metadata({"fingerprints": str(VERSION)}), sink)
    return bytes(sink.getvalue())


def read(file: str | PathLike[str]) -> Tools:
    """Read a file of fingerprints.

    Raises
    ------
    MckpError
        If it is not such a file, or of a newer version.
    MissingExtraError
        If it is a Parquet file and pyarrow is missing.
    """
    path = Path(file)
    try:
        document = (
            _read_parquet(path) if path.suffix == ".parquet" else orjson.loads(path.read_bytes())
        )
    except ValueError as error:  # JSON and Arrow both raise it
        raise MckpError(f"{path}: this is not a file from mckp tune export: {error}") from None
    version = document.get("fingerprints") if is_object(document) else None
    if type(version) is int and version > VERSION:
        raise MckpError(
            f"{path}: version {version} is newer than {VERSION}, the newest this mckp can "
            "read; upgrade mckp"
        )
    if version != VERSION or not is_object(document.get("tools")):
        raise MckpError(f"{path}: this is not a file from mckp tune export")
    return {
        str(tool): _read_fingerprint(plain, f"{path}: {tool}")
        for tool, plain in document["tools"].items()
    }


def _read_fingerprint(plain: Any, place: str) -> Fingerprint:
    """Return a fingerprint from plain data; raise an `MckpError` that begins with `place`."""
    try:
        numbers = {name: float(plain[name]) for name in _NUMBERS}
        kinds = {str(name): float(number) for name, number in plain["kinds"].items()}
        fields = {
            str(path): {str(name): float(number) for name, number in counts.items()}
            for path, counts in plain["fields"].items()
        }
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise MckpError(f"{place}: a value is wrong or missing: {error}") from None
    return Fingerprint(**numbers, kinds=kinds, fields=fields)


def _arrow_modules() -> tuple[Any, Any]:
    """Return pyarrow and its Parquet module; raise a `MissingExtraError` without them."""
    return import_extra("pyarrow", "pyarrow", "frames"), import_extra(
        "pyarrow.parquet", "pyarrow", "frames"
    )


def _parquet_schema(arrow: Any) -> Any:
    """Return the columns of a Parquet file of fingerprints, as an Arrow schema."""
    names = ("sessions", *COUNTS)
    return arrow.schema(
        [
            ("tool", arrow.string()),
            *((name, arrow.float64()) for name in _NUMBERS),
            ("kinds", arrow.map_(arrow.string(), arrow.float64())),
            ("field", arrow.string()),
            *((f"field_{name}", arrow.float64()) for name in names),
        ]
    )


def _parquet_rows(tool: str, plain: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each field of a tool's plain fingerprint, or one row if it has none."""
    head = {
        "tool": tool,
        **{name: plain[name] for name in _NUMBERS},
        "kinds": [*plain["kinds"].items()],
    }
    fields = plain["fields"].items()
    return [
        {
            **head,
            "field": path,
            **{f"field_{name}": count for name, count in counts.items()},
        }
        for path, counts in fields
    ] or [head]


def _read_parquet(path: Path) -> dict[str, Any]:
    """Return the plain data in a Parquet file, with None if it has no valid version."""
    _, parquet = _arrow_modules()
    table = parquet.read_table(path)
    metadata: dict[bytes, bytes] = table.schema.metadata or {}
    version = metadata.get(b"fingerprints", b"")
    tools: dict[str, Any] = {}
    for row in table.to_pylist():
        plain = tools.setdefault(row.get("tool"), {name: row.get(name) for name in _NUMBERS})
        kinds = row.get("kinds")
        plain["kinds"] = dict(kinds) if is_array(kinds) else {}
        fields = plain.setdefault("fields", {})
        if row.get("field") is not None:
            fields[row["field"]] = {
                count_name: row[f"field_{count_name}"] for count_name in ("sessions", *COUNTS)
            }
    return {"fingerprints": int(version) if version.isdigit() else None, "tools": tools}


def _six_digits(number: float) -> float:
    """Return a number rounded to six significant digits."""
    return float(f"{number:.6g}")
