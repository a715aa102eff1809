"""The call that fetches the rest of an array, such as ``get_jobs(offset=20)``; from a template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import Formatter
from typing import TYPE_CHECKING, Final, cast

from mckp.errors import TemplateError
from mckp.frozen import frozen
from mckp.jsontext import is_object, path_text
from mckp.regexes import regex
from mckp.weights.patterns import Matcher, read_pattern

if TYPE_CHECKING:
    from typing import TypeAlias

    from mckp.paths import Path

    MoreLike: TypeAlias = str | Mapping[str, str]

FIELDS: Final = ("offset", "limit", "page", "page_size", "cursor", "path")
"""The fields that a template may have."""

_CURSORS: Final = ("cursor", "id")
"""Members of a row after which a page begins: as in GraphQL, or as with ``starting_after``."""
_LONGEST_CURSOR: Final = 64
"""Most characters of a cursor in a call."""
_END: Final = -1  # no index is -1: a pattern that ends in it matches only the array itself
_UNFIT = regex(r"[\x00-\x1f\ud800-\udfff]")


@frozen(eq=False)
class More:
    """The call that fetches the rest of one array.

    Attributes
    ----------
    template : str
        The template of the call.
    path : str
        The path of the array.
    cursors : tuple of str
        What the template has for ``{cursor}`` after each row, if it has that field.
    """

    template: str
    path: str
    cursors: tuple[str, ...] = ()

    @property
    def is_paged(self) -> bool:
        """Whether the call asks for a page; then only the end of the array may be cut."""
        fields = {"offset", "limit", "page", "cursor"}
        return bool(fields & set(_template_fields(self.template)))

    def call(self, offset: int, limit: int) -> str:
        """Return the call for `limit` items from index `offset` on.

        As a page, these are the second one of as many items as were kept; if none was kept, they
        are the first page.

        Examples
        --------
        >>> More("get_jobs(page={page}, per_page={page_size})", "$").call(20, 30)
        'get_jobs(page=2, per_page=20)'
        """
        return self.template.format(
            offset=offset,
            limit=limit,
            page=2 if offset else 1,
            page_size=offset or limit,
            cursor=self.cursors[offset - 1] if self.cursors and offset else "",
            path=self.path,
        )


class Templates:
    """Templates of calls, by the path of the array.

    `given` is one template, for all arrays that are in no other array; or templates by patterns
    of paths (`mckp.weights.patterns`), of which the last that matches counts. A template that is
    blank, or has an unknown field, broken braces or control characters, raises a `TemplateError`.
    What is no string, or no mapping from strings to strings, raises a `TypeError`.

    Examples
    --------
    >>> calls = Templates({"**.jobs": "get_jobs(offset={offset})"})
    >>> calls.at(("a", "jobs")).call(20, 5), calls.at(("a", "jobs", 0, "tags"))
    ('get_jobs(offset=20)', None)
    """

    def __init__(self, templates: MoreLike) -> None:
        self._alone = _checked_template(templates) if isinstance(templates, str) else None
        pairs: dict[str, object] = {} if isinstance(templates, str) else _checked_pairs(templates)
        self._templates = [_checked_template(template) for template in pairs.values()]
        self._matcher = Matcher([(*read_pattern(pattern), _END) for pattern in pairs])

    def at(self, path: Path, items: Sequence[object] = ()) -> More | None:
        """Return the call for the rest of the array at a path; None if no template is for it.

        There is no call either if the template has a cursor, and the items of the array have none.
        """
        template = self._alone
        if template is None:
            matched = self._matcher.match_path((*path, _END))
            template = self._templates[matched[-1]] if matched else None
        elif any(isinstance(step, int) for step in path):
            return None
        if template is None or "cursor" not in _template_fields(template):
            return None if template is None else More(template, path_text(path))
        cursors = _cursors_of(items)
        return More(template, path_text(path), cursors) if cursors else None


def _cursors_of(items: Sequence[object]) -> tuple[str, ...]:
    """Return the cursors of rows, or their ids; none if these are not different short texts.

    Examples
    --------
    >>> _cursors_of([{"id": 3}, {"id": 4}]), _cursors_of([{"id": 3}, {"id": 3}])
    (('3', '4'), ())
    """
    for name in _CURSORS:
        values = [item.get(name) if is_object(item) else None for item in items]
        cursors = tuple(str(value) for value in values if isinstance(value, str | int))
        is_unique = len(set(cursors)) == len(items)
        if is_unique and all(0 < len(text) <= _LONGEST_CURSOR for text in cursors):
            return () if any(map(_UNFIT.search, cursors)) else cursors
    return ()


def _checked_pairs(templates: object) -> dict[str, object]:
    """Check that templates are a mapping from strings, and return them as a dictionary."""
    if not isinstance(templates, Mapping):
        raise TypeError(
            f"templates must be a string, or a mapping from patterns to strings, not "
            f"{templates!r:.40}"
        )
    for pattern in cast("Mapping[object, object]", templates):
        if not isinstance(pattern, str):
            raise TypeError(f"a pattern must be a string, not {pattern!r:.40}")
    return dict(cast("Mapping[str, object]", templates))


def _checked_template(template: object) -> str:
    """Check that a template is one line with known fields, and return it; see `Templates`."""
    if not isinstance(template, str):
        raise TypeError(f"a template must be a string, not {template!r:.40}")
    try:
        fields = _template_fields(template)
    except ValueError as error:
        raise TemplateError(template, f"{error}; write a literal brace twice, as {{{{") from None
    unknown = [field for field in fields if field not in FIELDS]
    if unknown:
        names = ", ".join(f"{{{name}}}" for name in FIELDS)
        raise TemplateError(template, f"{{{unknown[0]}}} is unknown (known: {names})")
    if "page" in fields and "page_size" not in fields:
        message = "{page} needs {page_size}, as the pages are as long as what was kept"
        raise TemplateError(template, message)
    if not template.strip() or _UNFIT.search(template):
        raise TemplateError(template, "expected one line of text that is not empty")
    return template


def _template_fields(template: str) -> list[str]:
    """Return the fields of a template, each as written between braces.

    Braces that do not match raise a `ValueError`.
    """
    return [
        field + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "")
        for _, field, form, conversion in Formatter().parse(template)
        if field is not None
    ]
