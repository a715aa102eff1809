"""Tests that wait are run, and none waits forever."""

from inspect import iscoroutinefunction, signature

import pytest

from tests.mcp.fakes import run


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not iscoroutinefunction(pyfuncitem.obj):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in signature(pyfuncitem.obj).parameters}
    run(lambda: pyfuncitem.obj(**given))
    return True
