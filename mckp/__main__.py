"""``python -m mckp`` is the command ``mckp``."""

import sys

from mckp.cli import main

if __name__ == "__main__":
    sys.exit(main())
