"""An adapter without its framework names the extra that brings it."""

import importlib
import sys

import pytest

from mckp.errors import MissingExtraError
from tests.shell import python

EXTRAS = {
    "langchain": ("langchain", "langchain.agents.middleware"),
    "llama_index": ("llama-index", "llama_index.core.base.llms.types"),
    "openai_agents": ("openai-agents", "agents"),
    "pydantic_ai": ("pydantic-ai", "pydantic_ai"),
}


@pytest.mark.parametrize("name", EXTRAS)
def test_a_missing_framework_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Importing an adapter without its framework names the extra to install."""
    extra, module = EXTRAS[name]
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, f"mckp.agents.adapters.{name}", raising=False)
    with pytest.raises(MissingExtraError) as caught:
        importlib.import_module(f"mckp.agents.adapters.{name}")
    assert caught.value.extra == extra


@pytest.mark.slow
def test_nothing_is_imported_before_it_is_used() -> None:
    """Neither the library nor its adapters import a framework before it is used."""
    code = (
        "import sys, mckp, mckp.agents.adapters, mckp.agents.messages,"
        " mckp.agents.adapters.text_calls,"
        " mckp.agents.adapters.claude_code;"
        "print({'langchain', 'llama_index', 'agents', 'pydantic_ai', 'pydantic'} & {*sys.modules})"
    )
    assert python(code) == "set()\n"
