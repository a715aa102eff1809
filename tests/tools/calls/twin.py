"""The slow obvious twin of the parser of calls: a whole text, one character after another."""

from typing import Final

from mckp.tools.calls.grammar import NAME, QUOTED_NAME

_BEFORE_QUOTES: Final = "=:,.([{"


def frames(text: str) -> list[tuple[str, str]]:
    """Cut a text into ``text``, ``call`` and ``unclosed``, each with what it covers."""
    pieces: list[tuple[str, str]] = []
    at, is_line = 0, True
    while at < len(text):
        kind, end, is_next = _piece(text, at, is_line=is_line)
        if kind == "text" and pieces and pieces[-1][0] == "text":
            pieces[-1] = "text", pieces[-1][1] + text[at:end]
        else:
            pieces.append((kind, text[at:end]))
        at, is_line = end, is_next
    return pieces


def _piece(text: str, at: int, *, is_line: bool) -> tuple[str, int, bool]:
    """Return what begins at a place, where it ends, and whether blanks alone are before that."""
    if text.startswith("<call>", at):
        return *_call(text, at), False
    if text.startswith(("```", "~~~"), at) and is_line:
        return "text", _fence_end(text, at), False
    return "text", at + 1, text[at] == "\n" or (is_line and text[at] in " \t\r")


def _name_end(text: str, at: int) -> int:
    match = NAME.match(text, at) or QUOTED_NAME.match(text, at)
    if match is None or "\\ud" in match[0].lower():
        return at
    return match.end()


def _call(text: str, at: int) -> tuple[str, int]:
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
