"""The house has a size: lines, files and constants stay within limits.

Lowering a limit is progress; raising one needs a reason in ``ARCHITECTURE.md``. The limits count
what is in the repository (``git ls-files``), or, in a copy without git, all files of the package.
"""

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).parents[1]

if not (ROOT / "mckp").is_dir():  # a wheel is tested, and its checkout is elsewhere
    pytest.skip("the sources are not beside the tests", allow_module_level=True)

MAX_LINES: Final = 40_104
"""Lines of ``mckp/``: what one engineer can get to know in a month."""
MAX_CORE_LINES: Final = 20_961
"""Lines of the core: all that one call of `mckp.encode` may run."""
MAX_SOLVER_LINES: Final = 3_387
"""Lines of ``mckp/solvers``: solvers know numbers only, and few methods are needed."""
MAX_BENCHES: Final = 9_000
"""Lines of ``benches/``: a driver a subject, and what drivers share."""
MAX_TESTS: Final = 24_507
"""Lines of ``tests/``."""
MAX_FILES: Final = 240
"""Python files of ``mckp/``: a file holds a concept, not a fragment of one."""
MAX_FILE_LINES: Final = 600
"""Lines of one file: what is longer holds more than one concept."""
MAX_CONSTANTS: Final = 175
"""Numeric constants of modules: each one has to be named, explained and measured."""
MAX_LAYERS: Final = 11
"""Layers of the import contract: the longest way down from the command line."""

OUTSIDE_THE_CORE: Final = frozenset({"accuracy", "agents", "batch", "cli", "tools"})
"""Packages around the core; every other package and loose module belongs to the core."""

_COMPILED: Final = re.compile(r"\b(?:njit|numba)\b", re.IGNORECASE)


@cache
def sources() -> dict[str, str]:
    """Return the text of each Python file of ``mckp/``, by its path below that folder."""
    paths = _listed() or sorted((ROOT / "mckp").rglob("*.py"))
    return {
        path.relative_to(ROOT / "mckp").as_posix(): path.read_text(encoding="utf-8")
        for path in paths
        if path.is_file()
    }


@cache
def modules() -> dict[str, list[ast.stmt]]:
    """Return the statements of each Python file of ``mckp/``, by its path below that folder."""
    return {name: ast.parse(text).body for name, text in sources().items()}


def _listed(folder: str = "mckp") -> list[Path]:
    command = ["git", "ls-files", "-z", "--", f"{folder}/*.py"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return [ROOT / name for name in done.stdout.split("\0") if name]


def lines(*, below: str = "", core: bool = False) -> int:
    """Return how many lines the files have that are below a folder, or belong to the core."""
    return sum(
        text.count("\n")
        for name, text in sources().items()
        if name.startswith(below) and not (core and name.split("/")[0] in OUTSIDE_THE_CORE)
    )


def test_the_package_is_small() -> None:
    assert lines() <= MAX_LINES


def test_the_core_is_small() -> None:
    assert lines(core=True) <= MAX_CORE_LINES


def test_the_solvers_are_few() -> None:
    assert lines(below="solvers/") <= MAX_SOLVER_LINES


@pytest.mark.parametrize(("folder", "most"), [("benches", MAX_BENCHES), ("tests", MAX_TESTS)])
def test_what_is_around_the_package_is_small(folder: str, most: int) -> None:
    paths = [path for path in _listed(folder) or (ROOT / folder).rglob("*.py") if path.is_file()]
    assert paths
    assert sum(path.read_text(encoding="utf-8").count("\n") for path in paths) <= most


def test_the_files_are_few() -> None:
    assert len(sources()) <= MAX_FILES


def test_no_file_is_long() -> None:
    sizes = {name: text.count("\n") for name, text in sources().items()}
    assert {name: size for name, size in sizes.items() if size > MAX_FILE_LINES} == {}


def test_numeric_constants_are_few() -> None:
    """Numbers with a name at the level of a module, tuples of numbers included."""
    assert len([*constants()]) <= MAX_CONSTANTS


def constants() -> Iterator[str]:
    """Yield the numeric constants of all modules, each as ``file: NAME``.

    Examples
    --------
    >>> _is_number(ast.parse("-(64 << 20)", mode="eval").body)
    True
    """
    for name, body in modules().items():
        for node in body:
            targets = node.targets if isinstance(node, ast.Assign) else ()
            target = node.target if isinstance(node, ast.AnnAssign) else next(iter(targets), None)
            value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
            if isinstance(target, ast.Name) and target.id.isupper() and _is_number(value):
                yield f"{name}: {target.id}"


def _is_number(node: ast.expr | None) -> bool:
    match node:
        case ast.Constant(value=value):
            return type(value) in (int, float)
        case ast.UnaryOp(operand=operand):
            return _is_number(operand)
        case ast.BinOp(left=left, right=right):
            return _is_number(left) and _is_number(right)
        case ast.Tuple(elts=members):
            return bool(members) and all(map(_is_number, members))
        case _:
            return False


def test_only_solvers_are_compiled() -> None:
    """Numba is named below ``mckp/solvers`` alone: no other step of the flow may need it."""
    found = {name for name, text in sources().items() if _COMPILED.search(text)}
    assert {name for name in found if not name.startswith("solvers/")} == set()


def test_the_layers_are_few() -> None:
    """The contract of import-linter, which `lint-imports` checks, has few layers."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts: list[dict[str, Any]] = project["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each["type"] == "layers")
    assert len(layers) <= MAX_LAYERS


def test_no_modules_import_each_other() -> None:
    """An error shows the circle."""
    graph = {_module(name): {*_imported(body)} for name, body in modules().items()}
    graph = {module: {_known(each, graph) for each in found} for module, found in graph.items()}
    TopologicalSorter({module: found - {module} for module, found in graph.items()}).prepare()


def _module(name: str) -> str:
    return ".".join(["mckp", *name.removesuffix(".py").removesuffix("__init__").split("/")]).rstrip(
        "."
    )


def _imported(body: list[ast.stmt]) -> Iterator[str]:
    """Yield what a module imports when it is imported: not for types, not within functions."""
    for node in body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "mckp":
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("mckp"))


def _known(name: str, graph: dict[str, set[str]]) -> str:
    """Return the module that a name is or stands in."""
    return name if name in graph or not name else _known(name.rpartition(".")[0], graph)
