"""From a configuration to the settings that a session is replayed with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.config import SessionContext, resolve
from mckp.session import configured

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.config import Config
    from mckp.session import SessionSettings


def settings_for(
    config: Config, endpoints: Iterable[str] = (), model: str | None = None
) -> SessionSettings:
    """Return the settings of a session.

    Parameters
    ----------
    config : Config
        What the files say.
    endpoints : iterable of str
        The tools it will see.
    model : str, optional
        Who reads.

    Returns
    -------
    SessionSettings

    Examples
    --------
    >>> from mckp.config import Config
    >>> dedup = {"lru_size": 9, "enabled_per_endpoint": {"Bash": False}}
    >>> settings = settings_for(Config.of_table({"dedup": dedup}), ["Bash", "Read"])
    >>> settings.lru_size, settings.enabled_per_endpoint
    (9, {'Bash': False})
    """
    return configured.settings_for(resolve(config, SessionContext(model)), tools=endpoints)
