"""Where files of configuration and telemetry are: one answer for who writes and who reads."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mckp.config.config import Telemetry

FOLDER: Final = "MCKP_TELEMETRY_DIR"
"""The variable that goes before the default folder of telemetry, and after a configuration."""

PROJECT: Final = Path(".mckp") / "pipeline_config.toml"
"""The configuration of a project, in its folder."""


def user_folder() -> Path:
    """Return the folder of this user's files."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(base) if base else Path.home() / ".config") / "mckp"


def config_files(project: Path | None = None) -> tuple[Path, ...]:
    """Return the files of a configuration, from the most general to the most particular.

    Parameters
    ----------
    project : Path, optional
        A folder whose configuration goes before the user's.

    Examples
    --------
    >>> [file.name for file in config_files(Path("."))]
    ['pipeline_config.toml', 'pipeline_config.toml']
    """
    own = user_folder() / "pipeline_config.toml"
    return (own,) if project is None else (own, project / PROJECT)


def telemetry_folder(telemetry: Telemetry) -> Path:
    """Return the folder that telemetry is written to and read from.

    Examples
    --------
    >>> from mckp.config.config import Telemetry
    >>> telemetry_folder(Telemetry(path="/var/lib/mckp")).as_posix()
    '/var/lib/mckp'
    """
    named = telemetry.path or os.environ.get(FOLDER)
    return Path(named).expanduser() if named else user_folder() / "telemetry"
