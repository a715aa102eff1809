#!/usr/bin/env bash
# orjson: a patch release writes other bytes for the same number: 1e16 up to 3.11.6, 1e+16 from 3.11.7 on.
# Both are valid JSON and read back alike; hashes, caches, golden files and counts of tokens differ. Seen
# 2026-11-27.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check orjson==3.11.6
"$folder/env/bin/python" - <<'PROGRAM'
import orjson

print(orjson.__version__, orjson.dumps([1e16]))
assert orjson.dumps([1e16]) == b"[1e16]"
PROGRAM
"$folder/env/bin/pip" install --quiet --disable-pip-version-check orjson==3.11.7
"$folder/env/bin/python" - <<'PROGRAM'
import orjson

print(orjson.__version__, orjson.dumps([1e16]))
assert orjson.dumps([1e16]) == b"[1e+16]"
PROGRAM
