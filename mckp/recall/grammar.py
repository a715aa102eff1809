"""Read expressions as models write them into a tree, which `mckp.recall.evaluate` evaluates."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.recall.expressions import Binary, Const, Field, FunctionCall, MemberAccess, Several, Unary
from mckp.recall.values import EACH, Deep, Where
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from mckp.plain import JsonValue
    from mckp.recall.expressions import Expr
    from mckp.recall.values import Step


class GrammarError(ValueError):
    """An expression that cannot be read, with the column of the fault, counted from 1."""

    def __init__(self, text: str, column: int, why: str) -> None:
        self.text, self.column, self.why = text, column, why
        super().__init__(f"{why} at column {column} of {text!r}")


class _ExpressionToken(NamedTuple):
    """A token of an expression, with its place in the text."""

    kind: str
    text: str
    start: int
    end: int


_TOKEN: Final = regex(
    r"""
    (?P<time>[0-9]{4}-[0-9]{2}(?:-[0-9]{2}(?:T[0-9:.]*(?:Z|[+-][0-9:]+)?)?)?(?![\w-]))
  | (?P<number>(?:[0-9]+\.[0-9]+|[0-9]+)(?:[eE][+-]?[0-9]{1,3})?(?![\w]))
  | (?P<text>'(?:[^'\\]|\\.|'')*' | "(?:[^"\\]|\\.)*" | `[^`]*`)
  | (?P<deep>\.\.)
  | (?P<step>\.(?:[\w$@]+))
  | (?P<name>[\w]+)
  | (?P<sign>=~|!~|==|!=|<>|<=|>=|&&|\|\||\[\?|[=<>!~+*/%,()\[\]:.$@|-])
    """,
    re.VERBOSE,
)
_ESCAPE: Final = regex(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r"}

_COMPARES: Final = {
    "==": "==", "=": "==", "===": "==", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=",
    ">": ">", ">=": ">=", "=~": "matches", "~": "matches", "!~": "not matches",
}  # fmt: skip
_WORDS: Final = {
    "in": "in", "contains": "contains", "includes": "contains", "has": "contains",
    "startswith": "startswith", "starts_with": "startswith", "endswith": "endswith",
    "ends_with": "endswith", "matches": "matches", "match": "matches", "regex": "matches",
    "like": "like", "ilike": "like",
}  # fmt: skip
WORDS: Final = (*_WORDS, "and", "or", "not", "is", "between", "exists")
"""Words that are operators where one is expected; anywhere else they are names."""
_VALUES: Final = {"true": True, "false": False, "null": None, "none": None, "nil": None}
_MAX_DEPTH: Final = 60
MAX_TEXT: Final = 4_000
"""Most characters of an expression."""


def read(text: str, odd: Collection[str] = ()) -> Expr:
    """Parse an expression into a tree.

    Parameters
    ----------
    text : str
        The expression, such as ``status == 'failed' and len(steps) > 3``.
    odd : collection of str
        Names in the document that are not identifiers, such as ``loss/mean``. They are read as
        names wherever they occur.

    Raises
    ------
    GrammarError
        If the text cannot be read.

    Examples
    --------
    >>> read("not a.b[0]")
    Unary(sign='not', of=Field(steps=('a', 'b', 0), text='a.b[0]', word=''))
    """
    return _ExpressionReader(text, odd).read_expression()


def read_steps(text: str, odd: Collection[str] = ()) -> tuple[Step, ...]:
    """Parse a path from the root, such as ``$.jobs[5:8].name`` or ``$..shares``, into steps.

    `odd` is as in `read`.

    Raises
    ------
    GrammarError
        If the text cannot be read.

    Examples
    --------
    >>> read_steps("$.jobs[-1]['a b'].x-y"), read_steps("$"), read_steps("jobs[]")
    (('jobs', -1, 'a b', 'x-y'), (), ('jobs', <Sentinel.EACH: '[*]'>))
    """
    return _ExpressionReader(text, odd, is_path=True).read_path()


class _ExpressionReader:
    """Reads one expression from its tokens, by recursive descent."""

    def __init__(self, text: str, odd: Collection[str], *, is_path: bool = False) -> None:
        self.text, self._odd, self._is_path = text, _longest_first(odd), is_path
        if len(text) > MAX_TEXT:
            raise GrammarError(f"{text[:40]}…", MAX_TEXT, "too many characters")
        self._tokens, self._at, self._depth = list(self._lex()), 0, 0

    # Tokens

    def _lex(self) -> Iterator[_ExpressionToken]:
        """Yield the tokens of the text, and an end token."""
        at, text = 0, self.text
        while at < len(text):
            if text[at].isspace():
                at += 1
                continue
            token = self._read_odd_name(at) or self._read_path_name(at) or self._read_token(at)
            yield token
            at = token.end
        yield _ExpressionToken("end", "", len(text), len(text))

    def _read_token(self, at: int) -> _ExpressionToken:
        """Return the token at a place where no odd name and no name in a path begins, or raise."""
        match = _TOKEN.match(self.text, at)
        if match is None:
            why = "a quote is not closed" if self.text[at] in "'\"`" else "an unexpected sign"
            raise GrammarError(self.text, at + 1, why)
        return _ExpressionToken(str(match.lastgroup), match[0], at, match.end())

    def _read_odd_name(self, at: int) -> _ExpressionToken | None:
        """Return the token of an odd name (of the document, but no identifier), or None."""
        dot = self.text[at] == "."
        start = at + dot
        for name in self._odd:
            end = start + len(name)
            if self.text.startswith(name, start) and not self.text[end : end + 1].isalnum():
                return _ExpressionToken("step" if dot else "name", self.text[at:end], at, end)
        return None

    def _read_path_name(self, at: int) -> _ExpressionToken | None:
        """Return the token of a name in a path, which ends at the next step, or None."""
        if not self._is_path or (at and self.text[at - 1] in "[?"):
            return None
        match = _PATH_NAME.match(self.text, at)
        if match is None or "[" in self.text[:at].rpartition("]")[2]:
            return None
        kind = "step" if match[0][0] == "." else "name"
        return _ExpressionToken(kind, match[0], at, match.end())

    def _peek(self, ahead: int = 0) -> _ExpressionToken:
        """Return the next token, or the one that is `ahead` tokens after it; step past neither."""
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)]

    def _advance(self) -> _ExpressionToken:
        """Return the next token, and step past it."""
        token = self._peek()
        self._at += 1
        return token

    def _accept_sign(self, *signs: str) -> str:
        """Step past one of the given signs and return it, or an empty string if none is here."""
        token = self._peek()
        if token.kind in ("sign", "deep") and token.text in signs:
            self._at += 1
            return token.text
        return ""

    def _accept_word(self, *words: str) -> str:
        """Step past one of the given words and return it in lower case; else an empty string."""
        token = self._peek()
        if token.kind == "name" and token.text.lower() in words:
            self._at += 1
            return token.text.lower()
        return ""

    def _expect_sign(self, sign: str) -> None:
        """Step past a sign; raise `GrammarError` if it is not here."""
        if not self._accept_sign(sign):
            raise self._error_here(f"{sign} is missing")

    def _error_here(self, why: str) -> GrammarError:
        """Return an error at the next token."""
        token = self._peek()
        message = f"{why} before {token.text!r}" if token.text else f"{why} at the end"
        return GrammarError(self.text, token.start + 1, message)

    # Expressions, in falling order of what binds the least

    def read_expression(self) -> Expr:
        """Read all of the text as an expression."""
        expr = self._read_or()
        if self._peek().kind != "end":
            raise self._error_here("an operator such as == or and is missing")
        return expr

    def _read_or(self) -> Expr:
        """Read expressions that are joined by ``or``."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise self._error_here("too many nested brackets")
        expr = self._read_and()
        while self._accept_word("or") or self._accept_sign("||"):
            expr = Binary("or", expr, self._read_and())
        self._depth -= 1
        return expr

    def _read_and(self) -> Expr:
        """Read expressions that are joined by ``and``."""
        expr = self._read_not()
        while self._accept_word("and") or self._accept_sign("&&"):
            expr = Binary("and", expr, self._read_not())
        return expr

    def _read_not(self) -> Expr:
        """Read a comparison with any number of ``not`` before it."""
        signs = 0
        while (self._starts_operand(1) and self._accept_word("not")) or self._accept_sign("!"):
            signs += 1
        expr = self._read_comparison()
        return Unary("not", expr) if signs % 2 else expr

    def _starts_operand(self, ahead: int) -> bool:
        """Whether the token that is `ahead` tokens after the next one begins a value."""
        token = self._peek(ahead)
        return token.kind in ("name", "number", "text", "time", "step") or token.text in (
            *("(", "$", "@", "!", "-", "["),
        )

    def _read_comparison(self) -> Expr:
        """Read a value, with the comparisons that follow it."""
        if self._peek(1).kind in ("name", "step") and self._accept_word("exists"):
            return FunctionCall("exists", (self._read_sum(),))
        left = self._read_sum()
        while (comparison := self._read_next_comparison(left)) is not None:
            left = comparison
        return left

    def _read_next_comparison(self, left: Expr) -> Expr | None:
        """Read a comparison after `left` and return it, or None if there is none."""
        if sign := self._accept_sign(*_COMPARES):
            word = _COMPARES[sign]
            comparison = Binary(word.removeprefix("not "), left, self._read_sum())
            return Unary("not", comparison) if word.startswith("not ") else comparison
        if self._accept_word("is"):
            is_negated = bool(self._accept_word("not"))
            if self._accept_word("missing", "empty"):
                return Binary("!=" if is_negated else "==", left, Const(None))
            return Binary("!=" if is_negated else "==", left, self._read_sum())
        next_word = self._peek(1).text.lower()
        is_negated = self._peek().text.lower() == "not" and next_word in (
            *_WORDS,
            "between",
            "exists",
        )
        if is_negated:
            self._at += 1
        expr = self._read_word_comparison(left)
        return Unary("not", expr) if is_negated and expr is not None else expr

    def _read_word_comparison(self, left: Expr) -> Expr | None:
        """Read a comparison in words, such as ``x between 3 and 5``; None if there is none."""
        if self._accept_word("exists"):
            return FunctionCall("exists", (left,))
        if self._accept_word("between"):
            low = self._read_sum()
            if not self._accept_word("and"):
                raise self._error_here("between needs two values: x between 3 and 5")
            return Binary("and", Binary(">=", left, low), Binary("<=", left, self._read_sum()))
        if self._peek().text.lower() in ("starts", "ends") and self._peek(1).text.lower() == "with":
            word = self._advance().text.lower()
            self._at += 1
            return Binary(f"{word}with", left, self._read_sum())
        if word := self._accept_word(*_WORDS):
            return Binary(_WORDS[word], left, self._read_sum())
        return None

    def _read_sum(self) -> Expr:
        """Read terms that are joined by ``+`` or ``-``."""
        expr = self._read_product()
        while sign := self._accept_sign("+", "-"):
            expr = Binary(sign, expr, self._read_product())
        return expr

    def _read_product(self) -> Expr:
        """Read factors that are joined by ``*``, ``/`` or ``%``."""
        expr = self._read_signed()
        while sign := self._accept_sign("*", "/", "%"):
            expr = Binary(sign, expr, self._read_signed())
        return expr

    def _read_signed(self) -> Expr:
        """Read a value with any number of ``-`` or ``+`` before it."""
        minus_count = 0
        while sign := self._accept_sign("-", "+"):
            minus_count += sign == "-"
        expr = self._read_operand()
        # Three signs are as one, but two are not as none: they make a number of a string.
        for _ in range(2 - minus_count % 2 if minus_count else 0):
            is_number = isinstance(expr, Const) and isinstance(expr.value, int | float)
            expr = Const(-expr.value) if isinstance(expr, Const) and is_number else Unary("-", expr)
        return expr

    # Values and steps

    def _read_operand(self) -> Expr:
        """Read a value with the steps after it."""
        start = self._peek().start
        operand = self._read_primary()
        while True:
            token = self._peek()
            if token.kind == "step" and self._peek(1).text == "(":
                self._at += 1  # a method is the function of the same name
                operand = FunctionCall(token.text[1:].lower(), (operand, *self._read_arguments()))
                continue
            steps = tuple(self._read_steps())
            if not steps:
                return operand
            text = self.text[start : self._tokens[self._at - 1].end]
            if isinstance(operand, Field):
                operand = Field(operand.steps + steps, text)
            else:
                operand = MemberAccess(operand, steps)

    def _read_steps(self) -> Iterator[Step]:
        """Read and yield all steps that follow."""
        while True:
            token = self._peek()
            if token.kind == "step":
                if self._peek(1).text == "(":
                    return
                self._at += 1
                yield token.text[1:]
            elif token.kind == "deep":
                self._at += 1
                yield self._read_deep_step()
            elif token.text == "." and token.kind == "sign":
                self._at += 1
                if (step := self._read_dot_step()) is not None:
                    yield step
            elif token.text in ("[", "[?") and token.kind == "sign":
                yield self._read_bracket()
            else:
                return

    def _read_deep_step(self) -> Step:
        """Read the name after ``..``."""
        token = self._advance()
        if token.kind == "name":
            return Deep(token.text)
        if token.kind == "text":
            return Deep(unquoted(token.text))
        self._at -= 1
        raise self._error_here("a name is missing after ..")

    def _read_dot_step(self) -> Step | None:
        """Read the step after a dot; None if a bracket follows."""
        token = self._peek()
        if token.kind == "text":
            self._at += 1
            return unquoted(token.text)
        if self._accept_sign("*"):
            return self._read_stars()
        if token.text == "[":
            return None
        raise self._error_here("a name is missing after the dot")

    def _read_stars(self) -> Step:
        """Read the step after a star: each element, or after ``**`` a name at any depth."""
        if not self._accept_sign("*"):
            return EACH
        token = self._advance()
        if token.kind == "step":
            return Deep(token.text[1:])
        self._at -= 1
        raise self._error_here("a name is missing after **")

    def _read_bracket(self) -> Step:
        """Read the step in brackets: a name, an index, a slice, a filter or all elements."""
        token = self._advance()
        if token.text == "[?":
            return self._read_filter(token.end)
        if self._accept_sign("]"):
            return EACH
        if self._accept_sign("*"):
            self._expect_sign("]")
            return EACH
        if self._peek().kind in ("text", "name") and self._peek(1).text == "]":
            quoted = self._advance()
            self._expect_sign("]")
            return unquoted(quoted.text) if quoted.kind == "text" else quoted.text
        first = self._read_index()
        if not self._accept_sign(":"):
            self._expect_sign("]")
            if first is None:
                raise self._error_here("an index is missing")
            return first
        last = self._read_index()
        self._expect_sign("]")
        return slice(first, last)

    def _read_index(self) -> int | None:
        """Read an index, perhaps negative, or None before ``]`` or ``:``; raise for all else."""
        negative = bool(self._accept_sign("-"))
        token = self._peek()
        if token.kind != "number" or not token.text.isdecimal() or len(token.text) > 17:
            if negative or token.text not in ("]", ":"):
                raise self._error_here("a whole number, : or a quoted name is needed in brackets")
            return None
        self._at += 1
        return -int(token.text) if negative else int(token.text)

    def _read_filter(self, start: int) -> Step:
        """Read a filter, whose text begins at `start`."""
        was_path, self._is_path = self._is_path, False
        inner = self._read_or()
        self._is_path = was_path
        text = self.text[start : self._peek().start].strip()
        self._expect_sign("]")
        return Where(_test_of(inner), text)

    def _read_primary(self) -> Expr:
        """Read a value without the steps after it: a literal, a field, a call or a list."""
        token = self._advance()
        if token.kind == "number":
            is_whole = token.text.isdecimal() and len(token.text) < 4000
            return Const(int(token.text) if is_whole else float(token.text))
        if token.kind in ("time", "text"):
            if token.text[0] == "`":
                return _backticked(token.text[1:-1])
            return Const(unquoted(token.text) if token.kind == "text" else token.text)
        if token.kind == "name":
            return self._read_name(token)
        if token.kind == "step":
            return Field((token.text[1:],), token.text[1:], token.text[1:])
        if token.kind == "deep":
            return Field((self._read_deep_step(),), token.text)
        if token.text == "(":
            return self._read_parenthesized()
        if token.text == "[":
            return Several(tuple(self._read_items("]")))
        if token.text in ("$", "@"):
            return self._read_root(token)
        if token.text == "*":
            return Field((), "*")
        self._at -= 1
        raise self._error_here("a field or a value is missing")

    def _read_root(self, token: _ExpressionToken) -> Expr:
        """Read what a ``$`` or ``@`` begins: the row itself, or a name such as ``@type``."""
        follows = self._peek()
        if follows.kind == "name" and follows.start == token.end:
            self._at += 1
            name = f"{token.text}{follows.text}"
            return Field((name,), name, name)
        return Field((), token.text)

    def _read_name(self, token: _ExpressionToken) -> Expr:
        """Read what begins with a name: a call, a literal such as ``true``, or a field."""
        word = token.text.lower()
        if self._peek().text == "(" and self._peek().start == token.end:
            return FunctionCall(word, tuple(self._read_arguments()))
        if word in _VALUES:
            return Const(_VALUES[word])
        if word == "distinct" and self._starts_operand(0):
            return FunctionCall("unique", (self._read_sum(),))
        return Field((token.text,), token.text, token.text)

    def _read_arguments(self) -> list[Expr]:
        """Read the arguments of a call, in round brackets."""
        self._expect_sign("(")
        return list(self._read_items(")"))

    def _read_items(self, end: str) -> Iterator[Expr]:
        """Read and yield expressions with commas between them, up to a closing sign."""
        if self._accept_sign(end):
            return
        while True:
            yield self._read_or()
            if self._accept_sign(end):
                return
            if not self._accept_sign(","):
                raise self._error_here(f", or {end} is missing")

    def _read_parenthesized(self) -> Expr:
        """Read what follows a round bracket: an expression, or a list of several."""
        items = list(self._read_items(")"))
        return items[0] if len(items) == 1 else Several(tuple(items))

    def read_path(self) -> tuple[Step, ...]:
        """Read all of the text as a path."""
        token = self._peek()
        if token.text in ("$", "@"):
            self._at += 1
        steps: list[Step] = []
        if self._peek().kind == "name":
            steps.append(self._advance().text)
        elif self._peek().kind == "text":
            steps.append(unquoted(self._advance().text))
        elif self._accept_sign("*"):
            steps.append(self._read_stars())
        steps += self._read_steps()
        if self._peek().kind != "end":
            raise self._error_here('.name, [3], [5:8], [*] or ["odd name"] is needed')
        return tuple(steps)


_PATH_NAME: Final = regex(r"\.?(?:[^\s.\[\]*'\"$@`?(](?:[^.\[\]*'\"`]*[^\s.\[\]*'\"`])?)")


def _test_of(expr: Expr) -> Callable[[Any], bool]:
    """Return a test of whether an expression is true of a row."""
    from mckp.recall.evaluate import holds

    return lambda row: holds(expr, row)


def _longest_first(odd: Collection[str]) -> list[str]:
    """Return names, the longest first, so that a token takes as much as it can."""
    return sorted(odd, key=len, reverse=True)


def _backticked(text: str) -> Expr:
    """Read a text in backticks: a name as in MySQL, or a value as in JMESPath."""
    if text[:1] in "\"'0123456789-":
        return Const(unquoted(text) if text[:1] in "\"'" else _whole_number_or_text(text))
    if text.lower() in _VALUES:
        return Const(_VALUES[text.lower()])
    return Field((text,), text, text)


def _whole_number_or_text(text: str) -> JsonValue:
    """Return a text as a whole number, or as it is if it is none."""
    try:
        return int(text)
    except ValueError:
        return text


def unquoted(text: str) -> str:
    r"""Return the text between quotes, with its escapes resolved.

    Examples
    --------
    >>> unquoted(r"'it\'s'"), unquoted("'it''s'"), unquoted('"a\\u00e9"')
    ("it's", "it's", 'aé')
    """
    inner = text[1:-1]
    if text[0] == "'":
        inner = inner.replace("''", "'")

    def resolve(match: re.Match[str]) -> str:
        """Return the character for an escape; the escape itself if it is one of a pattern."""
        sign = match[1]
        if len(sign) == 5:
            return chr(int(sign[1:], 16))
        # A backslash before a letter of a pattern, as in '\d', stays.
        return _ESCAPED.get(sign, sign if not sign.isalnum() else f"\\{sign}")

    return _ESCAPE.sub(resolve, inner)
