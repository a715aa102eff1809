"""The site: README as the front door, guides, each folder's README, and the API from docstrings.

`just docs` builds it into site/, without a network; sources are all over the checkout, so that
links between pages are the links of the files themselves.
"""

from __future__ import annotations

import re
import sys
from html import escape
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from docutils import nodes

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from front import front  # noqa: E402

import mckp  # noqa: E402

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project, author, release = "mckp", "The mckp authors", mckp.__version__
project_copyright = "The mckp authors, MIT licence"
root_doc = "README"
ABOUT = "JSON, Markdown and text for language models, in fewer tokens."
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
include_patterns = [
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "GLOSSARY.md",
    "SECURITY.md",
    "mckp/**/README.md",
    "docs/README.md",
    "docs/guides/*.md",
    "docs/api/*.md",
    *(f"{folder}/**.md" for folder in ("parsers", "encoders", "solvers", "benches", "paper")),
]
templates_path = [str(ROOT / "docs/templates")]
html_theme = "furo"
html_static_path = [str(ROOT / f"docs/templates/{name}") for name in ("site.css", "front.js")]
html_css_files = ["site.css"]
html_title = "mckp"
html_additional_pages = {"index": "front.html"}
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 4
napoleon_google_docstring = False
autodoc_member_order = "bysource"
default_role = "py:obj"
autodoc_typehints_format = "short"
add_module_names = False
# Golden cases are no code of any language, and a name may be that of several things.
suppress_warnings = ["misc.highlighting_failure", "myst.header", "ref.python"]


html_context = front()

CONTENTS = """
```{toctree}
:hidden:
:caption: Start
Overview <self>
docs/guides/first-steps
docs/guides/command-line
docs/guides/notebooks
docs/guides/extras
```
```{toctree}
:hidden:
:caption: Shorter prompts
docs/guides/formats
docs/guides/budgets
docs/guides/pack
docs/guides/worth
docs/guides/data
docs/guides/tools
```
```{toctree}
:hidden:
:caption: Shorter results for agents
docs/guides/agents
docs/guides/mcp
docs/guides/claude-code
docs/guides/hosts
docs/guides/sessions
```
```{toctree}
:hidden:
:caption: Measure and extend
docs/guides/measuring
docs/guides/solvers
docs/guides/extending
```
```{toctree}
:hidden:
:caption: Reference
docs/api/mckp
docs/api/results
docs/api/solvers
docs/api/tokenizers
docs/api/weights
docs/api/texts
docs/api/tools
docs/api/encoders
docs/api/sessions
docs/api/agents
docs/api/data
docs/api/accuracy
```
```{toctree}
:hidden:
:caption: Specification
encoders/README
parsers/README
solvers/README
```
```{toctree}
:hidden:
:caption: Evidence
benches/README
paper/README
docs/README
ARCHITECTURE
GLOSSARY
CONTRIBUTING
SECURITY
CHANGELOG
```
"""
"""The contents beside every page; hidden in the README, which is read elsewhere too."""

SHEETS = """
```{toctree}
:hidden:
:glob:
*
```
"""
CATALOGS = """
```{toctree}
:hidden:
tools/README
```
"""
HAS_PAPER = find_spec("typst") is not None
PAPER_LINKS = """

The paper of this version: <a href="mckp.html">as a page</a>, <a href="mckp.pdf">as a PDF</a>.
"""
FOLDERS = """
```{toctree}
:hidden:
:glob:
../../mckp/agents/*/README
```
"""
BELOW = {
    "README": CONTENTS,
    "encoders/README": SHEETS + CATALOGS,
    "parsers/README": SHEETS,
    "docs/api/sessions": FOLDERS,
    "paper/README": PAPER_LINKS if HAS_PAPER else "",
}


def add_contents(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the contents below the README, and the sheets below their folder's."""
    text = re.sub(
        r"\n\n```(?=\n\n|\n?$)", "\n```", source[0]
    )  # doctest needs the blank line, pages not
    source[0] = text + BELOW.get(docname, "")


def measure_images(app: Sphinx, doctree: nodes.document) -> None:
    """Give each picture its size, so that the text below does not jump when it is loaded."""
    for image in doctree.findall(nodes.image):
        image["scale"] = 100


def complete(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Make the front page the home of all others, and describe a page by its first sentences."""
    context["master_doc"] = "index"
    if page == root_doc:
        context["title"] = "Overview"
    paragraphs = (part.astext() for part in (doctree.findall(nodes.paragraph) if doctree else ()))
    text = next((text for text in paragraphs if not re.fullmatch(r"Code: \S+", text)), ABOUT)
    meta = f'<meta name="description" content="{escape(shorten(text, 200, placeholder="…"))}">'
    context["metatags"] = context.get("metatags", "") + meta


def add_paper(app: Sphinx, exception: Exception | None) -> None:
    """Write the paper beside the page about it."""
    if exception is None and HAS_PAPER:
        sys.path.insert(0, str(ROOT / "benches"))
        import_module("paper").typeset(Path(app.outdir) / "paper")


def setup(app: Sphinx) -> None:
    """Connect what changes sources and pages."""
    app.connect("source-read", add_contents)
    app.connect("doctree-read", measure_images)
    app.connect("html-page-context", complete)
    app.connect("build-finished", add_paper)
