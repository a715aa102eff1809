"""The house has a shape: layers, no circles, files and functions that fit on a few pages.

Lines, files and constants are no target: a limit that equals today's size makes people trade
features and clear names for lines. What is checked is in the repository (``git ls-files``), or, in
a copy without git, in all files of the package.
"""

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]

if not (ROOT / "mckp").is_dir():  # a wheel is tested, and its checkout is elsewhere
    pytest.skip("the sources are not beside the tests", allow_module_level=True)

MAX_FILE_LINES: Final = 600
"""Lines of one file: what is longer holds more than one concept."""
MAX_FUNCTION_LINES: Final = 60
"""Lines of one function, docstring and examples left out: a step that is read at once."""
MAX_PARAMETERS: Final = 8
"""Parameters of one function that is not public: more of them are a thing that has no name yet."""

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


def test_no_file_is_long() -> None:
    """No file of the package is longer than the limit."""
    sizes = {name: text.count("\n") for name, text in sources().items()}
    assert {name: size for name, size in sizes.items() if size > MAX_FILE_LINES} == {}


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield all functions and methods, each with its file."""
    for name, body in modules().items():
        for node in ast.walk(ast.Module(body, [])):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield name, node


@pytest.mark.slow
def test_no_function_is_long() -> None:
    """No function of the package is longer than the limit, docstring left out."""

    def size(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
        start = node.body[0].end_lineno if ast.get_docstring(node) else node.lineno
        return (node.end_lineno or 0) - (start or 0) + 1

    sizes = {f"{name}: {node.name}": size(node) for name, node in functions()}
    assert {name: size for name, size in sizes.items() if size > MAX_FUNCTION_LINES} == {}


@pytest.mark.slow
def test_no_private_function_has_many_parameters() -> None:
    """No private function has more parameters than the limit."""

    def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
        names = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        return len(names) - (bool(names) and names[0].arg in ("self", "cls"))

    counts = {f"{name}: {node.name}": parameters(node) for name, node in functions()}
    assert {
        name: count
        for name, count in counts.items()
        if count > MAX_PARAMETERS and name.rpartition(" ")[2].startswith("_") and "__" not in name
    } == {}


def test_no_class_name_is_used_twice() -> None:
    """A class name has one meaning, so that a search for it leads to one class.

    Who reads ``Part`` or ``Reader`` in a signature need not look up which of several is imported.
    """
    places: dict[str, list[str]] = {}
    for file, body in modules().items():
        for node in ast.walk(ast.Module(body, [])):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(file)
    repeated = {name: files for name, files in places.items() if len(files) > 1}
    assert not repeated, f"class names that are used twice: {repeated}"


def test_only_solvers_are_compiled() -> None:
    """Numba is named below ``mckp/solvers`` alone: no other step of the flow may need it."""
    compiled = {name for name, text in sources().items() if _COMPILED.search(text)}
    assert {name for name in compiled if not name.startswith("solvers/")} == set()


@pytest.mark.slow
def test_no_modules_import_each_other() -> None:
    """No module imports one that imports it; the error shows the circle."""
    graph = {_module(name): {*_imported(body)} for name, body in modules().items()}
    graph = {
        module: {_known(name, graph) for name in imported} for module, imported in graph.items()
    }
    TopologicalSorter({module: imported - {module} for module, imported in graph.items()}).prepare()


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
    """Return the module that a name is or is in."""
    return name if name in graph or not name else _known(name.rpartition(".")[0], graph)


_CHECKS: Final = re.compile(r"raises|warns|assert|testfile|run_state_machine|check=True|prepare")
"""Calls that fail by themselves."""


@cache
def functions_of_tests() -> dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Return all functions and methods of each Python file of ``tests/``, by its path below it."""
    return {
        path.relative_to(ROOT).as_posix(): [
            node
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        for path in _listed("tests") or sorted((ROOT / "tests").rglob("*.py"))
        if path.is_file()
    }


@pytest.mark.slow
def test_every_test_says_what_is_true() -> None:
    """Each test function has a docstring, and none begins by saying that it is a test."""
    docstrings = {
        f"{name}: {function.name}": ast.get_docstring(function) or ""
        for name, functions_of_file in functions_of_tests().items()
        for function in functions_of_file
        if function.name.startswith("test_")
    }
    assert len(docstrings) > 1000
    assert {name for name, text in docstrings.items() if not text or _FILLER.match(text)} == set()


_FILLER: Final = re.compile(r"(?i)tests?\b|check(?:s|ed)?\b|verif(?:y|ies)\b|ensures?\b|should\b")
"""How a docstring begins that speaks of the test and not of the product."""


@pytest.mark.slow
def test_every_test_can_fail() -> None:
    """Each test asserts something, or calls a function of the tests that does."""
    every_function = [
        function
        for functions_of_file in functions_of_tests().values()
        for function in functions_of_file
    ]
    calls = [(function.name, *_called(function)) for function in every_function]
    checking = {name for name, _, is_check in calls if is_check}
    while more := {name for name, names, _ in calls if names & checking} - checking:
        checking |= more
    tests = {name for name, *_ in calls if name.startswith("test_")}
    assert tests - checking == set()


def _called(function: ast.AST) -> tuple[set[str], bool]:
    """Return the names of functions that are called, and whether one of them or a line checks."""
    nodes = [*ast.walk(function)]
    calls = [ast.unparse(node) for node in nodes if isinstance(node, ast.Call)]
    names = {re.split(r"\W", call.partition("(")[0])[-1] for call in calls}
    is_check = any(isinstance(node, ast.Assert) for node in nodes)
    return names, is_check or any(map(_CHECKS.search, calls))
