"""What a fresh process loads for a small document: only what that document needs."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

BUILDS = Path(__file__).parents[1] / "examples" / "builds.json"

ENCODE = 130
"""Modules of ours that encoding a JSON text loads at most."""
COMMAND = 137
"""The same by the command, which reads options and files."""
HOOK = 22
"""The same of the hook of an agent, for a result too short to be changed."""

HEAVY = (
    *("numba", "llvmlite", "ortools", "networkx", "markdown_it", "mdit_py_plugins"),
    *("toktok", "rich", "pyarrow", "numpy.ma"),
)
NOT_FOR_A_NOTE = ("hashlib", "orjson", "logging")
"""Modules that noting a short result does not need."""

TOLD = f"""
import json, sys
encodings = sys.modules.get("mckp.tokenizers.encodings")
print(json.dumps({{
    "ours": sum(name.partition(".")[0] == "mckp" for name in sys.modules),
    "heavy": [name for name in {HEAVY!r} if name in sys.modules],
    "numpy": "numpy" in sys.modules,
    "more": [name for name in {NOT_FOR_A_NOTE!r} if name in sys.modules],
    "tiktoken": "tiktoken" in sys.modules,
    "whole": encodings is not None and encodings.is_loaded("o200k_base"),
}}), file=sys.stderr)
"""


class Loaded(SimpleNamespace):
    """What a process had loaded in its end, as `TOLD` names it."""

    def __init__(self, code: str, stdin: bytes = b"", **environment: str) -> None:
        done = subprocess.run(
            [sys.executable, "-c", code + TOLD],
            input=stdin,
            capture_output=True,
            check=True,
            env=os.environ | environment,
        )
        super().__init__(**json.loads(done.stderr.splitlines()[-1]))


def by_call(options: str = "") -> str:
    return f"import mckp\nmckp.encode(open({str(BUILDS)!r}).read(){options})\n"


def by_command(*arguments: str) -> str:
    return f"from mckp.cli import main\nassert main({list(arguments)!r}) == 0\n"


def test_import_alone() -> None:
    """``import mckp`` loads mckp and what imports its names later."""
    assert Loaded("import mckp\n").ours == 2


@pytest.mark.slow
def test_a_json_text() -> None:
    """Encoding JSON needs no grammar of Markdown, no NumPy, and a part of the vocabulary."""
    loaded = Loaded(by_call())
    assert (loaded.heavy, loaded.numpy, loaded.whole) == ([], False, False)
    assert loaded.ours <= ENCODE


@pytest.mark.slow
def test_a_json_file_by_the_command() -> None:
    """Encoding a small file by the command loads no heavy library and few modules."""
    loaded = Loaded(by_command("encode", str(BUILDS)))
    assert (loaded.heavy, loaded.numpy, loaded.whole) == ([], False, False)
    assert loaded.ours <= COMMAND


@pytest.mark.slow
@pytest.mark.parametrize(
    "code", [by_call(", budget=400"), by_command("encode", str(BUILDS), "--budget", "400")]
)
def test_within_a_budget(code: str) -> None:
    """Encoding within a budget loads none of the heavy packages."""
    loaded = Loaded(code)
    assert (loaded.heavy, loaded.whole) == ([], False)


def test_a_short_result_of_a_tool(tmp_path: Path) -> None:
    """The hook loads no heavy library for a short result, and few modules."""
    response = {"stdout": "x" * 150, "stderr": "", "isImage": False}
    event = {"session_id": "0c-1f", "hook_event_name": "PostToolUse", "tool_name": "Bash"}
    loaded = Loaded(
        by_command("hook", "claude-code", "--budget", "1000"),
        json.dumps({**event, "tool_response": response}).encode(),
        MCKP_STATE_DIR=str(tmp_path),
        XDG_CONFIG_HOME=str(tmp_path),
    )
    assert (loaded.heavy, loaded.numpy, loaded.tiktoken) == ([], False, False)
    assert loaded.more == []
    assert loaded.ours <= HOOK


@pytest.mark.slow
@pytest.mark.parametrize("text", ["# Title\n\ntext", "12:01 started\n12:02 done"])
def test_other_texts(text: str) -> None:
    """Only Markdown loads the Markdown parser."""
    loaded = Loaded(f"import mckp\nmckp.encode({text!r})\n")
    assert loaded.heavy == (["markdown_it", "mdit_py_plugins"] if text.startswith("#") else [])
