#!/usr/bin/env bash
# jq 1.13.0 for Python: whole numbers beyond 2^53 change where values are handed to Python, but not as text.
# The program jq keeps the digits of a number that it only passes on; the binding turns values into
# doubles on their way out, so an id read by a filter is another id. "tojson" in the filter, parsed by
# Python, keeps it. Seen 2026-11-27.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check jq==1.13.0
"$folder/env/bin/python" - <<'PROGRAM'
import json

import jq

text = '{"id": 9007199254740993}'
value = jq.compile(".id").input_text(text).first()
kept = json.loads(jq.compile(".id | tojson").input_text(text).first())
shown = jq.compile(".id").input_text(text).text()
print("first():", value, " tojson:", kept, " text():", shown)
assert value == 9007199254740992, "digits are kept now"
assert kept == 9007199254740993
PROGRAM
