"""Flow notation and rows, read without recursion; the way of `encoders.native_reader.Line`.

What is open stands on a stack of frames. A value that is complete has a comma behind it, in
whose place a bracket that closes is put; then the frame on top goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.columns.buffer import put, put_byte
from mckp.columns.read_columns import (
    AT,
    BROKEN,
    DONE,
    FIRST,
    FLAGS,
    FOUND,
    LED,
    MORE,
    NAME,
    NAME_END,
    NAMED,
    NEXT,
    OPTIONAL,
    SPENDS,
    TAIL,
    TYPE,
    VALUE,
    VALUE_END,
    columns,
    record_at,
)
from mckp.columns.read_ends import end_row, end_table, is_twice, keep, respell, set_value
from mckp.columns.read_fill import fill
from mckp.columns.read_frames import (
    ALL,
    ARRAY,
    BASE,
    CELL,
    CELLS,
    COL,
    DEPTH,
    ENDED,
    ENDING,
    EXTRA,
    FILLING,
    HEADER,
    IN,
    INLINE,
    KIND,
    LEADER,
    LOWER,
    NUMBER,
    PAIRS,
    RECORD,
    ROW,
    ROWS,
    SIZE,
    SPELLED,
    STAGE,
    TABBED,
    TABLE,
    WORDS,
    push,
)
from mckp.columns.read_names import is_named, put_name, put_pair, tagged
from mckp.columns.read_rows import (
    FINISHED,
    ROWS_WANTED,
    cells,
    ends_row,
    is_absent,
    is_open,
    skip_blank,
)
from mckp.columns.read_spelled import MOST_SPELLINGS
from mckp.columns.read_words import (
    COLS,
    CURSOR,
    DECLINED,
    GIVEN,
    MARKS,
    NO_ROOM,
    POS,
    STORE,
    WANTED,
    close,
    digits_end,
    has_twice,
    line_end,
    number_of,
    put_scalar,
    whole,
)
from mckp.columns.shapes import BELOW, GROUP, PLAIN, TAGGED
from mckp.encoders.embedded import MOST_LEVELS
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.read_columns import Table

A_VALUE: Final = 0
"""What to do next, and what `flow` is asked for: to read a value."""
A_ROW: Final = 1
A_NAMED_ROW: Final = 2
SOME_COLUMNS: Final = 3
GO_ON: Final = 4
"""To go on with the frame on top."""


@leaf
def flow(
    text: Bytes,
    end: int,
    out: Bytes,
    n: int,
    store: Bytes,
    cols: Table,
    stack: Table,
    marks: Ints,
    st: Ints,
) -> int:
    """Read a value, a row or columns up to the end of a line; return the size of the output.

    Parameters
    ----------
    text : array of uint8
        The text; reading begins at ``st[POS]``, the line ends at `end`.
    out : array of uint8
        What is written, `n` bytes of it so far.
    store : array of uint8
        Names and values of columns.
    cols : array of int64
        Columns that are declared, see `read_columns`.
    stack : array of int64
        Frames; of the first only the weight counts.
    marks : array of int64
        Names that may not stand twice.
    st : array of int64
        The state, see `read_words`: ``st[WANTED]`` is `A_VALUE`, `A_ROW`, `A_NAMED_ROW` or
        `SOME_COLUMNS`, and ``st[GIVEN]`` the record for all but the first.
    """
    place, sp, level = st[POS], whole(0), 0
    stack[0, KIND] = ALL
    wanted, record = st[WANTED], st[GIVEN]
    todo, inline, depth = wanted, False, whole(0)
    if wanted == SOME_COLUMNS:
        sp = push(stack, sp, whole(TABLE))
        stack[sp, IN] = record
    while True:
        if n < 0 or place < 0 or sp < 0:
            return NO_ROOM if n == NO_ROOM else DECLINED
        if n > out.size or st[STORE] > store.size:
            return NO_ROOM
        if todo == A_VALUE:
            todo = GO_ON
            if not is_open(text, place, end):
                place, n = put_scalar(text, place, end, out, n, level > 0, st)
                continue
            c = text[place]
            if c == 106:
                digit = text[place + 4] < 58
                spelling = text[place + 4] - 48 if digit else 0
                place += 5 if digit else 4
                level += 1
                sp = push(stack, sp, whole(SPELLED))
                if level > MOST_LEVELS or spelling >= MOST_SPELLINGS or sp < 0:
                    return DECLINED
                stack[sp, SIZE], stack[sp, NUMBER] = n, spelling
                todo = A_VALUE
                continue
            place += 1
            named = c == 123
            n = put_byte(out, n, c)
            stop = digits_end(text, place, end)
            if named:
                is_table = is_named(text, place, end)
            else:
                is_table = place < stop < end and text[stop] == 123
            if not is_table:
                sp = push(stack, sp, whole(PAIRS if named else ARRAY))
                if sp > 0:
                    stack[sp, BASE] = st[MARKS]
                continue
            sp = push(stack, sp, whole(TABLE))
            if sp < 0:
                return DECLINED
            stack[sp, NUMBER] = number_of(text, place, stop)
            stack[sp, SIZE], stack[sp, BASE] = st[STORE], st[MARKS]
            stack[sp, INLINE] = 1 if named else 0
            mine, place = record_at(text, stop, end, cols, st, whole(-1))
            if mine < 0:
                return DECLINED
            cols[mine, FLAGS] = NAMED if named else 0
            stack[sp, RECORD] = stack[sp, IN] = mine
            todo = SOME_COLUMNS
        elif todo == SOME_COLUMNS:
            asked, group, place = columns(
                text, place, end, store, cols, marks, st[MARKS], st, stack[sp, IN]
            )
            if asked == BROKEN:
                return DECLINED
            stack[sp, IN] = group
            todo = GO_ON
            if asked != DONE:
                sp = push(stack, sp, whole(HEADER))
                if sp < 0:
                    return DECLINED
                stack[sp, SIZE], stack[sp, NUMBER] = n, asked
                stack[sp, COL], stack[sp, DEPTH] = st[COLS] - 1, place
                todo = A_VALUE
            elif wanted == SOME_COLUMNS and sp == 1:
                sp = 0
        elif todo == A_ROW:
            todo = GO_ON
            type_ = cols[record, TYPE]
            if place + 1 < end and text[place] == 61 and text[place + 1] == 32:
                place += 2
                todo = A_VALUE
            elif type_ == PLAIN:
                n = put_byte(out, n, 91)
                if is_absent(text, place, end):
                    place += 1
                    n = close(out, n, 93)
                else:
                    sp = push(stack, sp, whole(WORDS))
            elif type_ == TAGGED:
                record, place = tagged(text, place, end, cols, record)
                if record < 0:
                    return DECLINED
                todo = A_ROW
            else:
                n = put_byte(out, n, 123)
                sp = push(stack, sp, whole(ROW))
                if sp < 0:
                    return DECLINED
                stack[sp, RECORD] = stack[sp, IN] = record
                stack[sp, COL], stack[sp, BASE] = cols[record, FIRST], st[MARKS]
                stack[sp, INLINE], stack[sp, DEPTH] = 1 if inline else 0, depth
                stack[sp, SIZE] = -1
        elif todo == A_NAMED_ROW:
            is_led = cols[record, TYPE] == GROUP and cols[record, FLAGS] & LED != 0
            if is_led and place + 1 < end and text[place] == 61 and text[place + 1] == 32:
                place, n = put_name(text, place + 2, end, out, n, marks, st)
                todo = A_VALUE
            elif is_led:
                sp = push(stack, sp, whole(LEADER))
                if sp < 0:
                    return DECLINED
                stack[sp, SIZE], stack[sp, RECORD] = n, record
                stack[sp, INLINE] = 1 if inline else 0
                todo = A_VALUE
                if is_absent(text, place, end):
                    place += 1
                    todo = GO_ON
                continue
            else:
                place, n = put_name(text, place, end, out, n, marks, st)
                todo = A_ROW
            if n < 0 or place >= end or text[place] != 32:
                return DECLINED
            place += 1
        elif sp == 0:
            st[POS] = place
            return n if place == end else DECLINED
        elif stack[sp, KIND] == ARRAY:
            if place >= end:
                return DECLINED
            if text[place] == 93:
                place += 1
                n = close(out, n, 93)
                sp -= 1
                continue
            if stack[sp, ROWS]:
                if text[place] == 32:
                    place += 1
                elif text[place] != 91 and text[place] != 123:
                    return DECLINED
            stack[sp, ROWS] = 1
            todo = A_VALUE
        elif stack[sp, KIND] == PAIRS:
            if stack[sp, ROWS]:
                place = skip_blank(text, place, end)
            stack[sp, ROWS] = 1
            if place < end and text[place] == 125:
                place += 1
                if has_twice(marks, stack[sp, BASE], st[MARKS]):
                    return DECLINED
                st[MARKS] = stack[sp, BASE]
                n = close(out, n, 125)
                sp -= 1
                continue
            place, n = put_pair(text, place, end, out, n, marks, st)
            todo = A_VALUE
        elif stack[sp, KIND] == WORDS:
            if stack[sp, ROWS]:
                place = skip_blank(text, place, end)
            stack[sp, ROWS] = 1
            if ends_row(text, place, end):
                n = close(out, n, 93)
                sp -= 1
                continue
            todo = A_VALUE
        elif stack[sp, KIND] == SPELLED:
            n = respell(out, n, store, stack, sp, st)
            level -= 1
            sp -= 1
        elif stack[sp, KIND] == HEADER:
            cols[stack[sp, COL], SPENDS] = place - stack[sp, DEPTH]
            n = set_value(out, n, store, cols, stack, sp, st)
            sp -= 1
            todo = SOME_COLUMNS
        elif stack[sp, KIND] == TABLE:
            if place >= end:
                return DECLINED
            record = stack[sp, RECORD]
            named = stack[sp, INLINE] != 0
            if text[place] == (125 if named else 93):
                place += 1
                n = end_table(out, n, cols, stack, sp, marks, st)
                sp -= 1
                continue
            if stack[sp, ROWS]:
                if text[place] != 59:
                    return DECLINED
                place += 1
            stack[sp, ROWS] += 1
            inline, depth = True, whole(0)
            todo = A_NAMED_ROW if named else A_ROW
        elif stack[sp, KIND] == LEADER:
            record, start = stack[sp, RECORD], stack[sp, SIZE]
            inline = stack[sp, INLINE] != 0
            first, kept = cols[record, FIRST], st[STORE]
            if n > start and not keep(out, start, n + 1, store, st):
                return NO_ROOM
            if place >= end or text[place] != 32:
                return DECLINED
            place, n = put_name(text, place + 1, end, out, start, marks, st)
            if n < 0:
                return DECLINED
            place = skip_blank(text, place, end)
            n = put_byte(out, n, 123)
            cols[first, AT] = -1
            if st[STORE] > kept:
                n = put(out, n, store, cols[first, NAME], cols[first, NAME_END])
                cols[first, AT] = n
                n = put(out, n, store, kept, st[STORE])
                st[STORE] = kept
            stack[sp, KIND] = ROW
            stack[sp, IN], stack[sp, COL] = record, cols[first, NEXT]
            stack[sp, BASE], stack[sp, SIZE] = st[MARKS], -1
        elif stack[sp, STAGE] <= TABBED:
            if stack[sp, STAGE] == CELL:
                place = skip_blank(text, place, end)
            elif stack[sp, STAGE] == TABBED:
                if place >= end or text[place] != 9:
                    return DECLINED
                place += 1
            stack[sp, STAGE] = CELLS
            st[POS] = place
            asked, n = cells(text, end, out, n, store, cols, stack, sp, marks, st, level > 0)
            place = st[POS]
            if n < 0:
                return n
            if asked == FINISHED:
                stack[sp, STAGE] = ENDING if stack[sp, SIZE] >= 0 else EXTRA
                stack[sp, NUMBER] = -1
            elif asked == ROWS_WANTED:
                col = stack[sp, NUMBER]
                sp = push(stack, sp, whole(TABLE))
                if sp > 0:
                    stack[sp, COL], stack[sp, RECORD] = col, cols[col, FIRST]
            else:
                todo = A_VALUE
        elif stack[sp, STAGE] == ENDING:
            place, n, asked = end_row(
                text, place, end, out, n, store, cols, stack, sp, marks, st, level > 0
            )
            todo = A_VALUE if asked else GO_ON
        elif stack[sp, STAGE] == ENDED:
            place = place + 1 if place < end and text[place] == 9 else place
            mark = stack[sp, SIZE]
            if mark >= 0:
                start = stack[sp, NUMBER]
                col = marks[mark + 1]
                cols[col, VALUE] = cols[col, AT] = st[STORE]
                if not keep(out, start, n, store, st):
                    return NO_ROOM
                cols[col, VALUE_END] = st[STORE]
                n = start
            stack[sp, STAGE] = EXTRA
            stack[sp, NUMBER] = -1
        elif stack[sp, STAGE] == EXTRA:
            record = stack[sp, RECORD]
            if stack[sp, NUMBER] < 0:
                stack[sp, NUMBER], stack[sp, ROWS] = n, st[MARKS]
            else:
                place = skip_blank(text, place, end)
            if cols[record, FLAGS] & MORE and not ends_row(text, place, end):
                place, n = put_pair(text, place, end, out, n, marks, st)
                todo = A_VALUE
                continue
            if is_twice(cols, record, stack[sp, ROWS], marks, st):
                return DECLINED
            stack[sp, STAGE] = FILLING
        elif stack[sp, STAGE] == FILLING:
            record, base = stack[sp, RECORD], stack[sp, BASE]
            if st[MARKS] > base:
                n = fill(out, n, base, st[MARKS], record, stack[sp, NUMBER], store, cols, marks, st)
                if n < 0:
                    return n
                if stack[sp, SIZE] >= 0:
                    st[STORE] = cols[marks[stack[sp, SIZE] + 1], VALUE]
                st[MARKS] = base
            stack[sp, STAGE], stack[sp, ROWS] = LOWER, 0
            if cols[record, TAIL] < 0 or cols[cols[record, TAIL], TYPE] != BELOW:
                n = close(out, n, 125)
                sp -= 1
        else:
            record, depth, inline = stack[sp, RECORD], stack[sp, DEPTH] + 1, False
            col, line = cols[record, TAIL], st[CURSOR]
            if place != end:
                return DECLINED
            blanks = 0
            while blanks < depth and line + blanks < text.size and text[line + blanks] == 32:
                blanks += 1
            if blanks == depth:
                if stack[sp, ROWS] == 0:
                    n = put(out, n, store, cols[col, NAME], cols[col, NAME_END])
                    n = put_byte(out, n, 91)
                stack[sp, ROWS] += 1
                cols[col, FOUND] += 1
                place, end = line + depth, line_end(text, line)
                st[CURSOR] = end + 1
                record = cols[col, FIRST] if cols[col, FIRST] >= 0 else record
                todo = A_ROW
                continue
            if stack[sp, ROWS]:
                n = close(out, n, 93)
            elif not cols[col, FLAGS] & OPTIONAL:
                n = put(out, n, store, cols[col, NAME], cols[col, NAME_END])
                n = close(out, put_byte(out, n, 91), 93)
            n = close(out, n, 125)
            sp -= 1
