"""What counting leaves alone: start-up time, network, caches, environment."""

from pathlib import Path

from tests.shell import python


def test_import_is_lazy() -> None:
    """Getting a tokenizer loads no tiktoken and no network library."""
    python(
        "import sys, mckp.tokenizers\n"
        "mckp.tokenizers.get('o200k')\n"
        "assert not {'tiktoken', 'tiktoken_ext', 'regex', 'requests'} & set(sys.modules)"
    )


def test_offline(tmp_path: Path) -> None:
    """Both vocabularies count without a socket, an empty cache folder staying empty."""
    python(
        "import os, socket\n"
        "def refuse(*args, **kwargs): raise AssertionError('a socket was asked for')\n"
        "socket.socket.__init__ = socket.getaddrinfo = refuse\n"
        "from mckp.tokenizers import get\n"
        "before = dict(os.environ)\n"
        "assert get('o200k').count('Hello world') == get('cl100k').count('Hello world') == 2\n"
        "assert dict(os.environ) == before",
        TIKTOKEN_CACHE_DIR=str(tmp_path),
        TMPDIR=str(tmp_path),
    )
    assert not list(tmp_path.iterdir())


def test_reads_no_foreign_cache(tmp_path: Path) -> None:
    """A planted file in the cache of tiktoken is neither read nor changed."""
    planted = tmp_path / "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
    planted.write_bytes(b"AA== 0\n")
    python(
        "from mckp.tokenizers import get\nassert get('cl100k').count('Hello world') == 2",
        TIKTOKEN_CACHE_DIR=str(tmp_path),
    )
    assert planted.read_bytes() == b"AA== 0\n"
