"""The shipped vocabularies are OpenAI's, to the byte."""

import base64
import hashlib
import runpy
import subprocess
import sys
from importlib.resources import files
from operator import itemgetter
from pathlib import Path

import pytest

from mckp.tokenizers.encodings import (
    LONGEST,
    PAGE,
    VOCABULARIES,
    TokenFile,
    token_file,
)

SCRIPT = Path(__file__).parents[2] / "scripts" / "pack_vocab.py"
pack = runpy.run_path(str(SCRIPT))["pack"]


def rank_text(name: str) -> bytes:
    ranks = sorted(token_file(name).all().items(), key=itemgetter(1))
    lines = [b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ranks]
    return b"".join(lines)


def run_script(*args: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", VOCABULARIES)
def test_rank_file_can_be_rebuilt(name: str) -> None:
    """The rank file rebuilt from the packed one has the digest that tiktoken pins."""
    assert hashlib.sha256(rank_text(name)).hexdigest() == VOCABULARIES[name].sha256


@pytest.mark.parametrize("name", VOCABULARIES)
def test_size(name: str) -> None:
    """A vocabulary has as many tokens as its record says, none empty and none too long."""
    tokens = token_file(name).all()
    assert len(tokens) == VOCABULARIES[name].size
    assert min(map(len, tokens)) == 1
    assert max(map(len, tokens)) == LONGEST


@pytest.mark.slow
@pytest.mark.parametrize("name", VOCABULARIES)
def test_every_token_is_found(name: str) -> None:
    """Looking tokens up page by page gives what reading all of them gives, and no more."""
    file = token_file(name)
    ranks = file.all()
    assert file.find(ranks) == ranks
    longer = {token + end for token in list(ranks)[::97] for end in (b" ", b"\x00", b"\xff", b"e")}
    assert file.find(longer) == {token: ranks[token] for token in longer if token in ranks}
    assert file.find([b"", b"\xff\xff", b"\xfe\xff"]) == {}


@pytest.mark.parametrize("count", [1, 2, PAGE, PAGE + 1, PAGE + 2, 2 * PAGE + 1])
def test_pages_of_any_length(count: int) -> None:
    """A packed vocabulary has all its tokens, whatever their number."""
    tokens = [b"\xff", *(b"%04d" % number for number in range(count - 1))]
    file = TokenFile(pack(tokens), count)
    due = {token: rank for rank, token in enumerate(tokens)}
    assert file.all() == file.find([b"0", *tokens]) == due


def test_notice_names_every_file() -> None:
    """The notice names each vocabulary file with its digest."""
    notice = files("mckp.tokenizers").joinpath("vocab", "NOTICE").read_text("utf-8")
    for name, vocabulary in VOCABULARIES.items():
        assert f"{name}.tokens" in notice
        assert vocabulary.sha256 in notice


def test_damaged_file_is_refused() -> None:
    """A vocabulary file of another size is an error."""
    content = pack([b"a", b"\xff", b"b"])
    for damaged, size in ((content, 4), (content[:-1], 3), (content[:9], 3), (b"", 3)):
        with pytest.raises(ValueError, match=f"does not have the expected {size} tokens"):
            TokenFile(damaged, size)


@pytest.mark.slow
def test_script_packs_what_is_shipped(tmp_path: Path) -> None:
    """The script packs the public file into the bytes that are shipped."""
    source = tmp_path / "any name"
    source.write_bytes(rank_text("cl100k_base"))
    assert run_script(source, "--out", tmp_path).returncode == 0
    shipped = files("mckp.tokenizers").joinpath("vocab", "cl100k_base.tokens").read_bytes()
    assert (tmp_path / "cl100k_base.tokens").read_bytes() == shipped


@pytest.mark.slow
def test_script_refuses_other_content(tmp_path: Path) -> None:
    """The packing script writes nothing for a file whose digest it does not know."""
    source = tmp_path / "o200k_base.tiktoken"
    source.write_bytes(rank_text("cl100k_base") + b"\n")
    done = run_script(source, "--out", tmp_path)
    assert done.returncode == 1
    assert "nothing written" in done.stderr
    assert list(tmp_path.iterdir()) == [source]
