"""Binary files are refused in every way of giving them, and texts with odd bytes are not."""

from pathlib import Path

import pytest

import mckp
from mckp.parsers.repair import binary_name

_NUMBERS = bytes(range(256)) * 40


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (b"PK\x03\x04\x14\0" + _NUMBERS, "a ZIP archive or an Office document"),
        (b"PAR1\x15\x04\x15\x80\x12" + _NUMBERS, "a Parquet file"),
        (b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n", "a PDF document"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", "a PNG image"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "a JPEG image"),
        (b"SQLite format 3\0\x10\0\x01\x01", "an SQLite database"),
        (b"\x1f\x8b\x08\0abc", "a gzip file"),
        (b"\x7fELF\x02\x01\x01\0", "a program"),
        (b"\x80\x05\x95\x0b\0\0\0\0\0\0\0}\x94\x8c\x01a\x94K\x01s.", "a binary file"),
        (_NUMBERS, "a binary file"),
    ],
)
def test_a_binary_file_is_named(raw: bytes, name: str, tmp_path: Path) -> None:
    """Bytes, paths, packs and batches refuse it with the same words."""
    path = tmp_path / "data"
    path.write_bytes(raw)
    for call in (
        lambda: mckp.encode(raw),
        lambda: mckp.encode(path, budget=50),
        lambda: mckp.parse(raw, "text"),
        lambda: mckp.pack({"data": path}, budget=100),
    ):
        with pytest.raises(mckp.ParseError, match=f"^this is {name}; mckp reads"):
            call()
    (failure,) = mckp.encode_many([raw], processes=1)
    assert f"this is {name}" in str(failure)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"a text\n",
        b"src/a.py\0src/b.py\0",
        b"a log that was cut\n\0\0\0\0\0\0\0\0\0\0and goes on\n",
        "naïve".encode("latin-1"),
        "naïve".encode("utf-16"),
        "naïve".encode("utf-32"),
        "日本語".encode() * 3000,
        b"\x1b[31mred\x1b[0m\x07\x08\n",
        b"a\x1fb\x1fc\x1e",
        b"page\x0cpage\x0b\n",
        b"ORC is a format\n",
        b"PAR1 is a magic number\n",
        b"GIF8 begins an image\n",
    ],
)
def test_a_text_is_not_refused(raw: bytes) -> None:
    """Signs of terminals, separators, other encodings and words that begin a format are texts."""
    assert binary_name(raw) is None
    mckp.encode(raw)
