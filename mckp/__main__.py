"""``python -m mckp`` is the command ``mckp``."""

from mckp.cli import run

if __name__ == "__main__":
    run()
