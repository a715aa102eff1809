"""What holds for all tests: random ones scale with MCKP_TEST_SCALE, without time limits."""

from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import settings

from tests.cli.conftest import run as run
from tests.strategies import examples

settings.register_profile("mckp", parent=examples(60))
settings.load_profile("mckp")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """A module of tests that cannot be imported fails: doctests alone would skip it in silence."""
    report = yield
    if report.skipped and "unable to import module" in str(report.longrepr):
        report.outcome = "failed"
    return report
