"""The package as people install it."""

import os
import sys
from importlib import metadata, resources
from pathlib import Path
from types import ModuleType

import pytest

import mckp
from mckp import weights


@pytest.mark.skipif("MCKP_TEST_INSTALLED" not in os.environ, reason="set where a wheel is tested")
def test_the_installed_package_is_tested() -> None:
    """What is imported is what was installed, not the checkout that the tests are in."""
    mckp.encode([{"a": 1}] * 20, budget=20)
    mckp.encode("# a\n\n- b\n- c\n")
    loaded = [module for name, module in sys.modules.items() if name.split(".")[0] == "mckp"]
    assert len(loaded) > 50
    assert all("site-packages" in Path(str(module.__file__)).parts for module in loaded)


def test_versions_agree() -> None:
    """The version of the module is that of the installed package."""
    assert metadata.version("mckp") == mckp.__version__


def test_everything_needed_is_inside() -> None:
    """Type marker, vocabularies and their notice, and pages come with the package."""
    vocabularies = resources.files("mckp.tokenizers") / "vocab"
    names = {entry.name.split(".")[0] for entry in vocabularies.iterdir()}
    assert {"o200k_base", "cl100k_base", "NOTICE"} <= names
    assert (resources.files("mckp") / "py.typed").is_file()
    for name in ("page.html", "view.html", "view.css", "view.js"):
        assert (resources.files("mckp.display") / name).is_file()


@pytest.mark.parametrize("package", [mckp, weights])
def test_public_names_are_there(package: ModuleType) -> None:
    """All public names exist, are listed by `dir`, and another one is an error."""
    for name in package.__all__:
        assert getattr(package, name) is not None
    assert [name for name in dir(mckp) if not name.startswith("_")] == sorted(mckp.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = package.nothing
