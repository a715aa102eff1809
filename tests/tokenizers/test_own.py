"""Tokenizers of the caller's own: files and objects of libraries, counted as these count."""

import json
from base64 import b64encode
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import mckp
from mckp.errors import MckpError
from mckp.tokenizers import get, own
from mckp.tokenizers.encodings import VOCABULARIES, load, token_file

TEXTS = [
    "",
    "Hello world",
    "a\n\n  b\tc",
    "naïve 日本語 🚀",
    "<|endoftext|> <s>",
    "x\ud800y",
    "12345",
]


def hugging_face() -> Any:
    """Return a small tokenizer with a special token, trained on a few lines."""
    library = pytest.importorskip("tokenizers")
    made = library.Tokenizer(library.models.BPE())
    made.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = library.pre_tokenizers.ByteLevel.alphabet()
    trainer = library.trainers.BpeTrainer(
        vocab_size=320, initial_alphabet=alphabet, special_tokens=["<s>"], show_progress=False
    )
    made.train_from_iterator(["id: 1\nname: Ada\n" * 9, "Hello world <s> naïve"], trainer)
    made.post_processor = library.processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", made.token_to_id("<s>"))]
    )
    return made


def test_a_tokenizer_json(tmp_path: Path) -> None:
    """A tokenizer.json counts as its library does, without a frame."""
    made = hugging_face()
    path = tmp_path / "small" / "tokenizer.json"
    path.parent.mkdir()
    made.save(str(path))
    for tokenizer in (get(str(path)), get(made)):
        assert tokenizer.exact
        for text in TEXTS[:4]:
            assert tokenizer.count(text) == len(made.encode(text, add_special_tokens=False).ids)
        assert tokenizer.count("<s>") > 1
        assert tokenizer.count("x\ud800y") == tokenizer.count("x\ufffdy")
    assert get(str(path)).name == "small/tokenizer.json"
    assert len(made.encode("<s>", add_special_tokens=False).ids) == 1  # it is as it was
    result = mckp.encode([{"id": n, "name": "Ada"} for n in range(40)], budget=150, tokenizer=made)
    assert 0.8 * 150 < result.tokens == get(made).count(result.text) <= 150


def test_an_object_of_tiktoken() -> None:
    """An encoding of tiktoken is a tokenizer."""
    encoding = load("cl100k_base")
    assert get(encoding).count_batch(TEXTS) == get("cl100k").count_batch(TEXTS)
    assert "tiktoken" in get(encoding).name


@pytest.mark.slow
def test_a_tekken_json(tmp_path: Path) -> None:
    """A tekken.json counts as the library of Mistral does."""
    ranks = token_file("cl100k_base").all()
    vocab = [
        {"rank": rank, "token_bytes": b64encode(token).decode()}
        for token, rank in sorted(ranks.items(), key=lambda pair: pair[1])
    ]
    config = {
        "pattern": VOCABULARIES["cl100k_base"].pattern,
        "default_vocab_size": len(vocab) + 4,
        "default_num_special_tokens": 4,
    }
    path = tmp_path / "tekken.json"
    path.write_text(json.dumps({"config": config, "vocab": vocab}), "utf-8")
    assert get(str(path)).count_batch(TEXTS) == get("cl100k").count_batch(TEXTS)


def test_a_model_of_sentencepiece(tmp_path: Path) -> None:
    """A model of sentencepiece counts as its library does."""
    library = pytest.importorskip("sentencepiece")
    lines = [f"id: {n}\tname: Ada Lovelace of {n}" for n in range(300)]
    source = tmp_path / "lines.txt"
    source.write_text("\n".join(lines), "utf-8")
    library.SentencePieceTrainer.train(
        input=str(source),
        model_prefix=str(tmp_path / "small"),
        model_type="bpe",
        vocab_size=340,
        byte_fallback=True,
        remove_extra_whitespaces=False,
        normalization_rule_name="identity",
        minloglevel=2,
    )
    made = library.SentencePieceProcessor(model_file=str(tmp_path / "small.model"))
    tokenizer = get(str(tmp_path / "small.model"))
    assert tokenizer.count_batch(TEXTS[:5]) == [len(made.encode(text)) for text in TEXTS[:5]]
    assert get(made).count("Ada 7") == tokenizer.count("Ada 7")
    for budget in (60, 100):
        data = [{"id": n, "name": "Ada Lovelace"} for n in range(40)]
        result = mckp.encode(data, budget=budget, tokenizer=made)
        assert 0.7 * budget < result.tokens == tokenizer.count(result.text) <= budget


def test_an_object_of_mistral_common() -> None:
    """A tokenizer object of mistral-common counts like its file."""
    library = pytest.importorskip("mistral_common", reason="mistral-common is no part of dev")
    tekken: Any = import_module("mistral_common.tokens.tokenizers.tekken")
    path = Path(library.__file__).parent / "data" / "tekken_240911.json"
    assert get(tekken.Tekkenizer.from_file(path)).count_batch(TEXTS[:5]) == get(
        str(path)
    ).count_batch(TEXTS[:5])


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "cannot read the tokenizer file"), ("{}", "cannot be read"), ("[", "cannot be read")],
)
def test_a_bad_file_is_a_clear_error(tmp_path: Path, content: str | None, said: str) -> None:
    """A missing or broken tokenizer file is an error that names it."""
    pytest.importorskip("tokenizers")
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_text(content, "utf-8")
    with pytest.raises(MckpError, match=said) as caught:
        get(str(path))
    assert str(path) in str(caught.value)


def test_other_objects_are_none_of_them() -> None:
    """An object that is no tokenizer is an error."""
    assert own.wrap_object(object()) is None
    with pytest.raises(TypeError, match="expected a tokenizer, a name or a function"):
        get(object())  # type: ignore[arg-type]
