#!/usr/bin/env bash
# DuckDB 2.0.1 for Python: a result taken by .arrow() locks its connection until the last batch is read.
# .arrow() returns a reader, not a table; any other query of the connection raises until the reader
# is drained. to_arrow_table() has no such effect. Seen 2026-11-27 with pyarrow 26.0.1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check duckdb==2.0.1 pyarrow==26.0.1
"$folder/env/bin/python" - <<'PROGRAM'
import duckdb

connection = duckdb.connect()
reader = connection.sql("select range as n from range(5000)").arrow()
print(".arrow() returns", type(reader).__name__)
try:
    connection.execute("select 1").fetchall()
except duckdb.Error as error:
    print("another query:", error)
else:
    raise SystemExit("another query runs beside the reader now")
assert reader.read_all().num_rows == 5000
assert connection.execute("select 1").fetchall() == [(1,)]
table = connection.sql("select range as n from range(5000)").to_arrow_table()
assert connection.execute("select 1").fetchall() == [(1,)]
print("after it is drained, and after to_arrow_table(), queries run:", table.num_rows, "rows")
PROGRAM
