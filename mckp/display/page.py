"""Self-contained HTML pages: one template, one look, no network."""

from __future__ import annotations

import gzip
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from mckp.jsontext import dump

if TYPE_CHECKING:
    from os import PathLike


def page(title: str, body: str, script: str = "") -> str:
    """Return an HTML page; its body must already be escaped.

    A policy forbids it to load anything, or to run anything but its own script.
    """
    hashed = b64encode(sha256(script.encode()).digest()).decode()
    return Template(file_text("page.html")).substitute(
        title=escape(title),
        script_policy=f"'sha256-{hashed}'" if script else "'none'",
        style=file_text("view.css"),
        body=body,
        script=f"<script>{script}</script>" if script else "",
    )


def sheet(title: str, *parts: str) -> str:
    """Return a page made of HTML parts, already escaped; wide tables scroll."""
    shown_parts = (
        f"<div class='scroll'>{part}</div>" if part.startswith("<table") else part for part in parts
    )
    return page(title, f"<main class='sheet'>{''.join(shown_parts)}</main>")


def file_text(name: str) -> str:
    """Return the content of a file in this folder."""
    return (files("mckp.display") / name).read_text(encoding="utf-8")


class View:
    """An HTML page, as `html`. A notebook shows it in a frame; `save` writes it to a file."""

    def __init__(self, title: str, page_data: dict[str, Any]) -> None:
        # Compressed, thirty texts of a document take little more room than one of them, and base64
        # has no characters that could end a script.
        data = b64encode(gzip.compress(dump(page_data).encode(), mtime=0)).decode()
        data_script = f"<script type='application/gzip' id='data'>{data}</script>"
        self.html = page(title, file_text("view.html") + data_script, file_text("view.js"))

    def __repr__(self) -> str:
        return "<View: a page; save() writes a file, a notebook shows it>"

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file."""
        Path(path).write_text(self.html, encoding="utf-8", newline="\n")

    def _repr_html_(self) -> str:
        return (
            f"<iframe srcdoc='{escape(self.html)}' sandbox='allow-scripts' title='mckp view' "
            "style='width:100%;height:46em;border:1px solid #8886;border-radius:8px'></iframe>"
        )
