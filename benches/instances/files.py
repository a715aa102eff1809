"""Instances from files and into files, in the formats that are published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from instances import burkardt
from instances.dialects import DIALECTS, recognise
from instances.instance import Instance
from instances.jsonfile import from_json, to_json
from instances.scanner import text_of
from mckp.errors import ParseError, UnknownNameError

if TYPE_CHECKING:
    from os import PathLike

FORMATS: Final = ("json", *DIALECTS, "burkardt")
"""What `read` and `write` take for a format; ``burkardt`` is only read."""


def read(path: str | PathLike[str], format: str | None = None) -> Instance:
    r"""Read an instance from a file.

    Parameters
    ----------
    path
        The file. Of Burkardt's data sets, the one with the capacity, such as ``p01_c.txt``.
    format
        One of `FORMATS`; None recognises it by the name of the file (``_c.txt``) or by its
        first three lines:

        - ``json``: an object, as in the folder solvers/instances, nested or not;
        - ``standard``: number of classes and budget; for each class its number of options,
          then value and cost of each, of which at most one is taken;
        - ``knapsack``: number of items and budget; value and cost of each item;
        - ``khan``, ``mansi``, ``shojaei``: the multi-dimensional problem, if it has one
          resource; of each class exactly one option is taken;
        - ``burkardt``: capacity, weights and profits of a 0-1 knapsack in three files.

    Returns
    -------
    Instance
        Named after the file. Where at most one option of a class is taken, a skip option of
        cost and value 0 stands last in every class.

    Raises
    ------
    ParseError
        If the file is damaged or of no known format; the message names the file and the place,
        and says what to do.
    UnknownNameError
        If the format is none of `FORMATS`.
    OSError
        If the file cannot be opened.

    Notes
    -----
    Memory and time O(length of the file). `DIALECTS` names the source of each format.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "two.txt")
    ...     _ = file.write_text("2 80\n2\n9 40\n8 25\n1\n5 60\n")
    ...     instance = read(file)
    >>> instance.name, instance.table, instance.budget
    ('two', Table(classes=2, options=5, depth=1), 80)
    """
    file = Path(path)
    if format is not None and format not in FORMATS:
        raise UnknownNameError("file format", format, FORMATS)
    if format == "burkardt" or (format is None and file.name.endswith(burkardt.ENDING)):
        name = file.name.removesuffix(burkardt.ENDING)
        return Instance(name, *burkardt.read(file), burkardt.SOURCE)
    text = text_of(file)
    if format == "json" or (format is None and text.lstrip().startswith("{")):
        return from_json(text, file.stem)
    known = format or recognise(text)
    if known is None:
        raise ParseError(
            f"{file.name} is of no format known by its first three lines; "
            f"name it with format=, one of {', '.join(FORMATS)}",
            line=1,
            column=1,
        )
    dialect = DIALECTS[known]
    return Instance(file.stem, *dialect.read(text, file.name), f"{file.name}: {dialect.source}")


def write(instance: Instance, path: str | PathLike[str], format: str = "json") -> None:
    """Write an instance to a file.

    Parameters
    ----------
    instance
        What to write.
    path
        The file, which is overwritten.
    format
        One of `FORMATS` but ``burkardt``. Only ``json`` can say everything; ``standard`` and
        ``knapsack`` leave the skip option out, so it is last when they are read again.

    Raises
    ------
    UnknownNameError
        If the format is none that can be written.
    ValueError
        If the format cannot say this instance; the message names one that can.

    Examples
    --------
    >>> from instances import flat
    >>> from tempfile import TemporaryDirectory
    >>> instance = flat("weakly", seed=1, classes=5, options=3)
    >>> with TemporaryDirectory() as folder:
    ...     write(instance, Path(folder, "five.txt"), format="shojaei")
    ...     again = read(Path(folder, "five.txt"))
    >>> again.budget == instance.budget, again.table.to_json() == instance.table.to_json()
    (True, True)
    """
    if format == "json":
        text = to_json(instance)
    elif format in DIALECTS:
        text = DIALECTS[format].write(instance.table, instance.budget)
    else:
        raise UnknownNameError("file format to write", format, ("json", *DIALECTS))
    Path(path).write_text(text, encoding="utf-8")
