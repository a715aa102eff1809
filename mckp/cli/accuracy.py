"""``mckp accuracy``: asks questions about a document's texts in several formats."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import mckp
from mckp.accuracy import WAYS, EndpointReader, OracleReader, calls
from mckp.accuracy.report import report
from mckp.accuracy.running import all_asked, answers, plan
from mckp.cli import streams
from mckp.errors import DataError
from mckp.jsontext import dump
from mckp.tools import parse_tools

if TYPE_CHECKING:
    from argparse import Namespace

    from mckp.accuracy import AccuracyReport, AnsweringReader


def ask(arguments: Namespace) -> None:
    """Print the plan, ask the questions, and write how often the answers were right."""
    if arguments.file == "calls":
        _compare_renderings(arguments)
        return
    if arguments.catalog is not None:
        raise ValueError(f"expected one FILE, but {arguments.catalog} was given too")
    reader = None if arguments.plan else _reader(arguments)
    budgets, margin = [None, *arguments.budget], arguments.margin / 100
    options = budgets, arguments.questions, arguments.seed, arguments.tokenizer
    asked = list(all_asked(_read_documents(arguments.file), arguments.ways or WAYS, *options))
    sys.stderr.write(plan(asked, margin) + "\n")
    if reader is None:
        return
    with streams.bar("asking") as progress:
        settings: dict[str, Any] = {"concurrency": arguments.concurrency, "kept": arguments.keep}
        replies = answers(asked, reader, progress=progress, **settings)
        outcome = report(replies, reader.name, margin)
    text = dump(outcome.to_dict()) if arguments.json else _report_text(outcome)
    streams.write(text + "\n", arguments.out)


def _compare_renderings(arguments: Namespace) -> None:
    """Compare how well a reader calls tools that it knows from several renderings."""
    if arguments.catalog is None:
        raise ValueError("name a file with tool definitions: mckp accuracy calls FILE")
    tools = parse_tools(streams.document(arguments.catalog))
    file: str | None = arguments.tasks
    tasks = calls.tasks_of(tools, seed=arguments.seed)
    if file is not None:
        tasks = calls.read_tasks(streams.document(file), tools, file)
    ways = arguments.ways or calls.SWEEP
    sys.stderr.write(f"renderings: {' '.join(ways)}\ntasks: {len(tasks)}\n")
    if arguments.plan:
        return
    reader: Any = _reader(arguments) if arguments.base_url or arguments.model else None
    with streams.bar("asking") as progress:
        outcome = calls.measure_calls(
            [tool.definition() for tool in tools],
            tasks,
            reader,
            ways=ways,
            tokenizer=arguments.tokenizer,
            concurrency=arguments.concurrency,
            kept=arguments.keep,
            progress=progress,
        )
    tokens_note = f"\n{outcome.prompt_tokens} tokens read and {outcome.completion_tokens} written"
    text = outcome.to_text() + (tokens_note if outcome.prompt_tokens else "")
    streams.write((dump(outcome.to_dict()) if arguments.json else text) + "\n", arguments.out)


def _reader(arguments: Namespace) -> AnsweringReader:
    """Return the reader of the questions: a model at an address, or the oracle."""
    if arguments.base_url is not None:
        if arguments.model is None:
            raise ValueError("--base-url needs --model, the name of a model at that address")
        return EndpointReader(
            arguments.base_url,
            arguments.model,
            retries=arguments.retries,
            timeout=arguments.timeout,
            options=dict(arguments.option),
        )
    if arguments.model is None:
        return OracleReader()
    raise ValueError(
        "--model needs --base-url, the address of its server; for a file, run llama-server"
    )


def _read_documents(file: str) -> dict[str, Any]:
    """Return the documents by name: one, or each line of a .jsonl file."""
    raw, name = streams.document(file), streams.shown_name(file)
    if not file.endswith(".jsonl"):
        return {name: _json_data(raw)}
    lines = enumerate(raw.splitlines(), 1)
    return {f"{name}:{number}": _json_data(line) for number, line in lines if line.strip()}


def _json_data(raw: bytes) -> Any:
    """Return the data of a JSON document, or raise a `DataError`."""
    tree = mckp.parse(raw)
    if not tree.is_json:
        raise DataError("questions can be made only about JSON, but this is text", path="$")
    return tree.value


def _report_text(outcome: AccuracyReport) -> str:
    """Return a report as text, with the tokens that it took."""
    tokens_note = f"{outcome.prompt_tokens} tokens read and {outcome.completion_tokens} written"
    return outcome.to_text() + (f"\n{tokens_note}" if outcome.prompt_tokens else "")
