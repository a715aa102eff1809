"""Measures how well a model calls tools whose definitions it reads in different renderings.

Tool selection accuracy is the share of tasks with the right tool. The F1 of parameters compares the
leaves of the arguments by path and value, and is 0 for a wrong tool. The score is .6 times the
former plus .4 times the latter (the measure of the TSCG paper). Renderings are compared on the same
tasks.
"""

from __future__ import annotations

import json
import random
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mckp import tokenizers
from mckp.accuracy.paired import LEVEL, Pairs, grouped_interval, wilson
from mckp.accuracy.reader import Reply
from mckp.accuracy.running import replies
from mckp.display.blocks import aligned_lines
from mckp.errors import DataError, UnknownNameError
from mckp.jsontext import canonical, dump, is_array, is_object
from mckp.tools import encode_tools
from mckp.tools.calls import Call, check_arguments, manual, read_calls, write_call
from mckp.tools.renderings import RENDERINGS, render
from mckp.tools.renderings.tscg import OPERATORS, PROFILES, tscg
from mckp.tools.schema import members, required, resolved
from mckp.tools.tool import parse_tools

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from mckp.accuracy.reader import Reads
    from mckp.accuracy.running import Progress
    from mckp.api import TokenizerLike
    from mckp.plain import JsonValue
    from mckp.tools.tool import Tool

SELECTION, PARAMETERS = 0.6, 0.4
"""The weights of the right tool and of the right parameters in the score."""
MARGIN: Final = 0.01
"""The loss of score that is accepted for fewer tokens."""
REFERENCE: Final = "json"
"""The rendering that others are compared with."""
LEVELS: Final = ("full", "described", "typed")
SWEEP: Final = (
    REFERENCE,
    *LEVELS[:1],
    *("wire", "ts", "ttc", "tscg:none"),
    *(f"tscg:{name}" for name in OPERATORS),
    *(f"tscg:{name}" for name in PROFILES),
)
"""The renderings that are compared by default, including each TSCG operator alone."""
_WORDS: Final = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron")
_ASK: Final = "Answer with the one call that does the task, and nothing else."


@dataclass(frozen=True, slots=True)
class Task:
    """A task in words, and the call that solves it."""

    id: str
    text: str
    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Catalog:
    """Tools in one rendering."""

    way: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class CallAsked:
    """A task asked with one catalog."""

    task: Task
    catalog: Catalog

    @property
    def id(self) -> str:
        """The id of the task."""
        return self.task.id

    @property
    def way(self) -> str:
        """The name of the rendering."""
        return self.catalog.way

    @property
    def prompt(self) -> str:
        """The prompt for a model; all prompts with the same catalog begin with the same text."""
        parts = manual([]), f"## Available tools\n\n{self.catalog.text}"
        return "\n\n".join([*parts, f"## Task\n\n{self.task.text}", _ASK])


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one reply."""

    asked: CallAsked
    reply: Reply | None
    failure: str
    is_selected: bool
    f1: float
    is_valid: bool
    """Whether the arguments match the schema of the called tool."""

    @property
    def is_right(self) -> bool:
        """Whether the call equals the expected one."""
        return self.is_selected and self.f1 == 1.0

    @property
    def value(self) -> float:
        """The combined score."""
        return SELECTION * self.is_selected + PARAMETERS * self.f1


@dataclass(frozen=True, slots=True)
class CallLine:
    """The results of one rendering.

    Attributes
    ----------
    way : str
        The rendering.
    tokens : int
        Tokens of the catalog.
    tasks, failed : int
        The number of tasks, and of those without a reply.
    selected : float
        Tool selection accuracy, with `interval` (Wilson, 95 %).
    f1, score, valid : float
        Means over tasks with a reply.
    difference : tuple of float, or None
        The score minus that of the reference on the same tasks, and the ends of its interval; all
        intervals of a report hold together with 95 %.
    """

    way: str
    tokens: int
    tasks: int
    failed: int
    selected: float
    interval: tuple[float, float]
    f1: float
    score: float
    valid: float
    difference: tuple[float, float, float] | None


@dataclass(frozen=True, slots=True)
class CallReport:
    """The results of all renderings, the best score first and shorter ones first among equals.

    Attributes
    ----------
    reader : str
        The name of the reader.
    lines : tuple of CallLine
        One for each rendering.
    prompt_tokens, completion_tokens : int
        The tokens that the reader counted.
    failures : dict
        The number of missing answers, by reason.
    """

    reader: str
    lines: tuple[CallLine, ...]
    prompt_tokens: int
    completion_tokens: int
    failures: Mapping[str, int]

    @property
    def best(self) -> CallLine:
        """The rendering to use: the shortest one whose score is at most `MARGIN` below the best."""
        threshold = self.lines[0].score - MARGIN
        return min(
            (score_line for score_line in self.lines if score_line.score >= threshold),
            key=lambda line: line.tokens,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can hold."""
        names = CallLine.__slots__
        lines = [{name: getattr(line, name) for name in names} for line in self.lines]
        counts = {name: getattr(self, name) for name in ("prompt_tokens", "completion_tokens")}
        return {
            "reader": self.reader,
            "best": self.best.way,
            "lines": lines,
            **counts,
            "failures": dict(self.failures),
        }

    def to_text(self) -> str:
        """Return an aligned table, and the recommended rendering, as text."""
        head = ["rendering", "tokens", "tasks", "tool", "95 %", "F1", "valid", "score", "beside"]
        rows = [_table_row(line) for line in self.lines]
        best = self.best
        parts = [
            f"calls of {self.reader}",
            *aligned_lines(head, rows),
            "",
            f"beside {REFERENCE}: points",
        ]
        parts.append(f"to use: {best.way}, {best.tokens} tokens, score {best.score:.3f}")
        parts += [
            f"without an answer, {failure_count} times: {why}"
            for why, failure_count in self.failures.items()
        ]
        return "\n".join(parts)


def _table_row(line: CallLine) -> list[str]:
    """Return the row of a rendering."""
    low, high = line.interval
    shares = f"{line.selected:.3f}", f"{low:.2f}-{high:.2f}", f"{line.f1:.3f}", f"{line.valid:.3f}"
    beside = ""
    if line.difference is not None:
        mean, *ends = (100 * share for share in line.difference)
        beside = f"{mean:+.1f} ({ends[0]:+.1f} to {ends[1]:+.1f})"
    return [line.way, str(line.tokens), str(line.tasks), *shares, f"{line.score:.3f}", beside]


def catalog(tools: Sequence[Tool], way: str, tokenizer: TokenizerLike = "o200k") -> Catalog:
    """Return the catalog of tools in the rendering that `way` names.

    Parameters
    ----------
    tools : sequence of Tool
        Tools, as `mckp.tools.parse_tools` returns them.
    way : str
        One of `mckp.tools.renderings.RENDERINGS`, a level of `mckp.encode_tools` such as
        ``full``, or ``tscg:`` with a profile or operators joined by ``+`` (``tscg:none``).
    tokenizer : str, Tokenizer or callable
        The tokenizer.

    Raises
    ------
    UnknownNameError
        If there is no such rendering.

    Examples
    --------
    >>> tools = parse_tools([{"name": "now", "description": "The time."}])
    >>> [catalog(tools, way).text.splitlines()[0] for way in ("wire", "tscg:cfl")]
    ['# Calling tools', '[ANSWER:function_call]']
    """
    name, _, options = way.partition(":")
    if way in RENDERINGS:
        text = render(tools, way)
    elif way in LEVELS:
        text = encode_tools([tool.definition() for tool in tools], level=way).text
    elif name == "tscg" and options in (*PROFILES, "auto"):
        text = tscg(tools, options)
    elif name == "tscg" and options:
        text = tscg(tools, operators=[] if options == "none" else options.split("+"))
    else:
        raise UnknownNameError("rendering", way, (*SWEEP, *RENDERINGS, *LEVELS))
    return Catalog(way, text, tokenizers.get(tokenizer).count(text))


def tasks_of(tools: Sequence[Tool], most: int = 40, seed: int = 1) -> list[Task]:
    """Make at most `most` tasks from a catalog: a tool's purpose, and its required parameters.

    They measure whether a model finds tools and names in a rendering, not whether it understands
    users; write your own tasks for that.

    Examples
    --------
    >>> schema = {"properties": {"city": {"type": "string"}}, "required": ["city"]}
    >>> tools = parse_tools([{"name": "f", "description": "Weather. Now.", "inputSchema": schema}])
    >>> tasks_of(tools)[0].text, dict(tasks_of(tools)[0].arguments)
    ('Weather. Use city: "cedar-73".', {'city': 'cedar-73'})
    """
    draw = random.Random(seed)
    tools_asked = list(tools) if len(tools) <= most else draw.sample(list(tools), most)
    tasks: list[Task] = []
    for tool in tools_asked:
        root, required_names = tool.parameters, required(tool.parameters)
        parts = {
            parameter_name: resolved(parameter, root)
            for parameter_name, parameter in members(root).items()
            if parameter_name in required_names
        }
        values = {name: _random_value(part, root, draw, 0) for name, part in parts.items()}
        purpose = " ".join(tool.description.split()).partition(". ")[0].rstrip(".") or tool.name
        arguments = "; ".join(f"{name}: {dump(value)}" for name, value in values.items())
        text = f"{purpose}.{f' Use {arguments}.' if arguments else ''}"
        tasks.append(Task(f"{tool.name}/{len(tasks)}", text, tool.name, values))
    return tasks


def _random_value(schema: Any, root: Any, draw: random.Random, depth: int) -> Any:
    """Return a random value for a schema, by its type, its enumeration and its bounds.

    References are resolved in `root`. At a `depth` of 3 levels, objects and arrays are empty.
    """
    if not is_object(schema):
        return draw.choice(_WORDS)
    if "const" in schema:
        return schema["const"]
    if is_array(schema.get("enum")) and schema["enum"]:
        return draw.choice(schema["enum"])
    for key in ("anyOf", "oneOf"):
        if is_array(schema.get(key)) and schema[key]:
            return _random_value(resolved(schema[key][0], root), root, draw, depth)
    kind = schema.get("type")
    kind = kind[0] if is_array(kind) and kind else kind
    if kind in ("integer", "number"):
        low, high = schema.get("minimum", 1), schema.get("maximum", 99)
        return draw.randint(int(low), max(int(low), int(high)))
    if kind == "boolean":
        return draw.random() < 0.5
    if kind == "array":
        item = resolved(schema.get("items", {}), root)
        return [_random_value(item, root, draw, depth + 1)] if depth < 3 else []
    if kind == "object" and depth < 3:
        required_names = required(schema)
        member_schemas = {
            member_name: resolved(member_schema, root)
            for member_name, member_schema in members(schema).items()
            if member_name in required_names
        }
        return {
            name: _random_value(part, root, draw, depth + 1)
            for name, part in member_schemas.items()
        }
    return {} if kind == "object" else f"{draw.choice(_WORDS)}-{draw.randint(1, 99)}"


def read_tasks(raw: bytes, tools: Sequence[Tool], source: str = "") -> list[Task]:
    """Read tasks from JSON lines with ``task``, ``tool`` and, unless it is empty, ``arguments``.

    `source` is the name of the file, for errors and for the ids of the tasks.

    Raises
    ------
    DataError
        If a line is not a task, or names a tool that is not in the catalog.
    """
    known, tasks = {tool.name for tool in tools}, list[Task]()
    for number, line in enumerate(raw.decode("utf-8", "replace").splitlines(), 1):
        if not line.strip():
            continue
        place = f"{source}:{number}"
        try:
            entry = json.loads(line)
        except ValueError as error:
            raise DataError(f"not JSON: {error}", path=place) from None
        text, tool = (
            entry.get(member_key) if is_object(entry) else None for member_key in ("task", "tool")
        )
        args = entry.get("arguments", {}) if is_object(entry) else None
        if not isinstance(text, str) or not isinstance(tool, str) or not is_object(args):
            raise DataError('expected {"task": ..., "tool": ..., "arguments": {...}}', path=place)
        if tool not in known:
            raise DataError(f"no tool in the catalog is called {tool!r}", path=place)
        tasks.append(Task(f"{source}/{number}", text, tool, args))
    return tasks


def leaf_pairs(value: JsonValue, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the leaves of arguments as pairs of path and value.

    Examples
    --------
    >>> list(leaf_pairs({"to": ["a", "b"], "at": {"x": 1}, "all": []}))
    [('.to[]', '"a"'), ('.to[]', '"b"'), ('.at.x', '1'), ('.all', '[]')]
    """
    if is_object(value) and value:
        for name, inner in value.items():
            yield from leaf_pairs(inner, f"{path}.{name}")
    elif is_array(value) and value:
        for inner in value:
            yield from leaf_pairs(inner, f"{path}[]")
    else:
        yield path, canonical(value)


def arguments_f1(actual: Mapping[str, JsonValue], wanted: Mapping[str, JsonValue]) -> float:
    """Return the F1 of arguments: the harmonic mean of precision and recall of their leaves.

    Examples
    --------
    >>> wanted = {"a": 1}
    >>> [arguments_f1(actual, wanted) for actual in ({"a": 1, "b": 2}, wanted, {"a": 2})]
    [0.6666666666666666, 1.0, 0.0]
    """
    actual_pairs, wanted_pairs = list(leaf_pairs(dict(actual))), list(leaf_pairs(dict(wanted)))
    if not actual or not wanted:
        return float(not actual and not wanted)
    unmatched, matched = list(wanted_pairs), 0
    for pair in actual_pairs:
        if pair in unmatched:
            unmatched.remove(pair)
            matched += 1
    return 2 * matched / (len(actual_pairs) + len(wanted_pairs))


def first_call(text: str, tools: Sequence[Tool]) -> tuple[str, Mapping[str, Any]] | None:
    r"""Return the first call in a reply, in our form or as a JSON object, or None.

    Examples
    --------
    >>> first_call('```json\n{"name":"f","arguments":{"a":1}}\n```', []), first_call("no", [])
    (('f', {'a': 1}), None)
    """
    for event in read_calls(text, tools or None):
        if isinstance(event, Call):
            return event.name, event.arguments
    with suppress(ValueError):
        reply = json.loads(text[text.index("{") : text.rindex("}") + 1])
        reply = reply.get("function", reply) if is_object(reply) else reply
        if is_object(reply) and isinstance(reply.get("name"), str):
            args = reply.get("arguments", reply.get("input", {}))
            args = json.loads(args) if isinstance(args, str) else args
            return reply["name"], args if is_object(args) else {}
    return None


class OracleCaller:
    """Answers from what a rendering contains, without a model: shows what a rendering loses.

    Examples
    --------
    >>> tools = parse_tools([{"name": "now", "inputSchema": {}}])
    >>> asked = CallAsked(Task("1", "", "now", {"zone": "UTC"}), catalog(tools, "full"))
    >>> OracleCaller().read(asked).text
    '<call>now</call>'
    """

    name = "oracle"

    def read(self, asked: CallAsked) -> Reply:
        """Return the call that a rendering shows, if it shows the tool."""
        task, text = asked.task, asked.catalog.text
        arguments = {name: value for name, value in task.arguments.items() if name in text}
        return Reply(write_call(task.tool, arguments) if task.tool in text else "")


def measure_calls(
    tools: Any,
    tasks: Sequence[Task] | None = None,
    reader: Reads[CallAsked] | None = None,
    *,
    ways: Iterable[str] = SWEEP,
    tokenizer: TokenizerLike = "o200k",
    concurrency: int = 1,
    kept: str | Path | None = None,
    progress: Progress | None = None,
) -> CallReport:
    """Ask a reader to call tools that it reads in several renderings, and compare these.

    Parameters
    ----------
    tools
        Tool definitions, as for `mckp.tools.parse_tools`.
    tasks : sequence of Task, optional
        See `read_tasks`; by default, tasks from `tasks_of`.
    reader : reader, optional
        The model that calls, such as `mckp.accuracy.EndpointReader`; by default, an oracle.
    ways : iterable of str
        See `catalog`.
    tokenizer : str, Tokenizer or callable
        The tokenizer.
    concurrency, kept, progress
        See `mckp.accuracy.running.answers`.

    Returns
    -------
    CallReport
        Scores with intervals, the best rendering first.

    Raises
    ------
    ValueError
        If there are no tasks, or a rendering is unknown.
    UnusableReaderError, DataError
        As from `mckp.accuracy.running.answers`.

    Examples
    --------
    >>> schema = {"properties": {"city": {"type": "string"}}, "required": ["city"]}
    >>> tools = [{"name": "f", "description": "Weather.", "inputSchema": schema}]
    >>> report = measure_calls(tools, ways=["json", "ts"])
    >>> report.best.way, [line.score for line in report.lines]
    ('ts', [1.0, 1.0])
    """
    all_tools = parse_tools(tools)
    tasks_asked = tasks_of(all_tools) if tasks is None else list(tasks)
    if not tasks_asked:
        raise ValueError("there are no tasks; give a catalog with tools, or tasks of your own")
    catalogs = [catalog(all_tools, way, tokenizer) for way in dict.fromkeys(ways)]
    asked = [CallAsked(task, rendering) for rendering in catalogs for task in tasks_asked]
    caller: Reads[CallAsked] = OracleCaller() if reader is None else reader
    received = replies(asked, caller, concurrency=concurrency, kept=kept, progress=progress)
    by_name = {tool.name: tool for tool in all_tools}
    scores = [
        _score_of_reply(one_asked, *reply, by_name)
        for one_asked, reply in zip(asked, received, strict=True)
    ]
    return _report(scores, caller.name)


def _score_of_reply(
    asked: CallAsked, reply: Reply | None, failure: str, tools: Mapping[str, Tool]
) -> Score:
    """Return the score of a reply.

    `failure` says why there is no `reply`.
    """
    call = None if reply is None else first_call(reply.text, list(tools.values()))
    if call is None:
        return Score(asked, reply, failure, False, 0.0, False)
    name, args = call
    is_selected = name == asked.task.tool
    f1 = arguments_f1(args, asked.task.arguments) if is_selected else 0.0
    is_valid = name in tools and not check_arguments(dict(args), tools[name])
    return Score(asked, reply, failure, is_selected, f1, is_valid)


def _report(scores: Sequence[Score], reader: str) -> CallReport:
    """Return the report on the scores of all renderings."""
    scores_by_way: dict[str, list[Score]] = {}
    for score in scores:
        scores_by_way.setdefault(score.asked.way, []).append(score)
    level = 1 - (1 - LEVEL) / max(1, len(scores_by_way) - 1)
    reference_scores = scores_by_way.get(REFERENCE)
    lines = [
        _line_of_rendering(way, way_scores, reference_scores, level)
        for way, way_scores in scores_by_way.items()
    ]
    reasons = [score.failure for score in scores if score.reply is None]
    received = [score.reply for score in scores if score.reply is not None]
    return CallReport(
        reader,
        tuple(sorted(lines, key=lambda line: (-line.score, line.tokens))),
        sum(reply.prompt_tokens for reply in received),
        sum(reply.completion_tokens for reply in received),
        {why: reasons.count(why) for why in dict.fromkeys(reasons)},
    )


def _line_of_rendering(
    way: str, scores: Sequence[Score], reference_scores: Sequence[Score] | None, level: float
) -> CallLine:
    """Return the results of a rendering.

    `reference_scores` are those of the reference rendering, and `level` is the share that intervals
    cover.
    """
    answered_scores = [score for score in scores if score.reply is not None]
    count = max(1, len(answered_scores))
    selected_count = sum(score.is_selected for score in answered_scores)
    return CallLine(
        way,
        scores[0].asked.catalog.tokens,
        len(scores),
        len(scores) - len(answered_scores),
        selected_count / count,
        wilson(selected_count, len(answered_scores)),
        sum(score.f1 for score in answered_scores) / count,
        sum(score.value for score in answered_scores) / count,
        sum(score.is_valid for score in answered_scores) / count,
        None
        if reference_scores is None or way == REFERENCE
        else _score_difference(answered_scores, reference_scores, level),
    )


def _score_difference(
    scores: Sequence[Score], reference_scores: Sequence[Score], level: float
) -> tuple[float, float, float]:
    """Return the difference of scores on the same tasks, and an interval that covers two others.

    One interval resamples tasks; the other is Newcombe's for entirely right calls, which has a
    width even if no task differs. `reference_scores` are those of the reference rendering, and
    `level` is the share that intervals cover.
    """
    reference = {score.asked.id: score for score in reference_scores if score.reply is not None}
    compared = [
        (score, reference[score.asked.id]) for score in scores if score.asked.id in reference
    ]
    gains = [ours.value - theirs.value for ours, theirs in compared]
    mean = sum(gains) / len(gains) if gains else 0.0
    resampled = grouped_interval(gains, [ours.asked.id for ours, _ in compared], level)
    pairs = Pairs.of(
        [ours.is_right for ours, _ in compared], [theirs.is_right for _, theirs in compared]
    )
    low, high = (mean + end - pairs.difference for end in pairs.interval(level))
    return mean, max(-1.0, min(resampled[0], low)), min(1.0, max(resampled[1], high))
