"""What lines are worth by what they do in their kind of text, seen in what is left."""

import pytest

import mckp
from mckp import tokenizers
from mckp.texts import outline, pieces_of

TOWNS = ("Oban", "Largs", "Gourock", "Mallaig", "Ullapool", "Stornoway", "Lerwick", "Scrabster")


def left(text: str, share: float) -> str:
    """Return what is left of a text within a share of its tokens."""
    whole = tokenizers.get("o200k").count(text)
    return mckp.encode(text, budget=int(whole * share)).text


def commit(number: int, subject: str, *files: str) -> str:
    """Return a commit as `git log -p` writes it."""
    diffs = "".join(
        f"diff --git a/{file} b/{file}\nindex 1a2b3c4..5d6e7f8 100644\n--- a/{file}\n+++ b/{file}\n"
        f"@@ -{number},4 +{number},4 @@ def sail(ship):\n     ship.cast_off()\n"
        + "".join(f"-    ship.speed = {k}\n+    ship.speed = {k + 1}\n" for k in range(12))
        for file in files
    )
    head = f"commit {number:040x}\nAuthor: Ida <ida@ferry.example>\nDate:   Mon Nov 2 2026\n"
    return f"{head}\n    {subject}\n\n{diffs}"


HISTORY = commit(1, "The ferry leaves on time", "fleet/ferry.py", "fleet/times.py") + commit(
    2, "Fares of children are half", "fares/child.py"
)


def test_a_history_keeps_its_subjects_and_the_names_of_its_files() -> None:
    """A cut history keeps subjects and files, and at most one author."""
    text = left(HISTORY, 0.25)
    for said in ("ferry leaves on time", "Fares of children", "fleet/ferry.py", "fares/child.py"):
        assert said in text
    assert text.count("Author: ") <= 1


def test_a_hash_is_no_head_of_its_subject() -> None:
    """Of a history without changes, subjects are kept and hashes are not."""
    log = "".join(
        f"commit {n:040x}\nAuthor: Ida <ida@ferry.example>\nDate:   Mon Nov 2 2026\n\n"
        f"    Pier {n} is painted in another colour\n\n"
        for n in range(20)
    )
    text = left(log, 0.25)
    assert text.count("is painted") >= 12
    assert text.count("commit ") < 4


def test_a_search_shows_many_files_before_many_matches_of_one() -> None:
    """A cut search shows most files before more matches of one."""
    matches = [("fleet/ferry.py", line) for line in range(60)]
    matches += [(f"piers/p{n}.py", 7) for n in range(12)]
    search = "".join(f"{file}:{line}:    ship.moor(line={line})\n" for file, line in matches)
    text = left(search, 0.3)
    assert sum(f"piers/p{n}.py" in text for n in range(12)) >= 10


def test_minified_code_takes_no_room_from_other_matches() -> None:
    """A match in minified code takes no room from the others."""
    matches = "".join(f"src/job_{n}.py:5:    return wait(timeout={n})\n" for n in range(20))
    text = left(matches + "app.min.js:1:" + "var a=1;" * 900 + "\n", 0.15)
    assert sum(f"job_{n}.py" in text for n in range(20)) >= 18


def test_titles_of_a_shell_script_split_what_it_writes() -> None:
    """Titles between dashes split an output into pieces."""
    text = (
        "---where it is called---\nsrc/a.py:3:sail(x)\nsrc/a.py:9:sail(y)\n---who imports it---\n"
    )
    pieces = pieces_of(f"{text}src/b.py:1:from a import sail\n")
    assert [(piece.start, piece.end) for piece in pieces] == [(0, 3), (3, 5)]


def test_a_build_of_go_with_the_name_of_a_package_is_no_page() -> None:
    """A Go build with a `#` line is cut as text and keeps its error."""
    build = "".join(f"go: downloading github.com/ferry/p{n} v1.0.{n}\n" for n in range(30))
    build += "# github.com/ferry/v3/runner\nrunner/lazy.go:70:12: assignment mismatch: 1 variable\n"
    text = left(build, 0.2)
    assert "assignment mismatch" in text
    assert "> [+" not in text


def test_a_tally_at_the_end_stays_though_it_says_that_there_are_no_errors() -> None:
    """The tally of findings is kept, also if it counts no errors."""
    finding = "  ! lint(no-unused): Variable 'fare{n}' is never used\n  src/fare_{n}.js:{n}:3\n\n"
    findings = "".join(finding.format(n=n) for n in range(30))
    text = left(f"{findings}Found 30 warnings and 0 errors.\nFinished in 25 ms.\n", 0.1)
    assert "Found 30 warnings and 0 errors." in text


def test_a_patch_of_a_page_is_no_page() -> None:
    """A patch of a Markdown page is cut as a patch."""
    lines = "".join(f"-- item {n}\n+- ferry {n}\n" for n in range(30))
    text = left(
        f"diff --git a/README.md b/README.md\n--- a/README.md\n+++ b/README.md\n"
        f"@@ -1,9 +1,9 @@\n ## Ferries\n \n{lines} ```sh\n sail\n ```\n",
        0.3,
    )
    assert text.startswith("diff --git a/README.md b/README.md\n")
    assert "> [+" not in text


def test_a_long_match_leaves_room_for_others() -> None:
    """Of a minified line among short ones its beginning counts; a page of one line is all of it."""
    long = "dist/app.js:3:" + "".join(f"function part{n}(width, height) {{}} " for n in range(60))
    short = [f"src/view{n}.ts:{n + 4}:  const width = size({n});" for n in range(14)]
    text = "\n".join([*short[:7], long, *short[7:]]) + "\n"
    kept = mckp.encode(text, budget="30%", query="width").text
    assert sum(line in kept for line in short) >= 7
    assert "dist/app.js:3:" in kept or "…8" in kept


def test_a_long_line_that_was_found_shows_the_match_and_no_stub() -> None:
    """What surrounds the match in bundled code says as little as a path with one word behind it."""
    folder = "/usr/lib/harbour/releases/2026.11/node_modules/ferries/dist/"
    chain = "".join(f'.option("--deck-{deck} <n>", "cars on deck {deck}")' for deck in range(40))
    search = "".join(
        f"{folder}part-{number}.js:{number}7:\tif ({chain}, moor{kind}(berth), {chain});\n"
        if number % 3
        else f"{folder}part-{number}.js:{number}7:\tconst berth = moor{kind}(ship);\n"
        for number, kind in enumerate(("ed", "Now", "", "ing") * 3)
    )
    text = left(search, 0.15)
    shown = [line for line in text.split("\n") if line.startswith(folder)]
    assert len(shown) > 2
    assert all("moor" in line for line in shown)


def test_a_search_with_long_lines_shows_all_its_files() -> None:
    """All matches of a search are kept, with long lines shortened around them."""
    filling = [f"let part_{n} = {{ size: {n * 7}, wide: true }};" for n in range(60)]
    long = "".join(
        f"dist/pack_{n}.js:{n}:{' '.join(filling[n * 9 :])} computeFare(route_{n}) "
        f"{' '.join(filling[: n * 9])}\n"
        for n in range(4)
    )
    short = "".join(f"src/job_{n}.ts:5:    return computeFare(route_{n})\n" for n in range(9))
    text = left(long + short, 0.2)
    assert all(f"dist/pack_{n}.js" in text for n in range(4))
    assert text.count("computeFare") == 13


def test_a_page_without_line_ends_shows_its_sentences_before_its_menu() -> None:
    """A page without line ends keeps its sentences and cuts its menu."""
    menu = " ".join(f"Piers And Offices Of {town} Timetable Fares Contact" for town in TOWNS * 3)
    said = (
        "Because the linkspan is being repaired, no cars are carried to Craignure until the end of "
        "the month. Foot passengers may board as usual, but should be there a quarter of an hour "
        "before the ferry leaves, since the gangway is narrow and only one deck is open."
    )
    text = left(f"{menu} {said} {menu}", 0.25)
    assert "no cars are carried to Craignure until the end of the month" in " ".join(text.split())


def test_a_page_in_one_line_keeps_its_sentences_before_its_menu() -> None:
    """A page of HTML in one line keeps its sentences."""
    menu = "".join(f'<li><a href="/part/{n}">Office of pier {n * 7}</a></li>' for n in range(40))
    said = [
        "The company closed the line to Craignure on 14 November after an inspection.",
        "Repairs will cost 2.4 million pounds and last eleven weeks, the harbour master said.",
        "Until then cars take the ferry from Lochaline, which runs every 50 minutes.",
    ]
    article = "".join(f"<p>{sentence}</p>" for sentence in said)
    page = f"<html><body><ul>{menu}</ul><h1>Closed</h1>{article}<ul>{menu}</ul></body></html>"
    text = left(page, 0.25)
    assert all(sentence in text for sentence in said)


def test_a_calendar_keeps_what_happens_when() -> None:
    """Of each event its name and its start; what only programs need goes first.

    What a request names stays with its start, though others are cut.
    """
    titles = ["planning", "retro", "release review", "budget"]
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0"]
    for n in range(24):
        lines += [
            "BEGIN:VEVENT",
            f"DTSTART;TZID=Europe/Zurich:202612{n + 1:02}T1{n % 10}0000",
            f"DTEND;TZID=Europe/Zurich:202612{n + 1:02}T1{n % 10}3000",
            "DTSTAMP:20261126T080000Z",
            f"UID:{n * 7919 + 10**9:x}c6e2a4f@cal.example",
            "SEQUENCE:1",
            f"STATUS:{'CANCELLED' if n == 9 else 'CONFIRMED'}",
            f"SUMMARY:Weekly {titles[n % 4] if n != 17 else 'dentist'}",
            "END:VEVENT",
        ]
    text = "\n".join([*lines, "END:VCALENDAR"])
    half = mckp.encode(text, budget="40%").text
    assert half.count("DTSTART") == half.count("SUMMARY") == 24
    assert "STATUS:CANCELLED" in half
    assert "UID" not in half
    asked = mckp.encode(text, budget="8%", query="when is the dentist").text
    assert "SUMMARY:Weekly dentist" in asked
    assert "DTSTART;TZID=Europe/Zurich:20261218T170000" in asked


MODULES = """\
diff --git a/go.mod b/go.mod
index 3c1a2b4..9f8e7d6 100644
--- a/go.mod
+++ b/go.mod
@@ -3,7 +3,8 @@ module example.com/ferry
 go 1.22
 
 require (
-    example.com/tide v1.7.0
+    example.com/tide v1.8.1
     example.com/harbour v1.8.4
+    example.com/queue v0.8.0
 )
"""
SUMS = "diff --git a/go.sum b/go.sum\n@@ -1,40 +1,40 @@\n" + "".join(
    f"{sign}example.com/tide v1.{n}.0 h1:{sign * 2}uLxZILRyS{n}/50WlhOIKD7W6V5bgeIt=\n"
    for n in range(20)
    for sign in "-+"
)


@pytest.mark.parametrize("numbered", [False, True])
def test_changed_lines_stay_before_what_is_around_them_and_before_lock_files(
    numbered: bool,
) -> None:
    """A cut diff keeps changed lines and names of files before hashes of a lock file."""
    text = MODULES + SUMS
    if numbered:
        text = "".join(f"{n:6}\t{line}\n" for n, line in enumerate(text.splitlines(), 1))
    kept = mckp.encode(text, budget="7%").text
    for line in ("+    example.com/tide v1.8.1", "+    example.com/queue v0.8.0"):
        assert line in kept
    assert "diff --git a/go.mod b/go.mod" in kept
    assert "diff --git a/go.sum b/go.sum" in kept
    assert "index 3c1a2b4" not in kept
    assert kept.count("uLxZILRyS") < 5


def test_a_long_listing_keeps_its_folders_and_the_largest_file_of_each() -> None:
    """A cut listing keeps each folder with its largest file."""

    def entries(sizes: list[int]) -> str:
        return "".join(
            f"-rw-r--r-- 1 dev dev {size:7} Nov 27 10:41 file_{n}.py\n"
            for n, size in enumerate(sizes)
        )

    first, second = entries([91, 8123, 40, 7000] * 6 + [91234]), entries([8000, 70, 17] * 6)
    text = f"src:\ntotal 292\n{first}\nsrc/cuts:\ntotal 60\n{second[:600]}"
    kept = mckp.encode(text, budget="15%", kind="text").text
    assert "src:\n" in kept
    assert "src/cuts:\n" in kept
    assert " 91234 Nov" in kept
    assert "  8000 Nov" in kept


def test_the_only_folder_of_a_long_listing_stays() -> None:
    """Among many files, a folder is what a reader looks for."""
    size = " 1 root root 515 Mar 27 14:58"
    files = [f"-rwxr-xr-x{size} part_{n}.go" for n in range(80)]
    listing = "\n".join(["total 4404", *files[:50], f"drwxr-xr-x{size} types", *files[50:], ""])
    for share in ("50%", "20%", "10%"):
        assert " types\n" in mckp.encode(listing, budget=share).text


def test_signatures_of_a_program_stay_before_its_imports_and_constants() -> None:
    """A cut program keeps signatures before imports."""
    imports = "".join(f"from ferry.part_{n} import gate_{n}, berth_{n}\n" for n in range(12))
    constants = "".join(f"LIMIT_{n} = {n * 1000}\n" for n in range(12))
    bodies = "".join(
        f"\n\ndef open_gate_{n}(berth, level):\n    row = berth.rows[{n}]\n"
        f"    total = row.level + level\n    return total\n"
        for n in range(12)
    )
    kept = mckp.encode(imports + constants + bodies, budget="20%", kind="text").text
    assert kept.count("def open_gate") >= 6
    assert kept.count("import gate") <= 2


def test_what_says_where_the_whole_output_is_stays() -> None:
    """The line with the path of the whole output is kept."""
    saved = "Output too large (33.7KB). Full output saved to: /tmp/results/b6.txt"
    text = f"<persisted-output>\n{saved}\n\nPreview:\n{MODULES * 3}"
    assert saved in mckp.encode(text, budget="15%").text


def test_that_a_program_was_killed_stays_among_tests_that_passed() -> None:
    """A crash among passed tests is kept."""
    passed = [f"  ✓ {name} opens gate {n} (3 ms)" for n in range(12) for name in ("ferry", "lock")]
    passed[13] = "./run.sh: line 7: Segmentation fault (core dumped)"
    text = "PASS t/gate.test.js\n" + "\n".join(passed) + "\n\nTests:       23 passed, 23 total\n"
    assert passed[13] in left(text, 0.25)


def test_each_file_of_a_diff_shows_a_change_before_a_new_file_is_shown_in_full() -> None:
    """Each file of a cut diff keeps its name and a change."""
    files = {
        "go.mod": [f"+\tgithub.com/org/part{n} v1.{n}.0 // indirect" for n in range(30)],
        "src/redact.go": [
            f"+func RedactPart{n}(content string, limit int) (string, error) {{" for n in range(40)
        ],
        "CHANGES": [f"+## v2.{n}.0" for n in range(9)],
    }
    rows: list[str] = []
    for name, changed in files.items():
        rows += [f"diff --git a/{name} b/{name}", f"--- a/{name}", f"+++ b/{name}"]
        rows += [f"@@ -1,2 +1,{len(changed) + 2} @@", " first line", *changed, " last line"]
    kept = mckp.encode("\n".join([*rows, ""]), budget="12%", kind="text").text.split("\n")
    for name, changed in files.items():
        assert f"diff --git a/{name} b/{name}" in kept
        assert set(changed) & set(kept), name


def test_links_of_search_results_stay_before_what_each_result_repeats() -> None:
    """Links of search results are kept before a line that each result repeats."""
    text = "\n".join(
        f"Title: Harbour {n} at the coast\nLink: https://harbours.example/{n}\n"
        f"Snippet: The harbour has {n} berths ... for ships of any size, says the master.\n"
        "Sitelinks: No sitelinks\n"
        for n in range(10)
    )
    kept = mckp.encode(text, budget="35%", kind="text").text
    assert kept.count("https://harbours.example/") > kept.count("No sitelinks")
    assert kept.count("https://harbours.example/") >= 5


def test_the_error_that_ends_a_build_stays_before_what_follows_from_it() -> None:
    """A small report of make has no room for both."""
    rows = [
        "echo building a", "building a", "gcc -c nothing.c -o b.o",
        "cc1: fatal error: nothing.c: No such file or directory", "compilation terminated.",
        "make: *** [Makefile:5: b] Error 1", "make: Target 'all' not remade because of errors.",
    ]  # fmt: skip
    assert rows[3] in left("\n".join(rows) + "\n", 0.5).split("\n")


@pytest.mark.parametrize(
    "cause",
    [
        "panic: runtime error: index out of range [7] with length 3",
        "crane.c:(.text+0x1d): undefined reference to `crane_lift_7'",
        "cp: cannot create regular file '/srv/part_7': Permission denied",
    ],
)
def test_one_crash_stays_among_many_failures_of_one_kind(cause: str) -> None:
    """Each failed test has a message of its own; the crash is the cause of all."""
    rows: list[str] = []
    for n in range(30):
        rows += [f" FAIL  test/m{n}.test.ts > adds {n}", f"AssertionError: {n} is not {n + 1}"]
        rows += [f" > test/m{n}.test.ts:{n}:3", "- Expected", "+ Received", f"- {n}", f"+ {n + 1}"]
    rows[100:100] = [cause]
    rows += [" Test Files  30 failed (30)", "      Tests  30 failed (30)"]
    assert cause in left("\n".join(rows) + "\n", 0.1)


def test_names_of_passed_tests_are_no_alarms() -> None:
    """TAP writes a title above what came of it, and xdist a name below each start."""
    rows = ["TAP version 13"]
    for n in range(40):
        rows += [f"# fails over after error {n}", f"ok {n + 1} should be equal"]
    rows[41:43] = ["# keeps the sum", "not ok 21 should be equal", "  ---", "    expected: 16"]
    rows[45:45] = ["    actual:   13", "  ..."]
    lines = outline("\n".join(rows))
    of_titles = [lines.worths[place] for place, row in enumerate(rows) if row[:7] == "# fails"]
    assert max(of_titles) < min(lines.worths[rows.index("    actual:   13")], 1024)
    shown = left("\n".join(rows) + "\n", 0.2)
    assert "expected: 16" in shown
    assert "actual:   13" in shown


def test_the_subject_of_a_merge_is_worth_less_than_that_of_a_change() -> None:
    """Merges are short, and a cut kept them rather than what was changed."""
    text = "commit {}\nAuthor: A <a@b.c>\nDate:   Mon\n\n    {}\n\n"
    rows = "".join(
        text.format(f"{n:07}abc", f"Merge branch 'b{n}'" if n % 2 else f"Change the part {n}")
        for n in range(20)
    )
    lines, bodies = outline(rows), [row.strip() for row in rows.split("\n")]
    of_merges = [lines.worths[place] for place, row in enumerate(bodies) if row[:5] == "Merge"]
    of_changes = [lines.worths[place] for place, row in enumerate(bodies) if row[:6] == "Change"]
    assert 4 * max(of_merges) < min(of_changes)


def test_a_plan_keeps_what_is_destroyed_and_how_much_in_all() -> None:
    """Twelve updates have the same line for their resource, and thirty attributes that stay."""
    rows = ["Terraform will perform the following actions:", ""]
    for n in range(12):
        loss = "must be replaced" if n == 7 else "will be updated in-place"
        rows += [f"  # app[{n}].service {loss}", '  ~ resource "ecs_service" "web" {']
        rows += [f"        attribute_{k}  = {k}" for k in range(30)]
        rows += [f"      ~ size  = {n} -> {n + 1}", "    }", ""]
    rows += ["Plan: 1 to add, 11 to change, 1 to destroy."]
    shown = left("\n".join(rows) + "\n", 0.1)
    assert "# app[7].service must be replaced" in shown
    assert rows[-1] in shown


def test_a_snapshot_keeps_the_controls_whose_names_are_rare() -> None:
    """A shop has forty buttons of one name and one to the next page."""
    rows = ["- main [ref=e1]:", '  - heading "Shop" [level=1] [ref=e2]']
    for n in range(40):
        rows += [f"  - article [ref=a{n}]:", f'    - link "Thing {n}" [ref=b{n}]:']
        rows += [f"      - /url: /p/{n}", f'    - button "Add to cart" [ref=c{n}]']
    rows += ['  - navigation "Pages" [ref=e3]:', '    - button "Next" [ref=e4]']
    assert 'button "Next" [ref=e4]' in left("\n".join(rows) + "\n", 0.1)


def test_the_first_results_of_a_search_engine_stay() -> None:
    """The first results are kept, and the last ones go."""
    text = "".join(
        f"Title: The harbour of {name}\nLink: https://{name}.example/harbour\n"
        f"Snippet: Ferries of {name} leave each morning, and fares are sold on board.\n\n"
        for name in ("arden", "brimholm", "corwick", "dunmere", "eastlea", "farholt", "garth")
    )
    text = left(text, 0.25)
    assert "Title: The harbour of arden\nLink: https://arden.example/harbour" in text
    assert "garth" not in text


def test_a_trailer_that_each_change_has_makes_room_for_what_it_changes() -> None:
    """A trailer that every commit has is kept at most twice."""
    trailer = "Signed by the harbour master <master@ferry.example>"
    text = "".join(
        f"Commit: {number}\nMessage: {what}\n\n{trailer}\n\n"
        for number, what in enumerate(("fares", "tides", "crews", "berths", "lights", "fuel"))
    )
    assert left(text, 0.5).count(trailer) <= 2


def test_the_top_of_a_document_of_pages_stays() -> None:
    """The top of a document is kept together."""
    rows = "\n".join(f"{k}\nPassage to island {k}\n{k * 17}.00" for k in range(1, 40))
    top = "Travel form\nClaim:\nEXP-2024-005\nName:\nIda Berg"
    text = left(f"Pages: 1\n\n=== Page 1 ===\n{top}\n{rows}\nSigned:\n", 0.2)
    assert top in text


def test_a_result_that_says_where_it_is_from_stays_with_its_code() -> None:
    """The file of a search result is kept before its code."""
    code = "".join(f"    def get_{k}(self):\n        return self.rows[{k}]\n" for k in range(12))
    text = "".join(
        f"Search result {n}: <file>fleet/{name}.py</file> <code>class Ferry:\n{code}</code>\n\n"
        for n, name in enumerate(("ferry", "berth"), 1)
    )
    for share in (0.2, 0.3, 0.5):
        few = left(f"Found 2 results.\n{text}", share)
        assert "fleet/ferry.py" in few
        assert few.find("get_") > few.find("fleet/ferry.py")


def test_the_largest_changes_of_a_stat_stay_with_its_sum() -> None:
    """The largest change and the sum of a diffstat are kept."""
    rows = "".join(f" fleet/ship_{k}.py | {k % 7 + 1:3} +-\n" for k in range(60))
    large = " fleet/harbour.py | 840 ++++++----\n"
    text = f"{rows}{large}{rows.replace('fleet', 'fares')} 121 files changed, 999 insertions(+)\n"
    few = left(text, 0.1)
    assert large in few
    assert few.endswith(" 121 files changed, 999 insertions(+)\n")


def test_merges_in_a_graph_of_commits_are_worth_less_than_changes() -> None:
    """A merge is worth less than half of a change."""
    text = "".join(
        f"*   {k:08x} Merge main into quay\n|\\  \n| * {k:07x}a Fares of route {k} halved\n|/  \n"
        for k in range(0xA000, 0xA00C)
    )
    worths = outline(text).worths.tolist()
    assert outline(text).kind == "history"
    assert max(worths[4::4]) < min(worths[6::4]) / 2


def test_why_a_connection_failed_stays() -> None:
    """The reason of a failed connection is kept."""
    text = (
        "*   Trying 127.0.0.1:9...\n* connect to 127.0.0.1 port 9 failed: Connection refused\n"
        "* Failed to connect to 127.0.0.1 port 9\n* Closing connection 0\n"
    )
    for host in ("quay", "berth", "tide", "crane"):
        text = f"* Host {host}.example was resolved.\n> GET /{host} HTTP/1.1\n> Accept: */*\n{text}"
    assert "Connection refused" in left(text, 0.2)


def test_rows_of_a_table_within_a_report_go_before_what_each_section_repeats() -> None:
    """Of a report by machine, rows below a header in capitals stay before repeated lines."""
    text = "".join(
        f"Report for dock-{n}\nSensor is up\nHidden: {n + 90} idle\n"
        "SLOT     STATE   DEVICE   MAKER\n"
        f"{n + 3}/bus    open    gauge    Tidemark {n}.2\n{n + 40}/bus   open    camera\n"
        "Distance in the network: one step\nKind of machine: general purpose\n\n"
        for n in range(12)
    )
    kept = mckp.encode(text, budget="50%", kind="text").text
    assert all(f"{n + 40}/bus   open    camera" in kept for n in range(12))
