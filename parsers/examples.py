"""One example for each grammar: a text and the typed tree that is read from it.

``python parsers/examples.py`` prints them all. The sheets beside this file have the grammar and
the golden cases.
"""

import mckp

EXAMPLES = {
    "json": '{"project": "harbour", "builds": [{"id": 31, "ok": true}]}',
    "markdown": "# Release 2\n\n- tides\n- ports\n\n| id | ok |\n|---|---|\n| 31 | yes |\n",
    "text": "The tide tables are late.\n\nNobody knows why.\n",
}


def main() -> None:
    """Print each node of each tree: its path, its kind and its value."""
    for kind, text in EXAMPLES.items():
        tree = mckp.parse(text)
        print(f"== {kind}")
        for node in tree.walk():
            shown = "" if node.children else repr(node.value)
            print(f"{node.path_text:12} {node.kind.value:10} {shown}".rstrip())


if __name__ == "__main__":
    main()
