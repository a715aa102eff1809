"""Write the example documents, the same on every machine.

    python scripts/make_examples.py

makes ``examples/builds.json`` (a page of builds as an API would return it) and
``examples/release.md`` (a release report with a padded table). All names are invented.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "examples"
_JOBS = ("lint", "unit tests", "integration tests", "package", "deploy preview")
_RUNNERS = ("linux-small", "linux-large", "mac-arm")
_PEOPLE = ("amara", "bjorn", "chiyo", "dmitri")


def builds(rng: random.Random) -> dict[str, object]:
    """Return a page of builds."""
    items = [_build(rng, number) for number in range(812, 788, -1)]
    return {
        "project": "harbour/tide-tables",
        "branch": "main",
        "total": 812,
        "page": 1,
        "per_page": 24,
        "filters": {"status": None, "since": "2026-03-01"},
        "builds": items,
    }


def _build(rng: random.Random, number: int) -> dict[str, object]:
    failed = rng.random() < 0.2
    build: dict[str, object] = {
        "id": number,
        "job": rng.choice(_JOBS),
        "status": "failed" if failed else "passed",
        "runner": rng.choice(_RUNNERS),
        "seconds": rng.randint(20, 900),
        "started": f"2026-03-{rng.randint(1, 28):02d}T{rng.randint(0, 23):02d}:05:00Z",
        "by": rng.choice(_PEOPLE),
    }
    if failed:
        build["error"] = f"exit code {rng.randint(1, 3)}, see log {number}"
    return build


def release(rng: random.Random) -> str:
    """Return a release report."""
    rows = [
        (name, f"{rng.randint(60, 99)} %", str(rng.randint(0, 9)), rng.choice(_PEOPLE))
        for name in ("api", "ingest", "charts", "alerts", "billing", "search", "mobile", "docs")
    ]
    header = ("component", "coverage", "open bugs", "owner")
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(4)]
    lines = [_row(header, widths), "|" + "|".join("-" * (w + 2) for w in widths) + "|"]
    lines += [_row(row, widths) for row in rows]
    table = "\n".join(lines)
    return (
        "# Release 4.2\n\nTide tables now cover 1,240 harbours. The forecast horizon grew "
        "from 7 to 14 days.\n\n## Components\n\n" + table + "\n\n## Known problems\n\n"
        "- Charts redraw twice on slow connections.\n- Alerts repeat after a time change.\n"
        "- The docs still describe the old login.\n\n## Upgrade\n\nRun the migration once. "
        "It takes about a minute per million rows.\n\n"
        "```sh\ntides migrate --to 4.2\ntides check\n```\n"
    )


def _row(cells: tuple[str, ...], widths: list[int]) -> str:
    return "| " + " | ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)) + " |"


def main() -> None:
    """Write both files."""
    FOLDER.mkdir(exist_ok=True)
    data = json.dumps(builds(random.Random(7)), indent=2)
    (FOLDER / "builds.json").write_text(data + "\n", encoding="utf-8")
    (FOLDER / "release.md").write_text(release(random.Random(8)), encoding="utf-8")


if __name__ == "__main__":
    main()
