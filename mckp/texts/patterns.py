"""The shapes of lines in what programs write, as regular expressions.

None of them may explode: what may repeat is bounded, possessive, or cannot begin inside of itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.failure import LEVEL
from mckp.regexes import regex

if TYPE_CHECKING:
    import re

_MULTILINE: Final = 8


class Sought(NamedTuple):
    """A pattern with clues: every line in which a match begins has at least one of them.

    So only lines with a clue need to be matched. Without any clue, all lines are.

    Attributes
    ----------
    pattern : re.Pattern
        The pattern, with the flag for multiple lines.
    firsts : str, default ""
        Characters one of which is the first of the line's body; then the line begins the match.
    lasts : str, default ""
        Characters one of which is the last of the line's body.
    words : tuple of str, default ()
        Whole words.
    parts : tuple of str, default ()
        Parts of words, in lower case; they occur in any case.
    signs : tuple of str, default ()
        Texts that occur anywhere in the line.
    lines : int, default 1
        Most lines of a match.
    """

    pattern: re.Pattern[str]
    firsts: str = ""
    lasts: str = ""
    words: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    lines: int = 1


def _any_of(*alternatives: str) -> str:
    """Return a pattern that matches what any of the alternatives matches."""
    return "|".join(alternatives)


_PATH: Final = r"(?:[A-Za-z]:)?(?:[\w@%+.~\-]*[/\\])*[\w@%+.~\-]+"
_ROLES: Final = (
    "generic|button|link|heading|text|textbox|img|list|listitem|paragraph|navigation|main|banner"
    "|contentinfo|dialog|checkbox|radio|combobox|option|row|cell|table|tab|tabpanel|tablist|menu"
    "|menuitem|document|region|alert|status|search|searchbox|form|group|article|complementary"
    "|separator|rowgroup|columnheader|strong|emphasis|code|iframe|figure|switch|slider"
)
_SHAPES: Final = {
    "frame": _any_of(
        r"File \".*\", line \d",
        r"at \S.*[:(]\d+(?::\d+)?\)?$",
        r"at [\w.$<>]+\(.*\)$",
        r"Traceback \(most|\.\.\. \d+ more|Caused by: |goroutine \d+ |#\d+ +0x|panic:",
        r"thread '.*panicked",
    ),
    "hunk": _any_of(
        r"@@ -\d+.* @@",
        r"diff --git |index [0-9a-f]{7,}\.\.|--- (?:a/|/dev/null)|\+\+\+ (?:b/|/dev/null)",
        r"(?:---|\+\+\+) \S.{0,300}\t\d{4}-\d\d-\d\d|diff -\S+ \S+ \S+$|Only in \S.{0,300}: \S+$",
        r"\d+(?:,\d+)?[acd]\d+(?:,\d+)?$",
    ),
    "commit": _any_of(
        r"commit [0-9a-f]{7,40}\b",
        r"(?=\d*[a-f])[0-9a-f]{7,12} (?=\S+.* )",
        r"(?=[|\\/_ ]{0,80}\*)[*|\\/_ ]{1,160}[0-9a-f]{7,12} \S|[|\\/_* ]{0,160}[|\\/]$",
    ),
    "mode": r"(?:\d+ +\d* *)?[dlcbps-][rwxsStT-]{9}[.+@]? |total \d+$",
    "node": rf"- (?:{_ROLES})\b.*|.*\[(?:ref|uid)=\w+\]|uid=\w+ \w+",
    "cue": r"\d\d:\d\d:\d\d[,.]\d{3} -->|WEBVTT",
    "level": _any_of(
        r"\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d",
        r"\[?\d\d:\d\d:\d\d[.,\] ]|\d\d-\d\d \d\d:\d\d:\d\d[.,]|\d{8}-\d\d:\d\d:\d\d",
        r"[\w.:-]{1,60} \d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d",
        r"[IWEFD]\d{4} \d\d:",
        r"\[?(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d",
        r"\d{9,10}(?:\.\d+)? |- \d{10} |\d{6} \d{6} \d+ |\S+ - - \[\d\d/",
        r"time=|ts=|level=",
        r"\{\"(?:level|[Tt]ime|ts|timestamp|asctime|severity|@timestamp)\"",
        rf"\[?(?:{LEVEL})\b[\]: |]",
    ),
    "test": _any_of(
        r"(?:ok|not ok) \d+|--- (?:PASS|FAIL|SKIP)|=== (?:RUN|CONT|PAUSE)|test \S.* \.\.\. ",
        "[✔✓✖✗\u00d7√] ",
        r"(?:PASS|FAIL|PASSED|FAILED|ERROR) +\S+(?:::|\.(?:test|spec)\.|/)",
        r"(?:PASS|FAIL|ok) +\t?\S+$",
        r".*::\S+ (?:PASSED|FAILED|SKIPPED|ERROR|XFAIL)",
        r".* \.\.\. (?:ok|FAIL|ERROR|skipped)|Test +#?\d+:| *\d+/\d+ Test +#",
        r"\[(?: +(?:OK|RUN|FAILED|PASSED) *|-{10}|={10})\]|E {2,}\S",
        r"# (?:Subtest|tests|pass|fail)\b|[\w/.]+\.py [.FEsxX]+ +\[",
    ),
    "finding": _any_of(
        rf"{_PATH}(?::\d+(?::\d+)?:?|\(\d+,\d+\):) *(?:- )?(?:fatal )?"
        r"(?:error|warning|note|info|hint|[A-Z]+\d{2,5}\b)",
        rf"(?:error|warning|note|help)(?:\[[\w:\-]+\])?: | *--> {_PATH}:\d",
        r"\d+:\d+ +(?:error|warning) |In file included from|[EWCRF]\d{3,4}:",
        rf"{_PATH}:\d+:\d+: [A-Z]\d+",
        r"(?:would reformat|reformatted) \S+$|\S+ already well formatted",
    ),
    "match": rf"{_PATH}(?:[:\-]\d+[:\-]|\.\w{{1,5}}:(?!\d|//)).+|Line \d+:|\d+[:\-]\s.*",
    "path": _any_of(
        r"\.?\.?/?(?:[\w@%+.~\-]+/)+[\w@%+.~\-]*$|[\w@%+~\-]+\.[a-z]{1,5}$",
        r"\[(?:FILE|DIR)\] |[│├└|` ─-]+[\w.@\-]+/?$",
        r"<(?:file|path)>[^<\s]{1,300}</(?:file|path)>(?: \(\d+ match(?:es)?\))?$",
    ),
    "build": _any_of(
        r"\[ *\d+%\] |\[\d+/\d+\] |make(?:\[\d+\])?: ",
        r"(?:gcc|g\+\+|cc|clang|clang\+\+|ld|ar|rustc|javac) -",
        r"npm (?:warn|WARN|error|ERR!|http|notice|info)|added \d+ packages|Progress: ",
        r"#\d+ (?:\[|\d+\.\d+|DONE|CACHED)|Step \d+/\d+|Compiling \S+ v|> Task :",
        r"(?:Collecting|Downloading|Installing|Resolved|Prepared|Installed"
        r"|Requirement already)\b",
        r"go: (?:downloading|finding|extracting|added|upgraded) ",
        r"-- (?:The|Looking|Performing|Detecting|Check|Found|Configuring|Build)|DEBUG ",
        r"Building |creating build|copying |running build|dist/\S+ +[\d.,]+ ?kB",
    ),
    "plan": _any_of(
        r"(?:-/\+|\+/-|~|\+|-|<=) resource \"|# \S+ (?:will be|must be) ",
        r"Plan: \d+ to add",
    ),
    "event": r"BEGIN:V|END:V|DTSTART|DTEND|SUMMARY:|UID:|DTSTAMP",
    "heading": r"#{1,6} \S",
    "bar": r"\|.*\||\+[-=+]+\+$",
    "item": r"(?:[-*+•]|\d+[.)]) +\S|> ",
    "tex": r"\\(?:begin|end|section|subsection|documentclass|usepackage|item|cite|label)\b",
    "tag": r"</?[a-zA-Z!][\w:\-]*(?:\s[^>]*)?/?>?",
    "section": r"\[\[?[\w.:\"' \-]+\]?\]$",
    "member": _any_of(
        r"-? *[\w.\"'/\-]+:(?: +(?!.*[a-z] [a-z]+ [a-z]+ [a-z]+ )\S.*)?$",
        r"[\w.\-]+ ?= ?(?!=)\S.*(?<![;{,(])$",
    ),
    "code": _any_of(
        r"(?:async )?(?:def|class|func|fn|function|struct|interface|impl|enum|trait|module"
        r"|namespace|package|public|private|protected|static|const|let|var|export|import|from"
        r"|using|#include|#define|use|mod|pub)\b",
        r"(?:if|for|while|switch|return|else|elif|try|except|catch|finally|raise|throw|with|match"
        r"|case|await|yield|self\.|this\.)\b.*[:;{}()\w]$",
        r".*[;{}]\)?[;,]?$|[\])}]+[,;:)]*$|[@#/*]|//",
        r"[\w.\[\]\"'>-]+ *(?:[-+*/|&]?=|:=) |[\w.:>-]+\(.*\)[:;,{]*$",
    ),
}
LINE: Final = regex(_any_of(*(f"(?P<{name}>{shape})" for name, shape in _SHAPES.items())))
"""What a line may be, by the first that it matches; for lines of at most some 200 characters."""

SURE_CODE: Final = regex(
    _any_of(
        r"(?:async )?(?:def|class|func|fn|function|struct|interface|impl|enum|trait|namespace"
        r"|module) [\w:<>$]+.*[:{(]$",
        r"(?:from [\w.]+ )?import [\w.{}*\"'/ ,()]+;?$|#include [<\"]|#!/|package [\w.]+;?$",
        r"use [\w:{}, ]+;$|return\b.*[;)\w\]}]$|export (?:default|const|function|class)\b",
        r"(?:const|let|var) \w+ = .*|[\])}]+[;,)]*$|@\w+(?:\(.*\))?$|self\.\w+ = ",
        r"(?:if|for|while|elif|else|try|except|with)\b.*:$",
    )
)
VERDICT: Final = regex(
    r"^(?:"
    + _any_of(
        r"=+ .*\b(?:passed|failed|error|no tests ran).* =+|Ran \d+ tests? in|test result: ",
        r"Tests: +\d|Test Suites: |Tests +.*\d+ (?:passed|failed)|# (?:tests|pass|fail) \d",
        r"  +\d+ passing|\d+% tests passed|\d+ examples?, \d+ fail|FAIL\t|ok  \t|Tests run: \d",
        r"--- FAIL|={20,} (?:FAILURES|ERRORS|test session)|\d+ tests?, \d+ |TOTAL +\d",
        r"\[  (?:PASSED|FAILED)  \]|\s*(?:Test Files|Suites) |not ok \d| +\d+ (?:pass|fail)$",
        r"ok \| \d+ passed|FAILED \(|\*\*\*Test Failed\*\*\*|.*All tests pass",
    )
    + ")",
    _MULTILINE,
)
PLAN: Final = regex(
    r"^(?:Terraform (?:will|used|has)|OpenTofu|Plan: \d+ to add)"
    r"|^ +# [a-z]\w+\.\S+ (?:will be|must be) ",
    _MULTILINE,
)
JOINT: Final = regex(r"^(?:==> .{1,200} <==|\$ \S.{0,200})$", _MULTILINE)
"""A line that says which file or command the lines below it are of."""

TITLE: Final = regex(
    r"^(?:={3,} ?\S.{0,100}\S ?={3,}|-{3,} ?[^\s-].{0,100}[^\s-] ?-{3,}"
    r"|\+ [a-z][\w.-]{0,40} .{0,200})$",
    _MULTILINE,
)
"""A line that may say so, if the text is no report that has titles of its own."""

SPOKEN: Final = regex(
    r"^\* +(?:Trying |Host \S{1,200} was |Connected to |Could not resolve )", _MULTILINE
)
"""What curl says of a connection, if it is verbose."""

RESULT: Final = Sought(
    regex(r"^(?:[Ss]earch )?[Rr]esult #?\d+\b", _MULTILINE),
    firsts="RSrs",
)
"""A line that begins the next of several results, and often says where it is from."""

SENTENCE: Final = regex(r"(?<![A-Za-z])[A-Za-z]{2,}+,? [a-z]++,? [a-z]++,? [a-z]{2}")
LOCATED: Final = regex(rf"(?:{_PATH}[:\-]\d+[:\-]|{_PATH}\.\w{{1,5}}:(?!\d|//)|Line \d+:)")
MATCHED: Final = Sought(
    regex(
        rf"^(?:{_PATH}[:\-]\d+[:\-]|{_PATH}\.\w{{1,5}}[:\-]|Line \d+:|\d+[:\-]|--$|[\w./\-]+$)",
        _MULTILINE,
    )
)
"""A line that a search found, or the file that it is in."""

HIT: Final = regex(r"\d+[:-](?!\d\d[:.])")
"""What a line begins with that was found in the file named above it."""

FILE: Final = regex(r"[\w.@+~/\\-]*[\w)]")

LISTED: Final = Sought(
    regex(
        r"^(?:[^\s:]+$|(?:\d+ +\d* *)?[dlcbps-][rwxsStT-]{9}|total \d|[^:\n]{1,300}\.\w{1,6}$)",
        _MULTILINE,
    )
)
"""A path, or a row of ``ls -l``."""

GAPS: Final = regex(r"\S(?: {2,}|\t)(?=\S)")
CELLS: Final = regex(r" {2,}|\t")

OTHERS: Final = Sought(
    regex(
        r"site-packages|node_modules|node:|/usr/|/lib/python|<frozen|/rustc/|\.cargo|internal/"
        r"|dist-packages|java\.base|jdk\.internal|golang\.org|/go/src/|libc\.so|/nix/|runtime/"
    ),
    signs=(
        *("site-packages", "node_modules", "node:", "/usr/", "/lib/python", "<frozen", "/rustc/"),
        *(".cargo", "internal/", "dist-packages", "java.base", "jdk.internal", "golang.org"),
        *("/go/src/", "libc.so", "/nix/", "runtime/"),
    ),
)
"""Places that are not the reader's own."""

CARET: Final = Sought(
    regex(r"^[ \t|0-9:→.]*+(?:E +)?[|+? ]*+[\^~]", _MULTILINE),
    signs=("^", "~"),
)
FRAME: Final = Sought(
    regex(
        r"^[ \t]*+(?:at |File \"|\d+: |#\d+ |from |by 0x|in |~ |>>> |Object\.|goroutine )"
        r"|:\d+(?::\d+)?\)?:?$",
        _MULTILINE,
    ),
    firsts="aF0123456789#fbi~>Og",
    lasts="0123456789):",
)
MARK: Final = Sought(
    regex(
        r"^[ \t]*+(?:\d+[:→\t|] *)?(?:E  |[✖✗\u00d7✘❌●\u2a2f▲!]|> |not ok|FAIL|ERROR|error|fatal"
        r"|panic|\*\*\*|---? FAIL|\[ERROR|\[FAIL|!!|Error|Caused by|caused? ?by)",
        _MULTILINE,
    ),
    firsts="0123456789E!>nFefp*-[Cc",
)
PASS_MARK: Final = Sought(
    regex(
        r"^[ \t]*+(?:[✔✓√∙·]|ok\b|PASS\b|--- PASS|\[ +OK|\[PASS|=== RUN|# Subtest)"
        r"|\b(?:PASSED|ok|OK|Passed|passed|PASS|SKIPPED)\b[ \t.\]]*+"
        r"(?:\[ *\d+%\]|[\d.]+ ?m?s(?:ec)?|\([\d.]+ ?m?s\))?[ \t]*$",
        _MULTILINE,
    ),
    firsts="oP-[=#",
    words=("PASSED", "ok", "OK", "Passed", "passed", "PASS", "SKIPPED"),
)
VALUE: Final = Sought(
    regex(
        r"^[ \t]*+(?:E  +)?(?:[-+] +\S|[-+][^-+\s]|\+ +where|[<>] "
        r"|(?:[Ee]xpected|[Aa]ctual|[Gg]ot|[Rr]eceived|want|left|right))"
        r"|!=|==| but (?:got|was|received)",
        _MULTILINE,
    ),
    firsts="E-+<>eAaGgRrwl",
    signs=("!=", "==", " but "),
)
E_LINE: Final = Sought(regex(r"^E  ", _MULTILINE), firsts="E")
COUNTED: Final = regex(
    r"^(?:Found|found|\u2716) \d+ (?:\w+ )?(?:errors?|warnings?|problems?|issues?|diagnostics?)\b",
    _MULTILINE,
)
"""How a compiler or linter counts what it found."""

SHOWN: Final = regex(r"[ \t]*+(?:> ?)?(?:\d+(?: +\d+)? +)?[|│](?:\s|$)")
"""Code that is shown below a finding, or what is said of it, by its margin."""

DEADLY: Final = Sought(
    regex(
        r"^(?:[^\n]{0,80}: )?+(?:Segmentation fault|Bus error|Illegal instruction|Aborted|Killed)"
        r"(?:: \d+)?(?: \(core dumped\))?+\s*$",
        _MULTILINE,
    ),
    words=("Segmentation", "Bus", "Illegal", "Aborted", "Killed"),
)
"""What a shell says of a program that was killed."""

BETWEEN: Final = Sought(
    regex(
        r"^[ \t|]*+(?:During handling of the above exception, another exception occurred"
        r"|The above exception was the direct cause of the following exception):$",
        _MULTILINE,
    ),
    signs=("above exception",),
)
"""What is between two tracebacks, and says nothing without the message above it."""

CLOSES: Final = Sought(
    regex(r"^[ \t]*+(?:\d{1,7}[:→\t|][ \t]*+)?(?:</[\w:.-]+>|```|~~~)[ \t]*$", _MULTILINE),
    signs=("</", "```", "~~~"),
)
"""A line that only ends what begins above it."""

SUCCEEDED: Final = Sought(
    regex(
        r"(?im)^[^\w\n]{0,4}(?:(?:return|exit) code:? 0|process exited with code 0)[^\w\n]{0,4}$"
    ),
    parts=("code",),
)
"""The exit code of a program that succeeded, as tools that run programs write it."""

RUN_DETAILS: Final = Sought(
    regex(
        r"(?im)^[^\w\n]{0,4}(?:(?:execution|wall|elapsed|run) ?time:? [\d.]+ ?\w*"
        r"|timeout(?: limit)?: \d+ ?\w*|chunk id: \w+|original token count: \d+)[^\w\n]{0,4}$"
    ),
    parts=("time", "chunk", "token"),
)
"""What these tools write beside it: how long it took, and how long it may take."""

EXTENT: Final = Sought(
    regex(
        r"(?im)^[^\w\n]{0,3}(?:File: [^\n]{1,300} \(\d+ lines(?: total)?\)"
        r"|showing (?:lines )?\d+ ?(?:-|to|through) ?\d+ of \d+[^\n]{0,80})[^\w\n]{0,3}$"
    ),
    parts=("file", "showing"),
)
"""What says which file is read, or how much of it is shown."""

COMMENTS: Final = ("#", ";", "//")
"""What a comment among settings begins with."""

MEMBER: Final = regex(
    r"(?:- )?(?!\d+[: ])[\w.\"'/$*<&@-]{1,80}(?::(?: |$)| ?=(?!=))(?!.*\)$)(?!.*[{(]$)"
)
"""A setting: a name and its value."""

LISTED_VALUE: Final = regex(r"\{ [\w\"-]+ = |[\])}]+,?$|[\"'\d{\[].*[\"'\d}\]],?$|\w+,$")
"""A value in a list, or the end of the list."""

WARNED: Final = regex(r":\d+: \w*Warning: ")
"""A warning of Python, with the line of the program that is warned of below it."""

SEVERE: Final = Sought(
    regex(
        r"(?i:severity|risk|priority)\W{1,3}(?:high|critical|High|HIGH|CRITICAL)|vulnerab|security"
    ),
    parts=("severity", "risk", "priority", "vulnerab", "security"),
    lines=4,
)
COMMIT: Final = regex(r"commit [0-9a-f]{7,40}\b")
FILE_HEADER: Final = regex(r"(?:diff |Index: |Only in |Binary files )")
MERGE: Final = r"Merge (?:branch|pull request|remote|tag|\S+ into) "
GRAPH: Final = r"[*|\\/_ ]{0,160}"
"""What ``git log --graph`` draws to the left of a commit."""

PLANNED: Final = r"\s*# \S+ (?:will be|must be|has been|is tainted|has moved)\b ?"
"""What Terraform writes above a change, up to the word that says which."""

CREATES: Final = (
    r"(?i:\s*create (?:or replace )?(?:unlogged |temp(?:orary)? )?(?:table|view|type)\b)"
)
STAT: Final = regex(r" \S.* \| +(?:Bin|(\d+))\b")
"""How much was changed in a file, as git counts it."""

RULE: Final = Sought(regex(r"^[ \t]*+[=\-_─━*#+~]{3}", _MULTILINE), firsts="=-_*#+~")
PATH_LINE: Final = Sought(
    # Each alternative begins with a sign of its own, since these are found fast.
    regex(r":(?<=[A-Za-z]:)\d+\b|\", line \d|\(\d+,\d+\)|l(?<=\bl)ine \d"),
)
MASK: Final = regex(
    r"\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|`[^`\n]{0,200}`"
    r"|(?<![\w.@+~\-])[\w.@+~\-]*+/[\w./@+~\-]*+|(?<![\w\-])[\w\-]++\.[a-z]{1,5}\b(?=[:(])"
    r"|\b0x[0-9a-f]+\b|\b\d+\b"
)
"""What differs between messages that say the same."""

LETTERS: Final = regex(r"[A-Za-z]\w{2,}")
