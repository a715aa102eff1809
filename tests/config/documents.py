"""A configuration that says something in every section, for tests."""

from __future__ import annotations

V1 = """\
# Written by hand.
schema_version = 1

[dedup]
lru_size = 9  # many repeats
min_body_chars = 300

[templates]
active = ["csv_from_md"]

[mckp]
formats_enabled = ["csv_from_md", "kv", "json_compact"]

[mckp.shape_thresholds]
flat_object_min_fields = 3

[telemetry]
enabled = true
sample_rate = 0.5

[endpoint_overrides."mcp__gitlab__get_issues"]
lru_size = 20
"""

V2 = (
    V1.replace("schema_version = 1", "schema_version = 2")
    + """
[profiles.llm]
active = "mine"

[profiles.llm.variants."mine"]
tokenizer = "ollama_bpe"
context = 9000

[profiles.data.variants.ours]
pattern = "mcp__ours__"
preferred_format = "rows"

[salience."mcp__gitlab__get_issues"]
"[*].title" = 2.5
"[*].author" = 0.25

[hints.types.near_ref]
max_per_session = 7
"""
)
