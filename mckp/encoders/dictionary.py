"""A layer above all formats: texts that repeat in a document are written once, at the top.

The first line says how many lines of definitions follow. Each defines a code for a text: a single
letter that does not occur in the document::

    (3) phrases
    β=https://api.github.com/repos/
    λ=βoctokit/octokit.rb/
    δ={login octocat id 1 type User}

The document follows, with the letters in place of the texts. A definition may use the codes above
it. As no code occurs in the document itself, nothing has to be escaped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from mckp.encoders.lines import LARGEST, Lines
from mckp.errors import ParseError
from mckp.regexes import regex

# Letters that are a single token in o200k_base and cl100k_base and do not look Latin.
CODES: Final = (
    "βδεηθλμπσφχω"
    "БГДИЛПФЦЧЭЯгджзилпфцчшщъыьэюя"
    "あいうえおかがきくけこごさざしじすせそただちっつてでとどなにのはばまみめもやよらりるれろ"
    "わをん"
    "アィイウェエオカキクグコサシジスズセタダチッテデトドナニバパビピフブプペポマムメャュョラ"
    "リルレロン"
    "가간값개거게결경고공과구그글기나내는능니다당대도동되된드든들디라래러력로록료류른를름리만"
    "메면명목문미버번보복부분비사산상색생서성세션소수스습시식신아야어에여열오와요용우운원위으"
    "은을음의이인일임입자작장재적전정제져조주지진째체출치크태터턴트튼하한할함해호화환회"
    "一万三上下不与专业东两个中串为主么义之也书了事二于五些交产享京人亿今介从他付代以们件价任"
    "份企优会传但位体何余作你使例供価保信修倍值停像元先入全公共关其具内円册再写出击分列则初利"
    "别到制前力功加务动動包化北区十午华单南即历原去县参及友反发取变口只可台右号司合同名后向否"
    "含听启告员周命和品哈商問器四回因国图土在地场址型城基報場填增声处备复外多大天失头女好如始"
    "子字存学安宋完定实审客家容密对导将小少尔就局展山岁州工左已市布常平年并广序库应店度建开异"
    "式引张当录形影径待後得微心必志态思性总息您情意感成我或户所手打找技投报拉持指按换据排接推"
    "提播支收改放政效数整文料断新方族无日时明易星是時景更最月有服期木未本机权束条来板构析果查"
    "标样核格案检模次款止正此步歳段每比民気水求江汽没治法注活流海消清游源火点無然片版物特率环"
    "现球理生用由电男画界番登的监目直相省看県真知码确示社票私种科秒称移程稍税稿空立站章端笑符"
    "第等签简算管箱米类系素索约级线组经结给络统编网置美老考者而联能自至色节英藏行表装西要見见"
    "规视角解言計記話読计认议记论设证评试话询该详语误说请读调象责败账货购费资起超路身车转软载"
    "辑输达过运近还这进连述退送选通速造連道邮部都配释里重量金钟钮链销错键长開間関门闭问间队阳"
    "陆限院除雅集雷需非面音页项预频题额首验高黑"
)
"""The letters that may stand for a phrase; earlier ones are used first."""

_HEAD = regex(r"\(([1-9][0-9]{0,3})\) phrases")
_DEFINITION = regex(f"([{CODES}])=(.+)", re.DOTALL)


@dataclass(frozen=True)
class Dictionary:
    r"""The phrases of a document by code, the longest first.

    `written` may map phrases to their form in codes, if that is already known.

    Examples
    --------
    >>> known = Dictionary({"β": "to be or not", "λ": "to be"})
    >>> known.head
    '(2) phrases\nλ=to be\nβ=λ or not\n'
    >>> known.write("to be or not to be\n")
    'β λ\n'
    """

    phrases: dict[str, str]
    written: dict[str, str] = field(default_factory=dict[str, str], repr=False, compare=False)

    @cached_property
    def head(self) -> str:
        """The lines of the dictionary, to be put above the document."""
        bodies = abridge("", self.phrases)[1]
        lines = [f"{code}={body}\n" for code, body in reversed(bodies.items())]
        return f"({len(lines)}) phrases\n" + "".join(lines)

    def write(self, text: str) -> str:
        """Return a text with its phrases replaced by codes; no code may occur in the text."""
        known = self.written.get(text)
        if known is not None:
            return known
        for code, phrase in self.phrases.items():
            text = text.replace(phrase, code)
        return text


def abridge(document: str, phrases: dict[str, str]) -> tuple[str, dict[str, str]]:
    r"""Return a document and its phrases by code, with codes in place of the phrases within them.

    `phrases` must have the longest first.

    Examples
    --------
    >>> abridge("to be or not to be\n", {"β": "to be or not", "λ": "to be"})
    ('β λ\n', {'β': 'λ or not', 'λ': 'to be'})
    """
    text = f"{document}\n"
    for code, phrase in phrases.items():
        text = text.replace(phrase, code) + f"{phrase}\n"
    lines = text.split("\n")
    bodies = lines[len(lines) - 1 - len(phrases) : -1]
    size = sum(map(len, bodies)) + len(bodies) + 1
    return text[: len(text) - size], dict(zip(phrases, bodies, strict=True))


def height(line: str) -> int:
    """Return the number of lines of a dictionary, given its first line; 0 for any other line."""
    head = _HEAD.fullmatch(line)
    return 1 + int(head[1]) if head else 0


def expand(text: str) -> str:
    """Return the document below a dictionary, with all codes replaced by their phrases.

    Raises a `ParseError` if the dictionary is damaged or uses a code before its definition, or if
    the document would have more than `LARGEST` characters.
    """
    lines = Lines(text)
    head = _HEAD.fullmatch(lines.take())
    if head is None:
        lines.fail("a line such as '(3) phrases' was expected")
    bodies: dict[str, str] = {}
    for _ in range(int(head[1])):
        definition = _DEFINITION.fullmatch(lines.take())
        if definition is None or definition[1] in bodies:
            lines.fail("a definition such as 'β=text', of a letter not yet defined, was expected")
        bodies[definition[1]] = definition[2]
    phrases: dict[str, str] = {}
    codes = regex(f"([{''.join(bodies)}])")
    room = LARGEST
    for line, (code, body) in enumerate(bodies.items(), 2):
        for used in codes.finditer(body):
            if used[0] not in phrases:
                column = 3 + used.start()
                raise ParseError(f"{used[0]!r} is not defined above", line=line, column=column)
        phrases[code] = _spell_out(body, codes, phrases, room, line)
        room -= len(phrases[code])
    rest = text[sum(len(line) + 1 for line in lines.items[: lines.index]) :]
    return _spell_out(rest, codes, phrases, room, lines.index + 1)


def spell(text: str, bodies: dict[str, str]) -> str:
    """Return a text with each code replaced by its body, which may have further codes."""
    codes = f"[{''.join(bodies)}]"
    return re.sub(codes, lambda code: bodies[code[0]], text) if bodies else text


def _spell_out(
    text: str, codes: re.Pattern[str], bodies: dict[str, str], room: int, line: int
) -> str:
    """Return a text with each code replaced by its phrase in `bodies`.

    If it would have more than `room` characters, raises a `ParseError` for the given line.
    """
    parts = codes.split(text)
    parts[1::2] = map(bodies.__getitem__, parts[1::2])
    if sum(map(len, parts)) > room:
        raise ParseError(
            f"with its phrases written out, the text has more than {LARGEST} characters",
            line=line,
            column=1,
        )
    return "".join(parts)
