"""Tokenizers by name, by object and by plug-in."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from typing import Any

import pytest

from mckp.errors import UnknownNameError
from mckp.tokenizers import Tokenizer, get, kept, names, register, registry
from mckp.tokenizers.models import model_of, models, resembled
from mckp.tokenizers.registry import tokenizer_name_for
from mckp.tokenizers.vocabularies import BOUND, is_installed
from tests.cases import cases


class Words:
    name, exact, additive = "words", True, True

    def count(self, text: str) -> int:
        return len(text.split())

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]


READY = Words()


def make_words() -> Words:
    return Words()


def _nothing(_: str) -> bool:
    return False


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_REGISTERED", {})
    monkeypatch.setattr(registry, "_MADE", {})
    monkeypatch.setattr(registry, "is_installed", _nothing)


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    def plug_in(**targets: str) -> list[str]:
        loaded: list[str] = []

        class Point(metadata.EntryPoint):
            def load(self) -> Any:
                loaded.append(self.name)
                return super().load()

        points = [Point(name, value, "mckp.tokenizers") for name, value in targets.items()]
        monkeypatch.setattr(metadata, "entry_points", lambda group: points)  # pyright: ignore
        return loaded

    return plug_in


@pytest.mark.parametrize("name", ["o200k", "o200k_base", "cl100k", "cl100k_base"])
def test_built_in(name: str) -> None:
    """Both vocabularies are exact and additive, under either name."""
    tokenizer, due = get(name), f"{name.removesuffix('_base')}_base"
    assert (tokenizer.name, tokenizer.exact, tokenizer.additive) == (due, True, True)


@pytest.mark.parametrize("name", [*registry.BUILT_IN, "chars:4"])
def test_protocol(name: str) -> None:
    """A name gives one tokenizer, always the same."""
    assert isinstance(get(name), Tokenizer)
    assert get(name) is get(name)


def test_tokenizer_passes_through() -> None:
    """A tokenizer is returned as it is."""
    assert get(READY) is READY


def test_function() -> None:
    """A plain function counts for exact, but its counts are not taken to add up."""
    tokenizer = get(len)
    assert (tokenizer.name, tokenizer.exact, tokenizer.additive) == ("len", True, False)
    assert tokenizer.count_batch(["abc", "", "abc"]) == [3, 0, 3]


@pytest.mark.parametrize("wrong", [Words, 3, None])
def test_neither_name_nor_tokenizer(wrong: Any) -> None:
    """Anything else than a name, tokenizer or function is refused."""
    with pytest.raises(TypeError):
        get(wrong)


def test_unknown_name_lists_the_known() -> None:
    """An unknown name is an error that lists the known ones."""
    with pytest.raises(UnknownNameError) as caught:
        get("o300k")
    assert (caught.value.kind, caught.value.name) == ("tokenizer", "o300k")
    assert set(names()) <= set(caught.value.known)
    assert all(name in str(caught.value) for name in (*names(), "chars:<ratio>"))


def test_register() -> None:
    """A factory is called once, when its name is first used."""
    made: list[Words] = []

    def factory() -> Words:
        made.append(Words())
        return made[-1]

    register("words", factory)
    assert not made
    assert get("words") is get("words") is made[0]
    assert "words" in names()
    assert len(made) == 1


def test_register_again() -> None:
    """Registering a name again replaces it, even after use, and goes before the model table."""
    assert get("qwen3").name == "qwen_estimate"
    register("qwen3", Words)
    assert get("qwen3").name == "words"
    register("qwen3", lambda: get(len))
    assert get("qwen3").name == "len"


@pytest.mark.parametrize("name", ["o200k", "chars:4"])
def test_built_in_names_stay(name: str) -> None:
    """A built-in name cannot be registered."""
    with pytest.raises(ValueError, match="is built in"):
        register(name, Words)


def test_factory_of_something_else() -> None:
    """A factory that returns no tokenizer is refused when its name is used."""
    register("broken", lambda: 3)  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError, match="'broken' returned int"):
        get("broken")


@pytest.mark.parametrize("target", ["Words", "READY", "make_words"])
def test_plug_in(install: Callable[..., list[str]], target: str) -> None:
    """A plug-in is loaded once, without the others."""
    loaded = install(acme=f"{__name__}:{target}", other="no_such_module:x")
    assert get("acme").count("two words") == 2
    assert get("acme") is get("acme")
    assert loaded == ["acme"]


def test_plug_ins_wait(install: Callable[..., list[str]]) -> None:
    """Names that are built in load no plug-in."""
    loaded = install(acme=f"{__name__}:Words", o200k=f"{__name__}:Words")
    assert get("o200k").name == "o200k_base"
    assert get("gpt-4").name == "cl100k_base"
    assert "acme" in names()
    assert not loaded


def test_plug_in_goes_before_models(install: Callable[..., list[str]]) -> None:
    """A plug-in named like a model is that model's tokenizer, and of no other model."""
    install(llama3=f"{__name__}:Words")
    assert get("llama3").name == "words"
    assert get("llama3.2").name == "llama3_estimate"


def test_broken_plug_in_asked_for(install: Callable[..., list[str]]) -> None:
    """Asking for a plug-in that can't be loaded says why, and does not list it as known."""
    install(acme="no_such_module:Words")
    with pytest.raises(UnknownNameError, match=r"loaded: ModuleNotFoundError") as caught:
        get("acme")
    assert "acme" not in caught.value.known
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)


def test_broken_plug_in_beside_another_name(install: Callable[..., list[str]]) -> None:
    """A broken plug-in harms no other name, and is not loaded when one is unknown."""
    loaded = install(acme="no_such_module:Words", fine=f"{__name__}:Words")
    assert get("fine").name == "words"
    with pytest.raises(UnknownNameError, match="unknown tokenizer 'o300k'") as caught:
        get("o300k")
    assert {"fine", "o200k"} <= set(caught.value.known)
    assert loaded == ["fine"]


def test_threads_share_one() -> None:
    """Threads that ask at the same time get the same tokenizer and the same counts."""
    with ThreadPoolExecutor(8) as pool:
        shared = [job.result() for job in [pool.submit(get, "o200k") for _ in range(32)]]
        counts = [job.result() for job in [pool.submit(t.count, "Hello world") for t in shared]]
    assert all(tokenizer is shared[0] for tokenizer in shared)
    assert counts == [2] * 32


@pytest.mark.parametrize(
    ("model", "due"),
    cases(__file__, "test_longest_beginning_decides"),
)
def test_longest_beginning_decides(model: str, due: list[str | None] | None) -> None:
    """A model is known by the longest beginning in the table that ends where a word does."""
    known = model_of(model)
    assert (known and [known.family, known.vocabulary]) == due


@pytest.mark.slow
def test_table_leads_to_known_names() -> None:
    """Each row of the table leads to a tokenizer: to its own vocabulary, or to an estimate."""
    for name, model in models().items():
        known = {model.vocabulary, f"{model.bound}{BOUND}", f"{model.family}_estimate"}
        assert get(name.rstrip(".")).name in known


def test_an_unknown_model_is_refused_in_a_line() -> None:
    """The error lists names of tokenizers and says where those of models are."""
    with pytest.raises(UnknownNameError, match=r"known: o200k.*mckp tokenizers lists") as refused:
        get("nobodys-model")
    assert len(str(refused.value)) < 500


def test_a_conversation_keeps_the_tokenizer_it_began_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An extra that is installed meanwhile changes no counts; another name does."""
    assert get("qwen3:8b").name == "qwen_estimate"
    monkeypatch.setattr(registry, "is_installed", "qwen3".__eq__)
    monkeypatch.setattr(registry, "_MADE", {})
    assert get("qwen3:8b").name == "qwen3"
    assert kept("qwen3:8b", "qwen_estimate").name == "qwen_estimate"
    assert kept("qwen3:8b", "o200k_base").name == "qwen3"
    assert kept("o200k", "qwen_estimate").name == "o200k_base"


def test_a_name_that_only_resembles_a_listed_one_says_so() -> None:
    """Its tokens are counted, and a warning names the model by which."""
    with pytest.warns(UserWarning, match=r"'gpt-5\.9'; tokens are counted as for gpt5 \(o200k"):
        assert get("gpt-5.9").name == "o200k_base"
    assert resembled("gpt-4-turbo-2024-04-09") is None
    assert resembled("gpt-4o-mini-2024-07-18") is None
    usual = (
        "openai.gpt-oss-120b-1:0 phi-4-reasoning mistralai/Mixtral-8x7B-Instruct-v0.1 glm-4.5-air"
    )
    assert not any(map(resembled, usual.split()))
    odd = "llama-3-lumimaid-70b glm-5.3-abliterated qwen3.8-27b-decentered"
    assert [*map(resembled, odd.split())] == ["llama3", "glm5.3", "qwen3.8"]
    assert resembled("llama-4-lumimaid") is None  # an estimate, which says so itself


def test_a_bound_is_no_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only an upper bound is known, the vocabulary counts, and the result says estimate."""
    monkeypatch.setattr(registry, "is_installed", is_installed)
    model = model_of("glm-5.3")
    assert model is not None
    if not is_installed("glm4"):
        assert tokenizer_name_for(model) == "glm_estimate"
        return
    assert tokenizer_name_for(model) == f"glm4{BOUND}"
    tokenizer = get(f"glm4{BOUND}")
    assert not tokenizer.exact
    assert tokenizer.count("naïve 345") == get("glm4").count("naïve 345")
