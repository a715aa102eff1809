"""Configurations that say something in every section, for tests."""

from __future__ import annotations

V1 = """\
# Written by hand.
schema_version = 1

[dedup]
lru_size = 9  # many repeats
min_body_chars = 300

[mckp]
formats_enabled = ["csv_from_md", "kv", "json_compact"]

[telemetry]
enabled = true
event_days = 7

[endpoint_overrides."mcp__gitlab__get_issues"]
min_body_chars = 20
"""

V2 = (
    V1.replace("schema_version = 1", "schema_version = 2")
    + """
[endpoint_overrides."mcp__ours__"]
format = "rows"

[salience."mcp__gitlab__get_issues"]
"[*].title" = 2.5
"[*].author" = 0.25
"""
)
