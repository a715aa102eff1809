"""The slow obvious twin of the parser of calls: a whole text, one character after another."""

from __future__ import annotations

from typing import Final

from mckp.tools.calls.grammar import NAME, QUOTED_NAME

_BEFORE_QUOTES: Final = "=:,.([{"
_OPENING: Final = {")": "(", "]": "[", "}": "{"}


def frames(text: str) -> list[tuple[str, str]]:
    """Cut a text into ``text``, ``call`` and ``unclosed``, each with what it covers."""
    found: list[tuple[str, str]] = []
    at, margin = 0, "line"
    while at < len(text):
        kind, end, after = _piece(text, at, margin)
        if kind == "text" and found and found[-1][0] == "text":
            found[-1] = "text", found[-1][1] + text[at:end]
        else:
            found.append((kind, text[at:end]))
        at, margin = end, after
    return found


def _piece(text: str, at: int, margin: str) -> tuple[str, int, str]:
    """Return what begins at a place, where it ends, and what stands before that end."""
    if text.startswith("<call>", at):
        return *_wire(text, at), "call"
    if text[at] == "→" and margin != "text":
        begin = _name_end(text, at + 1)
        if begin > at + 1 and text[begin : begin + 1] == "(":
            return *_native(text, begin + 1), "call"
    if text.startswith(("```", "~~~"), at) and margin == "line":
        return "text", _fence_end(text, at), "text"
    if text[at] == "\n":
        return "text", at + 1, "line"
    return "text", at + 1, margin if text[at] in " \t\r" else "text"


def _name_end(text: str, at: int) -> int:
    match = NAME.match(text, at) or QUOTED_NAME.match(text, at)
    if match is None or "\\ud" in match[0].lower():
        return at
    return match.end()


def _wire(text: str, at: int) -> tuple[str, int]:
    at += len("<call>")
    while text[at : at + 1].isspace():
        at += 1
    at = _name_end(text, at)
    while at < len(text):
        if text.startswith("</call>", at):
            return "call", at + len("</call>")
        if text.startswith("<call>", at):
            return "unclosed", at
        at = _string_end(text, at) if _is_quote(text, at) else at + 1
    return "unclosed", len(text)


def _native(text: str, at: int) -> tuple[str, int]:
    brackets = "("
    while at < len(text):
        char = text[at]
        if _is_quote(text, at):
            at = _string_end(text, at)
            continue
        at += 1
        if char in "([{":
            brackets += char
        elif char in ")]}" and _OPENING[char] in brackets:
            brackets = brackets[: brackets.rindex(_OPENING[char])]
            if not brackets:
                return "call", at
    return "unclosed", len(text)


def _is_quote(text: str, at: int) -> bool:
    return text[at] in "\"'" and (text[at - 1].isspace() or text[at - 1] in _BEFORE_QUOTES)


def _string_end(text: str, at: int) -> int:
    quote = text[at]
    at += 1
    while at < len(text) and text[at] != quote:
        at += 2 if text[at] == "\\" else 1
    return min(at, len(text)) + 1


def _fence_end(text: str, at: int) -> int:
    mark = text[at]
    size = len(text[at:]) - len(text[at:].lstrip(mark))
    first, *lines = text[at + size :].split("\n")
    if mark == "`" and "`" in first:
        return at + size + first.index("`")
    at += size + len(first)
    for line in lines:
        at += 1 + len(line)
        if len(line.strip(" \t\r")) >= size and not line.strip(" \t\r").strip(mark):
            return at
    return at
