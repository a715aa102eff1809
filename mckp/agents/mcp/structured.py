"""The structured content of results: mostly the same data as their text, so paid for twice."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import orjson

from mckp.agents.host import BOTH, DATA, TEXT, is_for_model
from mckp.agents.session.classify import is_same
from mckp.jsontext import dump, is_array, is_object, load
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_WORD: Final = regex(r"\w+")
_MAX_CHARS: Final = 1 << 20
"""The most characters of texts whose words are compared with the data."""

_NOTE_CHARS: Final = 400
"""Text or data of at most that many characters is a note, which stays next to the rest."""


def texts_in(blocks: Any) -> Iterator[int]:
    """Yield the indexes of blocks with texts for the model that are not empty.

    None if `blocks` is not a list.
    """
    for place, block in enumerate(blocks if is_array(blocks) else ()):
        is_text = is_object(block) and block.get("type") == "text"
        text = block.get("text") if is_text else None
        if text and isinstance(text, str) and is_for_model(block.get("annotations")):
            yield place


def texts_of(blocks: Any) -> list[str]:
    """Return the texts for the model in the blocks of a result."""
    return [blocks[place]["text"] for place in texts_in(blocks)]


def arrange_content(result: dict[str, Any], treatment: str, shows: str = BOTH) -> dict[str, Any]:
    """Return a result with its structured content arranged as `treatment` says.

    `treatment` is one of `STRUCTURED`. With ``keep``, all stays as it is; with ``drop``, only the
    texts are kept, if there are any; with ``encode``, the data become another text unless the texts
    have the same data. With ``auto``, the data become a text too. If text and data are about as
    long, they are two versions of the same content: a host that `shows` only one of them gets that
    one, any other host gets both. If one is much shorter, it is a note on the other, and both are
    kept. Several texts with the items of the data become one, unless the treatment is ``drop``.

    Examples
    --------
    >>> text = {"type": "text", "text": '{"a": 1}'}
    >>> arrange_content({"content": [text], "structuredContent": {"a": 1}}, "auto")
    {'content': [{'type': 'text', 'text': '{"a": 1}'}]}
    >>> arrange_content({"content": [], "structuredContent": {"a": 1}}, "auto")
    {'content': [{'type': 'text', 'text': '{"a":1}'}]}
    """
    data = result.get("structuredContent")
    if data is None or treatment == "keep":
        return result
    blocks = result.get("content")
    blocks = blocks if is_array(blocks) else []
    places, texts = list(texts_in(blocks)), texts_of(blocks)
    written = _text_block(data)
    if holds_same_data(texts, data):
        if len(places) > 1 and treatment != "drop":
            # With a text for each item, one text of all items can become a table.
            blocks = _replace_blocks(blocks, places, _text_block(_unwrapped_value(data)))
    elif (
        not places
        or treatment == "encode"
        or (treatment == "auto" and result.get("isError") is True)
    ):
        blocks = [*blocks, written]
    elif treatment == "auto":
        are_alike = _are_alike(sum(map(len, texts)), len(written["text"]))
        if repeats_data(texts, data) or (shows == DATA and are_alike):
            blocks = _replace_blocks(blocks, places, written)
        elif shows != TEXT or not are_alike:
            blocks = [*blocks, written]
    other_members = {key: value for key, value in result.items() if key != "structuredContent"}
    return {**other_members, "content": blocks}


def _are_alike(length: int, other_length: int) -> bool:
    """Whether both lengths exceed that of a note, and neither is over four times the other."""
    return min(length, other_length) > _NOTE_CHARS and 4 * min(length, other_length) >= max(
        length, other_length
    )


def _replace_blocks(blocks: list[Any], places: list[int], block: dict[str, str]) -> list[Any]:
    """Return blocks with one block in place of those at the given indexes."""
    remaining = [other_block for place, other_block in enumerate(blocks) if place not in places]
    return [*remaining[: places[0]], block, *remaining[places[0] :]]


def repeats_data(texts: Sequence[str], data: Any) -> bool:
    r"""Whether texts repeat the data in another form, with at least half its words and no others.

    Words of member names may be there, too. JSON, or a text that is too long to compare, repeats
    nothing.

    Examples
    --------
    >>> data = {"jobs": [{"id": 7, "state": "open"}, {"id": 8, "state": "done"}]}
    >>> repeats_data(["| id | state |\n|---|---|\n| 7 | open |\n| 8 | done |"], data)
    True
    >>> repeats_data(["7 and 8"], data), repeats_data(["open"], data)
    (False, False)
    """
    if sum(map(len, texts)) > _MAX_CHARS or any(map(_is_json, texts)):
        return False  # JSON that differs from the data is other data
    name_words, leaf_words = set[str](), Counter[str]()
    unread = [data]
    while unread:
        value = unread.pop()
        if is_object(value):
            name_words.update(chain.from_iterable(map(_words, value)))
            unread += value.values()
        elif is_array(value):
            unread += value
        else:
            leaf_words.update(_words(value if isinstance(value, str) else dump(value)))
    words_written = Counter(chain.from_iterable(map(_words, texts)))
    has_no_others = all(
        word in name_words or count <= leaf_words[word] for word, count in words_written.items()
    )
    return has_no_others and 2 * (words_written & leaf_words).total() >= leaf_words.total()


def _is_json(text: str) -> bool:
    """Whether a text is JSON data."""
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True


def _words(text: str) -> list[str]:
    """Return the words of a text."""
    return _WORD.findall(text.lower())


def join_texts(blocks: list[Any]) -> list[Any]:
    r"""Return blocks with consecutive texts joined into one, with line ends in between.

    Examples
    --------
    >>> texts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    >>> join_texts([*texts, {"type": "image"}])
    [{'type': 'text', 'text': 'a\nb'}, {'type': 'image'}]
    """
    places, joined = set(texts_in(blocks)), list[Any]()
    for place, block in enumerate(blocks):
        if place in places and place - 1 in places:
            previous = joined.pop()
            end = "" if previous["text"].endswith("\n") else "\n"
            joined.append({**previous, "text": f"{previous['text']}{end}{block['text']}"})
        else:
            joined.append(block)
    return joined


def holds_same_data(texts: Sequence[str], data: Any) -> bool:
    """Whether texts hold the data, or the value of its only member, in one text or item by item.

    Examples
    --------
    >>> holds_same_data(["[1, 2]"], {"result": [1, 2]})
    True
    >>> holds_same_data(["1", "b"], {"result": [1, "b"]})
    True
    >>> holds_same_data(["2 found"], {"count": 2}), holds_same_data(["1"], {"result": 1.5})
    (False, False)
    """
    inner = _unwrapped_value(data)
    if len(texts) == 1:
        return any(_is_same_data(texts[0], content) for content in (data, inner))
    has_text_per_item = is_array(inner) and len(inner) == len(texts) > 0
    return has_text_per_item and all(map(_is_same_data, texts, inner))


def _unwrapped_value(data: Any) -> Any:
    """Return the value of an object's only member, since SDKs wrap data so; else the data."""
    return next(iter(data.values())) if is_object(data) and len(data) == 1 else data


def _is_same_data(text: str, data: Any) -> bool:
    """Whether a text is the data, or JSON of the same data."""
    if isinstance(data, str) and text == data:
        return True
    try:
        return is_same(load(text), data)
    except (ValueError, RecursionError):
        return False


def _text_block(data: Any) -> dict[str, str]:
    """Return data as a block of text."""
    return {"type": "text", "text": dump(data)}
