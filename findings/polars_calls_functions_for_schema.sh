#!/usr/bin/env bash
# Polars 2.1.0: a function given to map_batches without return_dtype is called on two made-up rows.
# To know the type of the column, collect_schema() runs it once before any data are read: a function that
# counts, bills or writes does so once too often. With return_dtype it is not called. Seen 2026-11-27.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check polars==2.1.0
"$folder/env/bin/python" - <<'PROGRAM'
import polars as pl

sizes = []


def upper(column: pl.Series) -> pl.Series:
    sizes.append(len(column))
    return column.str.to_uppercase()


frame = pl.LazyFrame({"text": ["a", "b", "c"]})
lazy = frame.with_columns(pl.col("text").map_batches(upper))
lazy.collect_schema()
print("rows seen by the function before any data are read:", sizes)
assert sizes == [2], "it is not called before there are data, or on other rows"
lazy.collect()
assert sizes == [2, 3]
sizes.clear()
frame.with_columns(pl.col("text").map_batches(upper, return_dtype=pl.String)).collect_schema()
print("with return_dtype:", sizes)
assert sizes == []
PROGRAM
