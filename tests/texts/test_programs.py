"""What says nothing in programs and schemas goes first; a block that is asked for stays whole."""

import mckp
from mckp.texts import outline

FUNCTION = (
    "int FUN_0042(long a, char *b)\n{\n"
    + "".join(f"  uint uVar{n};\n" for n in range(30))
    + "".join(f"  uVar{n} = a * {n + 3} + uVar{n + 1};\n" for n in range(25))
    + '  f = fopen("/srv/tide/pilot.cfg","rb");\n  return f != 0;\n}\n'
)


def test_declarations_of_locals_go_before_strings_and_the_signature() -> None:
    """In a fifth of the tokens, the signature and the string stay, and few declarations."""
    text = mckp.encode(FUNCTION, budget="20%", kind="text").text
    assert "FUN_0042(long a, char *b)" in text
    assert "/srv/tide/pilot.cfg" in text
    assert text.count("  uint ") < 5


def test_members_of_a_structure_are_no_locals() -> None:
    """The members of a structure are what it says."""
    members = "".join(f"  int member_{n};\n" for n in range(20))
    worths = outline(
        f"struct Berth {{\n{members}}};\n" + "int area(int a) {\n  return a;\n}\n"
    ).worths
    assert worths[5] > 5


def test_tables_of_a_schema_go_before_settings_and_owners() -> None:
    """Each table's name stays before settings, owners and comments."""
    tables = "".join(
        f"--\n-- Name: dock_{n}; Type: TABLE; Owner: port\n--\n\nCREATE TABLE port.dock_{n} (\n"
        f"    id bigint NOT NULL,\n    depth_{n} numeric\n);\n\n"
        f"ALTER TABLE port.dock_{n} OWNER TO port;\n\n"
        for n in range(12)
    )
    text = mckp.encode(f"SET lock_timeout = 0;\n{tables}", budget="40%", kind="text").text
    assert all(f"CREATE TABLE port.dock_{n} (" in text for n in range(12))
    assert "OWNER TO" not in text


def test_a_block_that_is_asked_for_stays_whole() -> None:
    """Of many types, the one that the question names keeps all of its fields."""
    names = ("Pilot", "Rope", "Buoy", "Ferry", "Light", "Chart", "Anchor", "Signal")
    types = "".join(
        f"type {name} {{\n" + "".join(f"  {name.lower()}Part{n}: Int\n" for n in range(6)) + "}\n\n"
        for name in names
    )
    wanted = types + "input OrderTugInput {\n  tugCode: ID!\n  hour: Time!\n  note: String\n}\n"
    text = mckp.encode(wanted, budget="25%", kind="text", query="order a tug: input fields").text
    assert all(line in text for line in ("OrderTugInput", "tugCode", "hour: Time!", "note: String"))


def test_a_commit_that_is_asked_for_has_its_hash() -> None:
    """A question about a subject brings the hash, and files of a commit go before its subject."""
    log = "".join(
        f"commit {n + 1:039x}a\nAuthor: A <a@b.c>\nDate:   Mon\n\n    {subject} {n}\n\n"
        + "".join(f" src/f{k}.py | {k + 2} ++--\n" for k in range(6))
        + " 6 files changed, 12 insertions(+)\n\n"
        for n, subject in enumerate(["Change the quay", "Widen the crane rail"] * 8)
    )
    half = mckp.encode(log, budget="50%", kind="text").text
    assert half.count("commit ") == 16
    asked = mckp.encode(log, budget="15%", kind="text", query="commit of crane rail 7").text
    assert f"commit {8:039x}a" in asked
