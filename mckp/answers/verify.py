"""The last step: count a finished text and read it back before it is returned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.answers.reading import decoded_as
from mckp.encoders import kv, marks
from mckp.encoders.scalars import ABSENT
from mckp.errors import MckpError, VerifyError
from mckp.jsontext import canonical, difference
from mckp.menu.classes import Option
from mckp.menu.render import PARTS, fragments, kept_content
from mckp.parsers import parse_any
from mckp.tree import Kind, TreeNode

if TYPE_CHECKING:
    from mckp.menu.render import Pick
    from mckp.parsers.embedded import Embedding


def check_budget(tokens: int, budget: int | None) -> None:
    """Raise a `VerifyError` if a text, counted whole, exceeds its budget.

    The text is not shortened here, since the defect is in the code that made it.
    """
    if budget is not None and tokens > budget:
        raise VerifyError(f"{tokens} tokens exceed the budget of {budget}")


def check_text(
    text: str, pick: Pick, embedding: Embedding | None = None, *, is_exact: bool = False
) -> None:
    """Raise a `VerifyError` if a text does not decode to the content that the pick chose.

    The error names the path of the first difference. A text document that is already parsed is not
    parsed again. Strings that an `embedding` lists must be listed in the text too: their data are
    compared, or if the text `is_exact`, the strings themselves. If the text cannot be read, the
    reader's error is raised, unless formats are registered.
    """
    if pick.option is not None and pick.option.unit == PARTS:
        _check_parts(text, pick)
        return
    content = pick.cls.content
    known = content if isinstance(content, TreeNode) else None
    expected = kept_content(pick)
    if embedding is not None and is_exact:
        expected = embedding.restore(expected)
        expected = parse_any(str(expected)) if embedding.form else expected
        embedding = None
    try:
        decoded = decoded_as(text, known, embedding)
        path = first_difference(expected, decoded)
    except MckpError as error:
        if not kv.REGISTERED:
            raise
        message = f"the text cannot be read: {error}"
        raise VerifyError(message, doubted=_registered_formats_in(pick)) from error
    if path is not None:
        message = "decoding the text does not give what was kept"
        raise VerifyError(message, path=path, doubted=_registered_formats_in(pick))


def _check_parts(text: str, pick: Pick) -> None:
    """Raise a `VerifyError` if a text with data in place does not hold what the pick chose.

    What is between the marks must be the texts of the stretches and of the data, each of which must
    be read back.
    """
    from mckp.parsers.parts import Written, split_parts  # few texts have data in place

    expected: list[Written] = []
    body = marks.split_kind(text)[1]
    for child in pick.children:
        block = next((part for part in child.children if part.option is not None), None)
        if block is None:
            if not expected or expected[-1].mark:
                expected.append(Written(""))
            expected[-1] = Written(expected[-1].text + "".join(fragments(child)))
            continue
        assert isinstance(child.option, Option), "it opens the data"
        *above, mark = child.option.fragments
        close = child.option.foot
        data = "".join(fragments(block))
        check_text(data, block)
        if not expected or expected[-1].mark:
            expected.append(Written(""))
        expected[-1] = Written(expected[-1].text + "".join(above))
        expected += [Written(data, mark.removesuffix("\n")), Written(close.partition("\n")[2])]
    found = split_parts(body)
    if [part for part in expected if part.text or part.mark] != found:
        raise VerifyError("decoding the text does not give what was kept", path="$")
    decoded_as(text, None)


def _registered_formats_in(pick: Pick) -> list[str]:
    """Return the names of the registered formats in which a pick writes parts of a document."""
    parts, used = [pick], set[str]()
    for part in parts:  # grows while it is read
        parts.extend(part.children)
        if part.option is not None:
            used.add(part.option.format)
    return [name for name in kv.REGISTERED if name in used]


def first_difference(wanted: object, actual: object) -> str | None:
    """Return the path of the first difference of two values or trees, or None if they are equal."""
    if isinstance(wanted, TreeNode) and isinstance(actual, TreeNode) and wanted.kind is Kind.TEXT:
        is_same = wanted == actual and (wanted.source or "") == (actual.source or "")  # to the byte
        return None if is_same else "$"
    if any(isinstance(side, TreeNode) or side is ABSENT for side in (wanted, actual)):
        return None if wanted is actual or wanted == actual else "$"
    if wanted is actual or canonical(wanted) == canonical(actual):
        return None
    return difference(wanted, actual)
