#!/usr/bin/env bash
# DuckDB: a time with a zone (TIMETZ) keeps its zone in fetchall(), but an Arrow table of the same query has a plain
# time, without a warning. 12:00+02 and 10:00 UTC, one moment of the day, become the times 12:00 and 10:00.
# Seen 2026-11-28.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check duckdb==2.0.1 pyarrow==26.0.1 pytz
"$folder/env/bin/python" - <<'PROGRAM'
from datetime import time, timedelta, timezone

import duckdb

query = "SELECT TIMETZ '12:00:00+02' AS there, TIMETZ '10:00:00+00' AS here"
there, here = duckdb.sql(query).fetchall()[0]
table = duckdb.sql(query).to_arrow_table()
row = table.to_pylist()[0]
print(duckdb.__version__, there, here, table.schema.types, row)
assert there == time(12, tzinfo=timezone(timedelta(hours=2)))
assert here == time(10, tzinfo=timezone.utc)
assert list(map(str, table.schema.types)) == ["time64[us]", "time64[us]"]
assert row == {"there": time(12), "here": time(10)}
PROGRAM
