"""Play a log through sessions, and read all that they deliver back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import orjson

from mckp import tokenizers
from mckp.config import SessionContext, resolve
from mckp.config.tuner import Layer, LayerSavings
from mckp.errors import MckpError
from mckp.replay.log import Compact, Edit, Response
from mckp.session import Classified, Reader, Session, Shape
from mckp.session import Response as Told
from mckp.session.classify import json_value
from mckp.session.record import settings_for as session_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mckp.api import TokenizerLike
    from mckp.config import Config
    from mckp.replay.log import Action
    from mckp.session import Delivery, SessionSettings


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
    return session_settings(resolve(config, SessionContext(model)), tools=endpoints)


_LAYERS: Final = {
    "hint_exact": Layer.REFERENCE,
    "hint_near": Layer.NEAR,
    "raw": Layer.PLAIN,
}
_MAX_FAILURES: Final = 20


@dataclass(slots=True)
class Played:
    """What a replay found.

    Attributes
    ----------
    savings : LayerSavings
        By endpoint and layer.
    responses, restored : int
        How many there were, and how many could be read back from what was delivered.
    sessions : int
        How many there were.
    failures : list of str
        The first that could not be read back: which, of which tool, and why.
    """

    savings: LayerSavings = field(default_factory=LayerSavings)
    responses: int = 0
    restored: int = 0
    sessions: int = 0
    failures: list[str] = field(default_factory=list[str])

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain data."""
        endpoints = {name: self.savings.only(name).to_dict() for name in sorted(self.savings.sums)}
        return {
            "responses": self.responses,
            "restored": self.restored,
            "sessions": self.sessions,
            "failures": self.failures,
            "savings": self.savings.to_dict(),
            "endpoints": endpoints,
        }


class Player:
    """Plays actions, a session after the other.

    Parameters
    ----------
    settings : SessionSettings
        What sessions may do.
    tokenizer : str, Tokenizer or callable
        Who counts.
    checks : bool
        Whether all that is delivered is read back.
    """

    def __init__(
        self, settings: SessionSettings, tokenizer: TokenizerLike = "o200k", *, checks: bool = True
    ) -> None:
        self._settings, self._tokenizer = settings, tokenizers.get(tokenizer)
        self._checks = checks
        self.played = Played()
        self._begin()

    def _begin(self) -> None:
        number = str(self.played.sessions)
        self._session = Session(self._settings, tokenizer=self._tokenizer, session_id=number)
        self._readers: dict[str, Reader] = {}

    def play(self, action: Action) -> None:
        """Take in what happened next."""
        if isinstance(action, Response):
            self._respond(action)
        elif isinstance(action, Edit):
            self._session.changed(action.file)
        elif isinstance(action, Compact):
            self._session.compact(action.agent)
            self._readers.pop(action.agent, None)
        else:
            self.played.sessions += 1
            self._begin()

    def _respond(self, action: Response) -> None:
        found = self._session.add(
            tool=action.tool,
            args=arguments(action.args),
            text=action.text,
            file=action.file,
            agent=action.agent,
        )
        layer = _LAYERS.get(found.name, Layer.ENCODED)
        self.played.savings.add(action.tool, layer, found.baseline, found.tokens)
        self.played.responses += 1
        if self._checks:
            self._check(action, found)

    def _check(self, action: Response, found: Delivery) -> None:
        reader = self._readers.setdefault(action.agent, Reader())
        why = _why_lost(action.text, found, reader, self._session)
        if why is None:
            self.played.restored += 1
        elif len(self.played.failures) < _MAX_FAILURES:
            number = self.played.responses
            self.played.failures.append(f"response {number} of {action.tool}: {why}")


def _why_lost(text: str, found: Delivery, reader: Reader, session: Session) -> str | None:
    """Return why a response cannot be had again from what was delivered; None if it can."""
    told = Told(text, json_value(text), Classified(Shape.UNKNOWN), ())
    try:
        if not told.is_said_by(reader.read(found.text)):
            return f"{found.name} says something else"
        if found.number is not None and session.recall(found.number) != text:
            return f"recalling #{found.number} gives something else"
    except MckpError as error:
        return str(error)
    return None


def arguments(args: str) -> Any:
    """Return the arguments of a call as data, or as the text they are.

    Examples
    --------
    >>> arguments('{"a":1}'), arguments("ls -l")
    ({'a': 1}, 'ls -l')
    """
    try:
        return orjson.loads(args)
    except orjson.JSONDecodeError:
        return args


def replay(
    actions: Iterable[Action],
    settings: SessionSettings,
    *,
    tokenizer: TokenizerLike = "o200k",
    checks: bool = True,
    on_response: Callable[[int], object] | None = None,
) -> Played:
    """Play a log through sessions with some settings.

    Parameters
    ----------
    actions : iterable of actions
        A log that was recorded, or made up.
    settings : SessionSettings
        What sessions may do.
    tokenizer : str, Tokenizer or callable, default "o200k"
        Who counts.
    checks : bool, default True
        Whether all that is delivered is read back and compared.
    on_response : callable, optional
        Told how many responses there were so far.

    Returns
    -------
    Played

    Examples
    --------
    >>> from mckp.replay import Response, replay
    >>> from mckp.session import SessionSettings
    >>> page = '{"id":7,"state":"open"}' * 40
    >>> log = [Response("search", "page 1", page) for _ in range(2)]
    >>> played = replay(log, SessionSettings())
    >>> played.responses, played.restored
    (2, 2)
    """
    player = Player(settings, tokenizer, checks=checks)
    for action in actions:
        player.play(action)
        if on_response is not None and isinstance(action, Response):
            on_response(player.played.responses)
    return player.played
