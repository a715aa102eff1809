"""Values in flow notation, as `mckp.encoders.native` writes them one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.columns.buffer import put, put_byte, put_number
from mckp.columns.infer import record_shape
from mckp.columns.infer_members import wide
from mckp.columns.native_work import (
    BEFORE,
    CHILD,
    CLOSE,
    ENTRY,
    FRAME,
    LEVEL,
    LIMIT,
    LINE,
    LISTED,
    MARK,
    NAME_END,
    NAME_START,
    NAMED,
    NOTED,
    OPEN,
    ORIGIN,
    PAIRS,
    PENDING,
    PRIOR,
    QUIET,
    SHAPE,
    SHORT,
    SPLIT,
    TABLE,
    TABLES,
    TOP,
    WORDS,
    note,
    push,
    push_back,
    to_note,
)
from mckp.columns.shapes import GROUP, TYPE
from mckp.columns.tape import (
    AFTER,
    ARRAY,
    BEGIN,
    END,
    INNER,
    KIND,
    LENGTH,
    NAME,
    OBJECT,
    SAME,
    SPELLING,
    START,
    STOP,
    STRING,
)
from mckp.columns.words import is_word
from mckp.encoders.embedded import MOST_LEVELS
from mckp.encoders.native import FEWEST_LINES, MOST_TABLES
from mckp.jit import leaf

if TYPE_CHECKING:
    from typing import TypeAlias

    from mckp.columns.buffer import Bytes
    from mckp.columns.native_work import Work
    from mckp.columns.tape import Tape

    Span: TypeAlias = tuple[int, int]

BLANK: Final = 32
TABULATOR: Final = 9
FEED: Final = 10
LESS: Final = 60


@leaf
def value(tape: Tape, work: Work, entry: int, out: Bytes, n: int) -> int:
    """Append a value: all of a scalar; of an array or object its bracket, and a frame."""
    start, end = bare(tape, work, entry)
    if start < end:
        return put(out, n, tape.text, start, end)
    return marked(tape, work, entry, out, n)


@leaf
def bare(tape: Tape, work: Work, entry: int) -> Span:
    """Return where a number, literal or bare word stands; nothing for all other values."""
    kind = tape.nodes[entry, KIND]
    if kind > STRING:
        return wide(tape.spans[entry, START]), wide(tape.spans[entry, END])
    begin = wide(tape.spans[entry, BEGIN])
    if kind == STRING and stands_bare(tape, work, entry):
        return begin, wide(tape.spans[entry, STOP])
    return begin, begin


@leaf
def stands_bare(tape: Tape, work: Work, entry: int) -> bool:
    """Whether a string is a bare word; that is found out once."""
    first = tape.nodes[entry, SAME]
    known = work.words[first]
    if not known:
        known = 1 if is_word(tape.text, tape.spans[first, BEGIN], tape.spans[first, STOP]) else 2
        work.words[first] = known
    return bool(known == 1)


@leaf
def marked(tape: Tape, work: Work, entry: int, out: Bytes, n: int) -> int:
    """Append a value that is not bare."""
    if tape.nodes[entry, KIND] == STRING:
        return _quoted(tape, work, entry, out, n)
    return _container(tape, work, entry, out, n)


@leaf
def _quoted(tape: Tape, work: Work, entry: int, out: Bytes, n: int) -> int:
    """Append a string that is no bare word."""
    state = work.state
    inner = wide(tape.nodes[entry, INNER])
    if inner >= 0 and state[LEVEL] < MOST_LEVELS:
        for byte in (106, 115, 111, 110):
            n = put_byte(out, n, byte)
        if tape.nodes[entry, SPELLING]:
            n = put_byte(out, n, 48 + tape.nodes[entry, SPELLING])
        push_back(work)
        state[LEVEL] += 1
        state[TABLES] = 0
        return _container(tape, work, inner, out, n)
    count = _lines(tape, entry)
    if count < FEWEST_LINES or state[QUIET]:
        return put(out, n, tape.text, tape.spans[entry, START], tape.spans[entry, END])
    if state[PENDING] < work.pending.size:
        work.pending[state[PENDING]] = entry
        state[PENDING] += 1
    else:
        state[SHORT] = 1
    return put_number(out, put_byte(out, n, LESS), count)


@leaf
def _lines(tape: Tape, entry: int) -> int:
    """Return how many lines a string has."""
    begin, stop = tape.spans[entry, BEGIN], tape.spans[entry, STOP]
    count = 1
    has_escapes = tape.spans[entry, END] - tape.spans[entry, START] - 2 > stop - begin
    if has_escapes:
        for place in range(begin, stop):
            count += tape.text[place] == FEED
    return count


@leaf
def _container(tape: Tape, work: Work, entry: int, out: Bytes, n: int) -> int:
    """Append the bracket that begins an array or object, and put a frame for it on the stack."""
    bracket = 123 if tape.nodes[entry, KIND] == OBJECT else 91
    n = put_byte(out, n, bracket)
    if tape.nodes[entry, LENGTH] == 0:
        return put_byte(out, n, bracket + 2)
    frame = work.frames[push(work)]
    frame[FRAME], frame[ENTRY] = OPEN, entry
    return n


@leaf
def opened(tape: Tape, work: Work, out: Bytes, n: int) -> int:
    """Write an array or object that is begun as a table, if that pays, or as what it is."""
    state, shapes = work.state, work.shapes
    entry: int = work.frames[state[TOP], ENTRY]
    noted = to_note(work, entry, n - 1)
    mark = shapes.state[0]
    state[TOP] -= 1
    size = _records(tape, work, entry)
    record = wide(-1)
    if size:
        values, ordered = work.values[:size], state[LEVEL] > 0
        record = record_shape(tape, values, bool(wide(1)), ordered, wide(0), shapes)
        state[SHORT] |= shapes.state[1]
    if record >= 0 and shapes.fields[record, TYPE] == GROUP:
        state[TABLES] += 1
        n = put_number(out, n, wide(tape.nodes[entry, LENGTH]))
        push_table(tape, work, entry, record, n, mark)
        work.frames[state[TOP], NOTED] = noted
        return n
    shapes.state[0] = mark
    named = tape.nodes[entry, KIND] == OBJECT
    frame = work.frames[push(work)]
    frame[FRAME] = PAIRS if named else WORDS
    frame[CHILD], frame[LIMIT] = entry + 1, tape.nodes[entry, AFTER]
    frame[CLOSE] = 125 if named else 93
    frame[BEFORE] = 0 if named else -1
    frame[LISTED] = 0
    frame[NOTED] = noted
    return n


@leaf
def _records(tape: Tape, work: Work, entry: int) -> int:
    """Put what may be the rows of a table on the line into `Work.values`; return how many."""
    if work.state[TABLES] == MOST_TABLES or tape.nodes[entry, LENGTH] < 2:
        return 0
    is_object = tape.nodes[entry, KIND] == OBJECT
    objects = size = 0
    child = entry + 1
    while child < tape.nodes[entry, AFTER]:
        if tape.nodes[child, KIND] == OBJECT and (tape.nodes[child, LENGTH] or not is_object):
            objects += 1
        elif is_object:
            return 0
        work.values[size] = child
        size += 1
        child = tape.nodes[child, AFTER]
    return size if objects >= 2 else 0


@leaf
def push_table(tape: Tape, work: Work, entry: int, record: int, start: int, mark: int) -> None:
    """Put a frame on the stack for the rows of a table on the line."""
    frame = work.frames[push(work)]
    frame[FRAME] = TABLE
    frame[CHILD], frame[LIMIT] = entry + 1, tape.nodes[entry, AFTER]
    frame[SHAPE] = record
    frame[NAMED] = tape.nodes[entry, KIND] == OBJECT
    frame[ORIGIN], frame[SPLIT], frame[MARK] = start, -1, mark
    frame[PRIOR], frame[LINE], frame[NOTED] = -1, -1, -1


@leaf
def words(tape: Tape, work: Work, out: Bytes, n: int) -> int:
    """Append the items of an array side by side; between two brackets no blank is needed."""
    mine = work.state[TOP]
    frame = work.frames[work.state[TOP]]
    stop = frame[LIMIT]
    while frame[CHILD] < stop:
        child: int = frame[CHILD]
        is_open = tape.nodes[child, KIND] <= ARRAY
        if frame[BEFORE] == 0 or (frame[BEFORE] > 0 and not is_open):
            n = put_byte(out, n, BLANK)
        frame[BEFORE] = is_open
        frame[CHILD] = tape.nodes[child, AFTER]
        start, end = bare(tape, work, child)
        if start < end:
            n = put(out, n, tape.text, start, end)
        else:
            n = marked(tape, work, child, out, n)
            if work.state[TOP] != mine:
                return n
    return _closed(work, out, n)


@leaf
def pairs(tape: Tape, work: Work, out: Bytes, n: int) -> int:
    """Append members as names and values."""
    mine = work.state[TOP]
    frame = work.frames[work.state[TOP]]
    stop = frame[LIMIT]
    while frame[CHILD] < stop:
        child: int = frame[CHILD]
        frame[CHILD] += 1
        if frame[LISTED]:
            child = work.slots[child]
        else:
            frame[CHILD] = tape.nodes[child, AFTER]
        if frame[BEFORE]:
            n = put_byte(out, n, BLANK)
        frame[BEFORE] = 1
        key = tape.nodes[child, NAME]
        n = put(out, n, tape.text, work.names[key, NAME_START], work.names[key, NAME_END])
        if tape.nodes[child, KIND] > ARRAY:
            n = put_byte(out, n, BLANK)
        start, end = bare(tape, work, child)
        if start < end:
            n = put(out, n, tape.text, start, end)
        else:
            n = marked(tape, work, child, out, n)
            if work.state[TOP] != mine:
                return n
    return _closed(work, out, n)


@leaf
def _closed(work: Work, out: Bytes, n: int) -> int:
    """Append the closing bracket, if there is one, and take the frame away."""
    frame = work.frames[work.state[TOP]]
    close = frame[CLOSE]
    work.state[TOP] -= 1
    n = put_byte(out, n, close) if close else n
    note(work, frame[NOTED], out, n)
    return n
