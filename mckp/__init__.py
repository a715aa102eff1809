"""Optimal context encoding: the most information within a token budget.

The public names are imported when they are first used, so ``import mckp`` is immediate.

Examples
--------
>>> import mckp
>>> result = mckp.encode([{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}])
>>> print(result.text)
[2{id name}1 Ann;2 Bob]
>>> mckp.decode(result.text)
[{'id': 1, 'name': 'Ann'}, {'id': 2, 'name': 'Bob'}]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.later import homes_of, importer

if TYPE_CHECKING:
    from mckp.agents.messages import MessageEncoder as MessageEncoder
    from mckp.agents.messages import ToolPolicy as ToolPolicy
    from mckp.agents.session import Reader as Reader
    from mckp.agents.session import Session as Session
    from mckp.agents.session import SessionSettings as SessionSettings
    from mckp.answers.instance import Instance as Instance
    from mckp.answers.primer import primer as primer
    from mckp.answers.reading import decode as decode
    from mckp.api import aencode as aencode
    from mckp.api import compare as compare
    from mckp.api import encode as encode
    from mckp.api import instance as instance
    from mckp.api import read_instance as read_instance
    from mckp.api import sweep as sweep
    from mckp.batch import Failure as Failure
    from mckp.batch import encode_many as encode_many
    from mckp.encoders.base import DataLoss as DataLoss
    from mckp.encoders.scalars import ABSENT as ABSENT
    from mckp.errors import BudgetError as BudgetError
    from mckp.errors import DataError as DataError
    from mckp.errors import MckpError as MckpError
    from mckp.errors import ParseError as ParseError
    from mckp.errors import PatternError as PatternError
    from mckp.errors import RecallError as RecallError
    from mckp.errors import ToolError as ToolError
    from mckp.errors import UnmatchedError as UnmatchedError
    from mckp.errors import UnmatchedWarning as UnmatchedWarning
    from mckp.errors import WeightError as WeightError
    from mckp.packing import PackResult as PackResult
    from mckp.packing import pack as pack
    from mckp.parsers import parse as parse
    from mckp.result import Result as Result
    from mckp.tools import decode_tools as decode_tools
    from mckp.tools import encode_tools as encode_tools
    from mckp.tools import parse_tools as parse_tools
    from mckp.tools.functions import tool as tool
    from mckp.tree import TreeNode as TreeNode
    from mckp.work import WorkLimitError as WorkLimitError

_HOME: Final = homes_of(
    {
        "mckp.agents.messages": "MessageEncoder ToolPolicy",
        "mckp.agents.session": "Reader Session SessionSettings",
        "mckp.answers.instance": "Instance",
        "mckp.answers.primer": "primer",
        "mckp.answers.reading": "decode",
        "mckp.api": "aencode compare encode instance read_instance sweep",
        "mckp.batch": "Failure encode_many",
        "mckp.encoders.base": "DataLoss",
        "mckp.encoders.scalars": "ABSENT",
        "mckp.errors": "BudgetError DataError MckpError ParseError PatternError "
        "RecallError ToolError UnmatchedError UnmatchedWarning WeightError",
        "mckp.packing": "PackResult pack",
        "mckp.parsers": "parse",
        "mckp.result": "Result",
        "mckp.tools": "decode_tools encode_tools parse_tools",
        "mckp.tools.functions": "tool",
        "mckp.tree": "TreeNode",
        "mckp.work": "WorkLimitError",
    }
)

__version__: Final = "0.3.0"
__all__ = tuple(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]


if not TYPE_CHECKING:  # type checkers are to find names that do not exist
    __getattr__ = importer(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted([*_HOME, "__version__", "__all__", "__doc__", "__name__"])
