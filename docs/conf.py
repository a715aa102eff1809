"""The site: README as the front door, guides, each folder's README, and the API from docstrings.

`just docs` builds it into site/, without a network; sources are all over the checkout, so that
links between pages are the links of the files themselves.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import mckp  # noqa: E402

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project, author, release = "mckp", "The mckp authors", mckp.__version__
project_copyright = "The mckp authors, MIT licence"
root_doc = "README"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
include_patterns = [
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "GLOSSARY.md",
    "mckp/**/README.md",
    "docs/README.md",
    "docs/guides/*.md",
    "docs/api/*.md",
    *(f"{folder}/**.md" for folder in ("parsers", "encoders", "solvers", "benches", "paper")),
]
templates_path = [str(ROOT / "docs/templates")]
html_theme = "furo"
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
pygments_style = "friendly"

CONTENTS = """
```{toctree}
:hidden:
:caption: Start
docs/guides/first-steps
docs/guides/command-line
docs/guides/notebooks
```
```{toctree}
:hidden:
:caption: Shorter prompts
docs/guides/formats
docs/guides/budgets
docs/guides/data
docs/guides/tools
```
```{toctree}
:hidden:
:caption: Shorter results for agents
docs/guides/agents
docs/guides/mcp
docs/guides/claude-code
docs/guides/sessions
```
```{toctree}
:hidden:
:caption: Measure and extend
docs/guides/measuring
docs/guides/solvers
docs/guides/extras
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
CHANGELOG
```
"""
"""What stands beside every page; hidden in the README, which is read elsewhere too."""

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
}


def add_contents(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the contents below the README, and the sheets below their folder's."""
    source[0] += BELOW.get(docname, "")


def setup(app: Sphinx) -> None:
    """Connect what changes sources."""
    app.connect("source-read", add_contents)
