"""Reports of compilers and linters: code stays with its finding, and equal findings fade."""

from __future__ import annotations

from itertools import pairwise

import mckp
from mckp.texts.findings import finding_levels, finding_roles
from mckp.texts.outline import outline

NAMES = ("fuel", "ports", "gates", "crew", "tides", "fares", "routes", "cabins", "deck", "bow")


def _graphical() -> str:
    """Return findings with code below them, as oxlint writes them; one is unlike the others."""
    shown: list[str] = []
    for name in NAMES:
        shown += [
            f"  ! eslint(no-unused-vars): Variable '{name}' is declared but never used.",
            f"   ,-[src/{name}.ts:7:3]",
            " 6 |   let sum = 0",
            f" 7 |   let {name} = 0",
            "   :       ^^^^",
            f" 8 |   return {name}",
            "   `----",
            "  help: Consider removing this declaration.",
            "",
        ]
        if name == "routes":
            shown += [
                "  x eslint(no-undef): 'harbour' is not defined.",
                "    ,-[src/routes.ts:16:5]",
                " 16 |   berth(harbour)",
                "    :         ^^^^^^^",
                "    `----",
                "",
            ]
    return "\n".join([*shown, "Found 10 warnings and 1 error.", ""])


def test_code_below_a_finding_belongs_to_it() -> None:
    """Quoted code has its finding as head, and is never kept without it."""
    text = _graphical()
    lines, heads = text.split("\n"), [int(head) for head in outline(text).heads.tolist()]
    for number, line in enumerate(lines):
        if line.startswith(" 8 |"):
            assert "no-unused-vars" in lines[heads[number]]
        if line.startswith("   :"):
            assert lines[heads[number]].startswith(" 7 |")
    for share in (50, 25, 15, 10):
        kept = mckp.encode(text, budget=f"{share}%", kind="text").text
        for name in NAMES:
            finding = f"Variable '{name}' is declared"
            assert finding in kept or f" 7 |   let {name} = 0" not in kept
            assert finding in kept or f" 8 |   return {name}" not in kept


def test_the_finding_that_is_unlike_the_others_stays_with_its_place() -> None:
    """The only error is kept with its place and the verdict, at the cost of equal warnings."""
    text = mckp.encode(_graphical(), budget="20%", kind="text").text
    assert "'harbour' is not defined" in text
    assert "src/routes.ts:16:5" in text
    assert text.count("is declared but never used") < len(NAMES)
    assert "Found 10 warnings and 1 error." in text


def test_findings_that_differ_in_a_name_fade_and_others_do_not() -> None:
    """Findings that differ in a name are worth less and less; another one keeps its worth."""
    rows = [f"src/{name}.ts(5,7): error TS6133: '{name}' is never read." for name in NAMES]
    rows.append("src/bow.ts(9,1): error TS2552: Cannot find name 'shares'.")
    factors, _ = finding_roles(rows)
    assert factors[:-1] == sorted(factors[:-1], reverse=True)
    assert factors[0] == factors[-1] == 1.0
    assert factors[-2] < 0.5


def test_the_rest_of_a_wrapped_message_belongs_to_its_beginning() -> None:
    """The second line of a message and the quoted code are levels below the first."""
    shown: list[str] = []
    for name in NAMES:
        shown += [f'ferry/{name}.py:42: error: Incompatible return value type (got "None",']
        shown += [
            f'expected "{name}")  [return-value]',
            "        return None",
            "               ^~~~",
        ]
    shown.append("Found 10 errors in 10 files (checked 17 source files)")
    assert finding_levels(shown) == [*[0, 1, 16, 30] * len(NAMES), 0]


def test_the_explanation_below_the_code_of_an_error_stays() -> None:
    """The explanation of an error is kept with its place before equal warnings."""
    warnings = [
        line
        for name in NAMES
        for line in (
            "warning: unused variable: `unused`",
            f"  --> src/{name}.rs:10:9",
            "   |",
            "10 |     let unused = items.len();",
            "   |         ^^^^^^ help: prefix it with an underscore: `_unused`",
            "",
        )
    ]
    error = [
        "error[E0308]: mismatched types",
        "  --> src/routes.rs:11:5",
        "   |",
        "11 |     items.iter().map(|item| item.size as u64).sum::<u64>()",
        "   |     ^^^^^^^^^^^^^^^^^^^^^^ expected `u32`, found `u64`",
        "",
        "error: could not compile `ferry` (lib) due to 1 previous error; 10 warnings emitted",
        "",
    ]
    text = mckp.encode("\n".join([*warnings, *error]), budget="25%", kind="text").text
    assert "expected `u32`, found `u64`" in text
    assert "src/routes.rs:11:5" in text


def test_a_file_stays_only_with_a_finding_in_it() -> None:
    """The name of a file is followed by a finding in it, and the file of the error is kept."""
    files = [
        f"/app/src/{name}.js\n"
        f"   4:7   warning  '{name}' is never used{' ' * (9 - len(name))}no-unused\n"
        f"  11:3   warning  Unexpected var, use let or const{' ' * 9}no-var\n\n"
        for name in ("quay", "berth", "tide", "harbour", "mooring", "crane", "lock", "pier")
    ]
    files[5] = "/app/src/crane.js\n   8:2   error    'lift' is not defined   no-undef\n\n"
    text = "".join(files) + "\u2716 15 problems (1 error, 14 warnings)\n"
    rows = mckp.encode(text, budget=100).text.split("\n")
    assert "/app/src/crane.js" in rows
    for row, below in pairwise(rows):
        assert not row.startswith("/app/") or below.startswith("  "), rows
