"""Encodes columns of documents: a callable on Arrow data that engines run in their workers."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from mckp.api import encode
from mckp.batch.worker import attempt
from mckp.errors import BudgetError, MckpError, import_extra
from mckp.jsontext import dump

if TYPE_CHECKING:
    from mckp.api import TokenizerLike
    from mckp.budgets import BudgetLike
    from mckp.encoders import FormatsLike
    from mckp.parsers import KindName
    from mckp.solvers import SolverLike
    from mckp.weights.models import WeightsLike
    from mckp.weights.priority import PrioritiesLike

COLUMNS = ("text", "tokens", "cuts", "error")
"""The columns that are added."""


class Encode:
    """Encode a column of documents, batch by batch, as `mckp.encode` does.

    Called with an Arrow array, it returns an array of structs; called with a batch or table, it
    returns that with four more columns. A document that cannot be encoded has an `error`, and the
    others are still encoded. It can be pickled, keeps nothing between calls, and may be called by
    several threads; Ray Data, Daft, Spark, Polars, DuckDB, Dask and other engines accept it.

    Parameters
    ----------
    column : str, optional
        The name of the column with the documents, for calls with a batch or table.
    prefix : str, default ""
        A prefix for the names of the new columns, for batches that already have such names.
    longest : int, optional
        The most characters or bytes of a document; a longer one is an error. An engine ends the
        whole job if one document takes all memory, so set this for documents that you do not know.
    budget, tokenizer, formats, weights, priorities, query, solver, work_limit, kind
        As for `mckp.encode`, and the same for each document. A tokenizer that was registered by
        name is not known to other processes: pass the object.

    Raises
    ------
    UnknownNameError, ValueError
        At once, for options that `mckp.encode` refuses for any document.
    MissingExtraError
        When called, if pyarrow is not installed; it comes with the extra ``frames``.
    ValueError, TypeError
        When called with a batch that lacks the column or already has one of the new columns, or
        with anything but Arrow data.

    Notes
    -----
    The new columns are `text`, the encoded document; `tokens`, its count; `cuts`, a JSON list of
    what was left out, as in `mckp.Result.to_dict`; and `error`, with the error's name before its
    message, such as ``BudgetError`` if even the shortest text exceeds the budget. Either the first
    three are null, or `error` is; for a null document, all four are. Rows keep their order. Texts
    may have any of Arrow's string types, including dictionaries; structs and lists are documents
    themselves.

    Examples
    --------
    >>> import pyarrow
    >>> documents = pyarrow.table({"id": [1, 2], "doc": ['{"a": 1}', None]})
    >>> Encode(column="doc", budget=60)(documents).select(["id", "text", "tokens"]).to_pylist()
    [{'id': 1, 'text': '{"a":1}', 'tokens': 5}, {'id': 2, 'text': None, 'tokens': None}]
    >>> Encode(kind="json")(pyarrow.array(["[1", "[1]"])).field("error").to_pylist()
    ['ParseError: ...', None]
    """

    def __init__(
        self,
        column: str | None = None,
        *,
        prefix: str = "",
        longest: int | None = None,
        budget: BudgetLike | None = None,
        tokenizer: TokenizerLike = "o200k",
        formats: FormatsLike | Literal["auto"] = "native",
        weights: WeightsLike = "salience",
        priorities: PrioritiesLike | None = None,
        query: str | None = None,
        solver: SolverLike = "auto",
        work_limit: int | None = None,
        kind: KindName | None = None,
    ) -> None:
        if longest is not None and longest < 1:
            raise ValueError(f"longest must be a number of characters, 1 or more, not {longest!r}")
        self.column, self.prefix, self.longest = column, prefix, longest
        self.options: dict[str, Any] = {
            "budget": budget,
            "tokenizer": tokenizer,
            "formats": formats if isinstance(formats, str) else list(formats),
            "weights": weights,
            "priorities": priorities,
            "query": query,
            "solver": solver,
            "work_limit": work_limit,
            "kind": kind,
            "on_unmatched": "ignore",  # documents of one column have many shapes
        }
        with suppress(BudgetError):  # wrong options raise an error here
            encode("[]", **self.options)

    def __repr__(self) -> str:
        return f"Encode(column={self.column!r}, budget={self.options['budget']!r})"

    def __call__(self, batch: Any) -> Any:
        """Encode the documents of an Arrow array, batch or table.

        Parameters
        ----------
        batch : pyarrow.Array, ChunkedArray, RecordBatch or Table, or anything that exports an
            Arrow stream, as Polars and pandas series and frames do.

        Returns
        -------
        pyarrow.Array, ChunkedArray, RecordBatch or Table
            The same type: structs for an array, or a batch or table with more columns.
        """
        arrow = import_extra("pyarrow", "pyarrow", "frames")
        if not isinstance(
            batch, arrow.Array | arrow.ChunkedArray | arrow.RecordBatch | arrow.Table
        ):
            if not hasattr(batch, "__arrow_c_stream__"):
                kind = type(batch).__name__
                raise TypeError(f"expected an Arrow array, batch or table, not {kind}")
            batch = arrow.chunked_array(batch) if self.column is None else arrow.table(batch)
        if self.column is not None and hasattr(batch, "column_names"):
            return self._with_columns(arrow, batch, self.column)
        if hasattr(batch, "column_names"):
            names = ", ".join(batch.column_names)
            raise ValueError(
                f"say which column holds the documents: Encode(column=…) with one of {names}"
            )
        return self._encoded_structs(arrow, batch)

    def _with_columns(self, arrow: Any, batch: Any, column: str) -> Any:
        """Return a batch with the columns of results added; raise if names are missing or taken."""
        names, new_names = list(batch.column_names), [self.prefix + name for name in COLUMNS]
        if names.count(column) != 1:
            raise ValueError(
                f"expected one column {column!r}, got {names.count(column)}; the columns are: "
                f"{', '.join(names)}"
            )
        if existing := [name for name in new_names if name in names]:
            raise ValueError(
                f"the batch already has the columns {', '.join(existing)}; give Encode a prefix="
            )
        for name, values in zip(
            new_names, self._encoded_structs(arrow, batch[column]).flatten(), strict=True
        ):
            batch = batch.append_column(name, values)
        return batch

    def _encoded_structs(self, arrow: Any, documents: Any) -> Any:
        """Return documents encoded as structs."""
        kinds = arrow.string(), arrow.int64(), arrow.string(), arrow.string()
        struct = arrow.struct(list(zip(COLUMNS, kinds, strict=True)))
        if isinstance(documents, arrow.ChunkedArray):
            chunks = [self._encoded_structs(arrow, chunk) for chunk in documents.chunks]
            return arrow.chunked_array(chunks, struct)
        rows = [
            None if document is None else self._columns_or_error(document)
            for document in documents.to_pylist()
        ]
        return arrow.array(rows, struct)

    def _columns_or_error(self, document: Any) -> dict[str, Any]:
        """Return the columns of a document, or only its error if it cannot be encoded."""
        outcome = attempt(self._encoded_columns, document)
        if isinstance(outcome, Exception):
            return {"error": f"{type(outcome).__name__}: {outcome}"}
        return outcome

    def _encoded_columns(self, document: Any) -> dict[str, Any]:
        """Return the result of a document as columns; raise if the document is too long."""
        size = len(document) if isinstance(document, str | bytes) else 0
        if self.longest is not None and size > self.longest:
            raise MckpError(f"the document has {size} characters, more than longest={self.longest}")
        result = encode(document, **self.options)
        cuts = dump(result.detached().to_dict()["elided"])
        return {"text": result.text, "tokens": result.tokens, "cuts": cuts}
