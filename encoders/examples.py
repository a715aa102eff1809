"""One example for each format: a document, its text, its tokens, and the document again.

``python encoders/examples.py`` prints them all. The sheets beside this file have the grammar and
the golden cases.
"""

import mckp
from mckp.encoders import ALL, write
from mckp.tokenizers import get

BUILDS = [
    {"id": 31, "status": "passed", "seconds": 66, "url": "https://ci.example.org/builds/31"},
    {"id": 32, "status": "failed", "seconds": 12, "url": "https://ci.example.org/builds/32"},
    {"id": 33, "status": "passed", "seconds": 64, "url": "https://ci.example.org/builds/33"},
]
EXAMPLES = {
    "json": {"project": "harbour", "builds": BUILDS},
    "kv": {"project": "harbour", "branch": "main", "limits": {"cpu": 2, "memory": "4Gi"}},
    "csv": BUILDS,
    "table": BUILDS,
    "prose": {"project": "harbour", "open": True, "count": 3},
    "fence": {"total": 2, "tags": ["tide", "port"]},
    "mckp_v2": {
        "total": 812,
        "builds": [{"id": 31, "status": "passed"}, {"id": 32, "error": {"exit": 1}}],
    },
    "rows": [*BUILDS, {"id": 34, "status": "failed", "error": {"exit": 1}}],
    "flow": {"tags": ["tide", "port"], "limits": {"cpu": 2}},
    "rules": [build | {"log": f"{build['url']}/log"} for build in 3 * BUILDS],
}
"""Other formats, such as `derived` and `phrases`, take part with ``formats="dense"``."""


def main() -> None:
    """Print each example as written in its format, with its tokens beside those of JSON."""
    tokenizer = get("o200k")
    formats = {known.name: known for known in ALL}
    for name, data in EXAMPLES.items():
        text = write(data, formats[name])
        if text is None or mckp.decode(text) != data:
            raise AssertionError(f"the example of {name} is not read back as it was")
        json_tokens = mckp.encode(data, formats=["json"]).tokens
        print(f"== {name}: {tokenizer.count(text)} tokens (json {json_tokens})\n{text.rstrip()}\n")


if __name__ == "__main__":
    main()
