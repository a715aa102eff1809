"""End to end: what does a reader see of a document, ask for, and answer, and how many tokens?

    python benches/end_to_end.py FOLDER --base-url URL --model NAME [--modes full shell mckp]
        [--share-data 0.12] [--share-text 0.15] [--keep KEPT] [--json OUT]
    python benches/end_to_end.py FOLDER --logs LOGS --answers ANSWERS --reader TEXT [--json OUT]

FOLDER has documents, ``docs/NAME.json`` (data) and ``docs/NAME.txt`` (text), and questions about
them, ``questions.json``: a list of objects with ``doc``, ``qid``, ``kind``, ``question``, ``gold``
and ``accept``, a list of other accepted answers.

A reader gets a document, may ask for more of it, and then answers its questions. The modes:
*full*, the document as it is; *shell*, the beginning of the document, and commands on the whole
file, as agent hosts do it; *mckp*, the text of a session and its tool `recall`. The beginning, the
text and each answer to a call take at most a share of the document's tokens, and at least 200. A
command is a pipe of the programs of `PROGRAMS`, which no shell interprets.

The reader is a model at an address that speaks OpenAI's protocol. Or other readers have read
before: then LOGS has files ``MODE-RUN.jsonl``, an object per line for what was shown (``act`` is
``show``) or asked for, with its ``doc``, its ``tokens`` and those of the ``whole``, and ANSWERS has
files ``MODE_RUN.json``, lists of ``qid`` and ``answer``. Runs with an address are written so to the
folder of ``--keep``. ``--reader`` says who read.

An answer is *right* if it contains an accepted one, word for word, whatever the case, the spaces
and the separators. Others are *open*: printed for a judge, as are all overviews, which no string
can judge. ``--judged`` is a file with who judged, and the verdicts on open answers:
``{"judge": TEXT, "verdicts": {"MODE": {"QID": true}}}``. The shares *shown*, *asked* and *in all*
are tokens as a share of the whole documents; the instructions, among them the definition of the
tool, are not counted.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import unicodedata
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cutters import cut_head, recount
from solver_figures import add_common, show, store

from mckp.accuracy.reader import EndpointReader, Reply
from mckp.agents.session import Session, SessionSettings
from mckp.agents.session.recall import answer
from mckp.agents.session.tool import definition
from mckp.errors import ReaderError
from mckp.jsontext import dump, is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mckp.accuracy.reader import Prompted, Reads

MODES: Final = ("full", "shell", "mckp")
PROGRAMS: Final = ("awk", "cut", "grep", "head", "jq", "sed", "sort", "tail", "uniq", "wc")
"""The programs of commands; ``sed`` runs in its sandbox."""
FLOOR: Final = 200
"""Tokens that every budget has."""
TURNS: Final = 16
"""The most replies of a reader on one document."""
SECONDS: Final = 10.0
"""The longest time of a command."""
MAX_BYTES: Final = 1 << 20
"""The most bytes that are read of what a command writes."""
OVERVIEW: Final = "overview"
"""The kind of questions that need a judge."""

_CUT: Final = "\n[Output truncated.]"
_RULES: Final = """\
Answer the questions below. Ask first when what you see does not answer a question for sure, and
for no more than needed, since every answer costs tokens. Take nothing from general knowledge.
Reply with JSON only: {call}when you can answer all questions, a list of
{{"qid": ..., "answer": ...}}, where an answer is a name, a number, a date or a short list, and for
an overview two to four key facts in one sentence."""
_ACTS: Final = re.compile(r"system|getline|close|@|print.*(?:>|(?<!\|)\|(?!\|))", re.DOTALL)
"""What in a program of awk may run other programs, or read and write files."""
_ABOVE: Final = re.compile(r"(?:^|[=/])\.\.(?:/(?!/)|$)")
"""A path out of the folder; to jq alone ``..`` is an expression."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document of the folder, and how much of it a reader gets at a time."""

    name: str
    kind: str
    text: str
    whole: int
    share: float

    @property
    def budget(self) -> int:
        """The most tokens of what is shown at a time."""
        return max(FLOOR, int(self.whole * self.share))


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a document, with the answers that are accepted."""

    doc: str
    qid: str
    kind: str
    question: str
    accepted: tuple[str, ...]


@dataclass(slots=True)
class Run:
    """What a reader saw in one mode, and what it answered."""

    mode: str
    name: str
    steps: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    answers: dict[str, str] = field(default_factory=dict[str, str])
    paid: Counter[str] = field(default_factory=Counter[str])


@dataclass(frozen=True, slots=True)
class Turn:
    """All that a reader has seen of a document when it replies."""

    id: str
    way: str
    prompt: str


def read_documents(folder: Path, shares: Mapping[str, float]) -> dict[str, Document]:
    """Return the documents of a folder by name; ``.json`` is data, all else is text."""
    documents: dict[str, Document] = {}
    for path in sorted((folder / "docs").iterdir()):
        kind = "data" if path.suffix == ".json" else "text"
        text = path.read_text(encoding="utf-8")
        documents[path.stem] = Document(path.stem, kind, text, recount(text), shares[kind])
    return documents


def read_questions(folder: Path) -> list[Question]:
    """Return the questions of a folder."""
    rows: list[dict[str, Any]] = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    return [
        Question(
            row["doc"],
            row["qid"],
            row["kind"],
            row["question"],
            tuple(map(str, (row["gold"], *row.get("accept", ())))),
        )
        for row in rows
    ]


def normalised(text: str) -> str:
    """Return the words of a text, in lower case, with a space before and behind each.

    Examples
    --------
    >>> normalised("About 2,047,347 (PACO-ASDI) in v1.6.1, 5.")
    ' about 2047347 paco asdi in v1.6.1 5 '
    """
    text = unicodedata.normalize("NFKC", text).casefold()
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    words = re.findall(
        r"(?<!\S)-(?=\d)[\d.]*\d|\d+(?:\.\d+)+|\w+(?:\.\d+)*", text.replace("_", " ")
    )
    return f" {' '.join(words)} "


def is_right(said: str, accepted: Iterable[str]) -> bool:
    """Return whether an answer contains one of the accepted answers.

    Examples
    --------
    >>> is_right("7 of 10", ["7"]), is_right("17", ["7"]), is_right("Kudu (KUDU)", ["kudu"])
    (True, False, True)
    """
    words = normalised(said)
    return any(form.strip() and form in words for form in map(normalised, accepted))


def stages(command: str) -> list[list[str]]:
    """Return the programs of a pipe with their arguments.

    Raises
    ------
    ValueError
        If the command is anything but a pipe of programs that are allowed.

    Examples
    --------
    >>> stages("jq -r '.a | .b' d01 | head -2")
    [['jq', '-r', '.a | .b', 'd01'], ['head', '-2']]
    """
    parts, quote, skip = [""], "", False
    for sign in command.strip():
        if skip:
            skip = False
        elif sign == "\\" and quote != "'":
            skip = True
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign == "|":
            parts.append("")
            continue
        elif sign in ";&<>`\n":
            raise ValueError(f"only a pipe of {', '.join(PROGRAMS)} is run, no {sign!r}")
        parts[-1] += sign
    pipe = [shlex.split(part) for part in parts]
    for words in pipe:
        _check_program(words)
    return pipe


def _check_program(words: Sequence[str]) -> None:
    program = words[0] if words else ""
    if program not in PROGRAMS:
        raise ValueError(f"{program!r} is none of {', '.join(PROGRAMS)}")
    for word in words[1:]:
        paths = (word[place.start() :] for place in re.finditer("/", word))
        is_above = _ABOVE.search(word) and not (program == "jq" and word == "..")
        if is_above or any(len(path) > 1 and _exists(path) for path in paths):
            raise ValueError(f"{word}: only the file of the document is read")
        if program == "awk" and (_ACTS.search(word) or re.match("-(?![Fv])", word)):
            raise ValueError(f"{word}: awk may neither run programs nor use other files here")
        if program == "sort" and word.startswith("--c"):
            raise ValueError(f"{word}: sort may not run programs here")


def _exists(path: str) -> bool:
    with suppress(OSError, ValueError):
        return Path(path).exists()
    return False


def run_command(command: str, document: Document) -> str:
    """Return what a command writes, or why it was not run.

    Parameters
    ----------
    command : str
        A pipe of the programs of `PROGRAMS`; the document is in a file of its name.
    document : Document
        The document.

    Returns
    -------
    str
        What the last program writes, and what any of them says of errors; cut off at the budget.
    """
    try:
        pipe = stages(command)
    except ValueError as error:
        return f"error: {error}"
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as errors:
        Path(folder, document.name).write_text(document.text, encoding="utf-8")
        said, is_late = _piped(pipe, folder, errors)
        errors.seek(0)
        failure = errors.read(4096).decode(errors="replace").strip()
    late = f"error: not done after {SECONDS:g} s" if is_late else ""
    text = "\n".join(part for part in (said, failure, late) if part)
    return cut_off(text, document.budget, _CUT)


def _piped(pipe: Sequence[Sequence[str]], folder: str, errors: Any) -> tuple[str, bool]:
    """Run programs one behind the other; return what the last one writes, and if it took long."""
    running: list[subprocess.Popen[bytes]] = []
    is_late = threading.Event()

    def end() -> None:
        is_late.set()
        for process in running:
            process.kill()

    timer = threading.Timer(SECONDS, end)
    timer.start()
    try:
        for words in pipe:
            program, *arguments = words
            started = subprocess.Popen(
                [program, *(["--sandbox"] if program == "sed" else []), *arguments],
                cwd=folder,
                stdin=running[-1].stdout if running else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={"PATH": "/usr/bin:/bin:/usr/local/bin", "LC_ALL": "C.UTF-8"},
            )
            if running and (before := running[-1].stdout):
                before.close()  # so that a program ends when the one behind it does
            running.append(started)
        last = running[-1].stdout
        said = last.read(MAX_BYTES) if last else b""
    except OSError as error:
        return f"error: {error}", False
    finally:
        timer.cancel()
        for process in running:
            process.kill()
            if process.stdout:
                process.stdout.close()
            process.wait()
    return said.decode(errors="replace"), is_late.is_set()


def cut_off(text: str, budget: int, note: str) -> str:
    """Return a text, or its beginning with a note that it is one.

    Examples
    --------
    >>> cut_off("one two three four five", 4, " [cut]")
    'one [cut]'
    """
    if recount(text) <= budget:
        return text
    return cut_head(text, max(0, budget - recount(note))) + note


class Desk:
    """Shows a document in one mode, and answers the calls about it; all is noted in a run."""

    def __init__(self, document: Document, run: Run) -> None:
        self._document, self._run = document, run
        self._session = Session(SessionSettings(budget=document.budget))

    @property
    def call(self) -> str:
        """How to ask, for a reader; nothing if there is nothing to ask for."""
        if self._run.mode == "full":
            return ""
        if self._run.mode == "mckp":
            tool = dump(definition("openai")["function"])
            return f'to ask, the arguments of this tool, such as {{"handle": "#1"}}: {tool}; '
        programs = ", ".join(PROGRAMS)
        about = f"a pipe of {programs} on the file {self._document.name}, which has all of it"
        return f'to ask, {{"command": ...}} with {about}; '

    def show(self) -> str:
        """Return what a reader sees first."""
        document = self._document
        text = document.text
        if self._run.mode == "mckp":
            text = self._session.add(tool=f"get_{document.name}", text=text).text
        elif self._run.mode == "shell":
            note = f"\n[Output truncated: {document.whole} tokens in all, in {document.name}.]"
            text = cut_off(text, document.budget, note)
        return self._noted("show", "", text)

    def ask(self, call: Mapping[str, Any]) -> str:
        """Return the answer to a call."""
        if self._run.mode == "mckp":
            asked = {"handle": "#1", **call}
            text = answer(self._session, asked, self._document.budget)[0]
            return self._noted("recall", dump(dict(call)), text)
        command = str(call.get("command", ""))
        return self._noted("sh", command, run_command(command, self._document))

    def _noted(self, act: str, asked: str, text: str) -> str:
        document = self._document
        step = {"doc": document.name, "act": act, "asked": asked}
        self._run.steps.append(step | {"tokens": recount(text), "whole": document.whole})
        return text


def parsed(reply: str) -> Any:
    """Return the JSON value in a reply, None if there is none.

    Examples
    --------
    >>> parsed('Here: [{"qid": "1", "answer": "7"}]'), parsed('{"command": "wc d01"}'), parsed("7")
    ([{'qid': '1', 'answer': '7'}], {'command': 'wc d01'}, None)
    """
    for place in re.finditer(r"[\[{]", reply):
        with suppress(ValueError):
            value, _ = json.JSONDecoder().raw_decode(reply, place.start())
            if is_object(value) or (is_array(value) and all(map(is_object, value))):
                return value
    return None


def read_document(
    document: Document, questions: Sequence[Question], run: Run, reader: Reads[Prompted]
) -> None:
    """Let a reader see a document, ask for more of it, and answer; note it in the run.

    If it fails, the questions about the document have no answers; the run says how often.

    Raises
    ------
    UnusableReaderError
        If it would fail on all documents.
    """
    desk = Desk(document, run)
    asked = "\n".join(f"{question.qid}: {question.question}" for question in questions)
    prompt = f"{_RULES.format(call=desk.call)}\n\nQuestions:\n{asked}\n\nDocument:\n{desk.show()}"
    for turn in range(TURNS):
        try:
            reply = reader.read(Turn(f"{document.name}/{turn}", run.mode, prompt))
        except ReaderError as error:
            print(f"{run.mode} {document.name}: {error}", file=sys.stderr)
            run.paid.update(failed=1)
            return
        run.paid.update(prompt=reply.prompt_tokens, completion=reply.completion_tokens)
        value = parsed(reply.text)
        if is_array(value):
            run.answers |= {str(row.get("qid")): str(row.get("answer", "")) for row in value}
            return
        if is_object(value) and run.mode != "full" and turn < TURNS - 2:
            said = desk.ask(value)
        else:
            said = "Answer now, with a JSON list only."
        prompt += f"\n\nYou: {reply.text}\n\nAnswer:\n{said}"


def recorded(logs: Path, answers: Path, patterns: Sequence[str]) -> Iterator[Run]:
    """Yield runs that were recorded, those whose name ``MODE-RUN`` matches one of the patterns."""
    for log in sorted(logs.glob("*.jsonl")):
        if not any(fnmatch(log.stem, pattern) for pattern in patterns):
            continue
        mode, _, name = log.stem.partition("-")
        steps = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        rows: list[Any] = json.loads((answers / f"{mode}_{name}.json").read_text(encoding="utf-8"))
        run = Run(mode, name, steps)
        run.answers = {str(row["qid"]): str(row["answer"]) for row in rows}
        yield run


def keep(folder: Path, run: Run) -> None:
    """Write a run as `recorded` reads it from the folders ``logs`` and ``answers``."""
    for name in ("logs", "answers"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(step, ensure_ascii=False) + "\n" for step in run.steps)
    (folder / f"logs/{run.mode}-{run.name}.jsonl").write_text(lines, encoding="utf-8")
    rows = [{"qid": qid, "answer": said} for qid, said in run.answers.items()]
    text = json.dumps(rows, ensure_ascii=False, indent=1)
    (folder / f"answers/{run.mode}_{run.name}.json").write_text(text + "\n", encoding="utf-8")


def rows_of(
    runs: Iterable[Run],
    documents: Mapping[str, Document],
    questions: Sequence[Question],
    verdicts: Mapping[str, Mapping[str, bool]],
) -> list[dict[str, Any]]:
    """Return a row for each mode and kind of document.

    A document that is shown again in a run counts once. Questions are those about documents that
    were shown; one without an answer is open.
    """
    counts: dict[tuple[str, str], Counter[str]] = {}
    open_answers: dict[tuple[str, str], list[str]] = {}
    for run in runs:
        shown: set[str] = set()
        for step in run.steps:
            name = step["doc"]
            key = run.mode, documents[name].kind
            count = counts.setdefault(key, Counter())
            if step["act"] != "show":
                count.update(asked=step["tokens"], calls=1)
            elif name not in shown:
                shown.add(name)
                count.update(documents=1, shown=step["tokens"], whole=step["whole"])
        for question in questions:
            if question.doc not in shown:
                continue
            key = run.mode, documents[question.doc].kind
            count, said = counts[key], run.answers.get(question.qid, "")
            if question.kind == OVERVIEW:
                count.update(overviews=1)
                continue
            count.update(questions=1)
            if is_right(said, question.accepted):
                count.update(right=1)
                continue
            open_answers.setdefault(key, []).append(question.qid)
            count.update(judged=int(verdicts.get(run.mode, {}).get(question.qid, False)))
    return [
        {
            "mode": key[0],
            "kind": key[1],
            "documents": count["documents"],
            "questions": count["questions"],
            "right": count["right"],
            "open": len(open_answers.get(key, [])),
            "right by judge": count["judged"],
            "overviews": count["overviews"],
            "shown": round(count["shown"] / count["whole"], 5),
            "asked": round(count["asked"] / count["whole"], 5),
            "in all": round((count["shown"] + count["asked"]) / count["whole"], 5),
            "calls": count["calls"],
            "open questions": sorted(open_answers.get(key, [])),
        }
        for key, count in sorted(counts.items())
    ]


def show_for_judge(runs: Iterable[Run], questions: Sequence[Question]) -> None:
    """Print open answers and overviews beside the accepted answers."""
    for run in runs:
        for question in questions:
            said = run.answers.get(question.qid)
            if said is None or (question.kind != OVERVIEW and is_right(said, question.accepted)):
                continue
            print(f"{run.mode} {question.qid} {question.kind}: {question.question}")
            print(f"    accepted: {' | '.join(question.accepted)}\n    answer: {said}")


class WordReader:
    """A program in place of a model: asks once, then gives the answers that it has seen.

    With ``--quick`` and no address, it shows that the bench runs and nothing else.
    """

    def __init__(self, questions: Sequence[Question]) -> None:
        self._questions = questions

    @property
    def name(self) -> str:
        """What stored figures call it."""
        return "a program that answers what it has seen word for word"

    def read(self, asked: Prompted) -> Reply:
        """Ask at the first turn; then answer each question, or say that the answer is unknown."""
        doc, _, turn = asked.id.partition("/")
        if asked.way != "full" and turn == "0":
            return Reply('{"command": "tail -n 3 ' + doc + '"}' if asked.way == "shell" else "{}")
        seen = normalised(asked.prompt)
        rows = [
            {"qid": question.qid, "answer": form if normalised(form) in seen else "unknown"}
            for question in self._questions
            if question.doc == doc
            for form in question.accepted[:1]
        ]
        return Reply(dump(rows))


def make_up(folder: Path) -> None:
    """Write a small folder of documents and questions."""
    (folder / "docs").mkdir()
    jobs = [{"id": 100 + n, "state": "failed" if n == 37 else "done"} for n in range(60)]
    lines = [f"step {n} of the build is done" for n in range(90)] + ["error: no space is left"]
    (folder / "docs/d1.json").write_text(dump({"jobs": jobs}), encoding="utf-8")
    (folder / "docs/t1.txt").write_text("\n".join(lines), encoding="utf-8")
    rows = [
        ("d1", "needle", "Which job failed?", "137"),
        ("d1", OVERVIEW, "What is it?", "60 jobs"),
        ("t1", "needle", "Why did the build fail?", "no space is left"),
    ]
    questions = [
        {"doc": doc, "qid": f"{doc}-{n}", "kind": kind, "question": words, "gold": gold}
        for n, (doc, kind, words, gold) in enumerate(rows)
    ]
    (folder / "questions.json").write_text(dump(questions), encoding="utf-8")


def read_all(
    documents: Mapping[str, Document],
    questions: Sequence[Question],
    modes: Sequence[str],
    reader: Reads[Prompted],
) -> list[Run]:
    """Let a reader read all documents that have questions, in each mode."""
    runs = [Run(mode, "a1") for mode in modes]
    for run in runs:
        for document in documents.values():
            own = [question for question in questions if question.doc == document.name]
            if own:
                read_document(document, own, run, reader)
    return runs


def parser() -> argparse.ArgumentParser:
    """Return the parser of the options."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    options.add_argument("folder", type=Path, nargs="?", help="documents and questions")
    options.add_argument("--base-url", help="the address of the model that reads")
    options.add_argument("--model", help="its name there")
    options.add_argument("--modes", nargs="+", choices=MODES, default=MODES)
    options.add_argument("--share-data", type=float, default=0.12)
    options.add_argument("--share-text", type=float, default=0.15)
    options.add_argument("--keep", type=Path, help="also write what was shown and answered here")
    options.add_argument("--logs", type=Path, help="what recorded runs were shown")
    options.add_argument("--answers", type=Path, help="what recorded runs answered")
    options.add_argument("--runs", nargs="+", default=["*"], help="patterns for MODE-RUN")
    options.add_argument("--reader", help="who read in recorded runs")
    options.add_argument("--judged", type=Path, help="verdicts of a judge on open answers")
    add_common(options)
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Let a reader read or score recorded runs, print a table, and store it."""
    options = parser()
    chosen = options.parse_args(arguments)
    is_made_up = chosen.quick and chosen.folder is None
    if chosen.folder is None and not is_made_up:
        options.error("name the folder with docs and questions.json")
    if chosen.logs and not (chosen.answers and chosen.reader):
        options.error("recorded runs need --logs, --answers and --reader")
    if not (chosen.logs or (chosen.base_url and chosen.model) or chosen.quick):
        options.error("name a reader, by --base-url and --model, or recorded runs, by --logs")
    shares = {"data": chosen.share_data, "text": chosen.share_text}
    with tempfile.TemporaryDirectory() as made:
        folder: Path = chosen.folder or Path(made)
        if is_made_up:
            make_up(folder)
        documents, questions = read_documents(folder, shares), read_questions(folder)
    name: str
    if chosen.logs:
        runs, name = list(recorded(chosen.logs, chosen.answers, chosen.runs)), chosen.reader
    else:
        reader: Reads[Prompted] = WordReader(questions)
        if chosen.base_url:
            reader = EndpointReader(chosen.base_url, chosen.model, options={"max_tokens": 1500})
        runs, name = read_all(documents, questions, chosen.modes, reader), reader.name
        for run in runs if chosen.keep else ():
            keep(chosen.keep, run)
    judged: dict[str, Any] = {"judge": None, "verdicts": {}}
    if chosen.judged:
        judged = json.loads(chosen.judged.read_text(encoding="utf-8"))
    rows = rows_of(runs, documents, questions, judged["verdicts"])
    if not rows:
        options.error("there are no such runs, or no document has a question")
    show_for_judge(runs, questions)
    show(f"end to end: {name}", rows, *list(rows[0])[:-1])
    figures: dict[str, Any] = {"reader": name, "judge": judged["judge"], "rows": rows}
    if not chosen.logs:
        figures |= {"shares": shares, "paid": {run.mode: dict(run.paid) for run in runs}}
    store(chosen.json, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
