"""The process that runs a jq program; it reads standard input and imports nothing of mckp.

The first line has the program and its limits, the rest is the document. It writes a line for each
value and then ``end``, which is missing if the values were too long.
"""

import json
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any


def main() -> int:
    """Run the program; return the exit code, which is 1 if it fails."""
    program, seconds, most, memory = json.loads(sys.stdin.readline())
    document = sys.stdin.read()
    with suppress(ImportError, ValueError, OSError):
        resource: Any = import_module("resource")  # not on Windows
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    jq: Any = import_module("jq")
    # Within brackets no module can be imported; as JSON text, integers keep their digits.
    try:
        for value in jq.compile(f"({program}\n)|tojson").input_text(document):
            most -= len(value)
            if most < 0:
                return 0
            sys.stdout.write(f"{value}\n")
    except ValueError as error:
        sys.stderr.write(str(error))
        return 1
    sys.stdout.write("end\n")
    return 0


if __name__ == "__main__":
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="surrogatepass")  # type: ignore[union-attr]
    sys.exit(main())
