"""The shipped vocabularies are OpenAI's, to the byte."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from mckp.tokenizers.encodings import load
from mckp.tokenizers.vocabularies import CANARY, LONGEST, VOCABULARIES, pack, ranks, unpack

SCRIPT = Path(__file__).parents[2] / "scripts" / "pack_vocab.py"


def rank_text(name: str) -> bytes:
    lines = [b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ranks(name).items()]
    return b"".join(lines)


def run_script(*args: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", VOCABULARIES)
def test_rank_file_can_be_rebuilt(name: str) -> None:
    """The rank file rebuilt from the packed one has the digest that tiktoken pins."""
    assert hashlib.sha256(rank_text(name)).hexdigest() == VOCABULARIES[name].sha256


@pytest.mark.parametrize("name", VOCABULARIES)
def test_size(name: str) -> None:
    """A vocabulary has as many tokens as its record says, none empty and none too long."""
    assert len(ranks(name)) == VOCABULARIES[name].size
    assert min(map(len, ranks(name))) == 1
    assert max(map(len, ranks(name))) == LONGEST


@pytest.mark.parametrize(("name", "due"), [("o200k_base", 33), ("cl100k_base", 37)])
def test_canary(name: str, due: int) -> None:
    """The canary text takes 33 tokens of o200k_base and 37 of cl100k_base."""
    assert len(load(name).encode_ordinary(CANARY)) == due


def test_notice_names_every_file() -> None:
    """The notice beside the vocabularies gives each file and its digest."""
    notice = files("mckp.tokenizers").joinpath("vocab", "NOTICE").read_text("utf-8")
    for name, vocabulary in VOCABULARIES.items():
        assert f"{name}.zlib" in notice
        assert vocabulary.sha256 in notice


def test_damaged_file_is_refused() -> None:
    """A packed file with too few tokens, or without the one that is left out, is an error."""
    with pytest.raises(ValueError, match="of 2 tokens where 3 are due"):
        unpack(pack([b"a", b"\xff"]), 3)
    with pytest.raises(ValueError, match="of 2 tokens where 2 are due"):
        unpack(pack([b"a", b"b"]), 2)


def test_script_packs_what_is_shipped(tmp_path: Path) -> None:
    """The packing script makes of a rank file what is shipped."""
    source = tmp_path / "any name"
    source.write_bytes(rank_text("cl100k_base"))
    assert run_script(source, "--out", tmp_path).returncode == 0
    packed = (tmp_path / "cl100k_base.zlib").read_bytes()
    assert unpack(packed, VOCABULARIES["cl100k_base"].size) == list(ranks("cl100k_base"))


def test_script_refuses_other_content(tmp_path: Path) -> None:
    """The packing script writes nothing for a file whose digest it does not know."""
    source = tmp_path / "o200k_base.tiktoken"
    source.write_bytes(rank_text("cl100k_base") + b"\n")
    done = run_script(source, "--out", tmp_path)
    assert done.returncode == 1
    assert "nothing written" in done.stderr
    assert list(tmp_path.iterdir()) == [source]
