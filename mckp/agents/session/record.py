"""Counts what was delivered, and tells about it; what a call tells about its user is left out.

What is to be sent for a response, and why.

What a session has saved, each figure with what it is a share of.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.session.scopes import MAIN
from mckp.agents.telemetry.event import Anonymiser, Event
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mckp.agents.config.settings import SessionSettings
    from mckp.agents.session.layers import Way
    from mckp.agents.session.scopes import Call, Entry
    from mckp.result import Elided
    from mckp.tokenizers.base import Tokenizer


def names_of(settings: SessionSettings) -> Anonymiser:
    """Return what names tools, files and contents in telemetry."""
    return Anonymiser(settings.salt)


BASELINE: Final = "json_compact of JSON, the text as it came otherwise"
"""What savings are measured against."""


@dataclass(slots=True)
class Savings:
    """Tokens of what came and of what was delivered, labels and references included.

    Attributes
    ----------
    tokenizer : str
        Who counted.
    exact : bool
        Whether it counts what a model is charged.
    responses, hits : int
        How many came, and how many of them became references.
    baseline, final : int
        Tokens of all.
    hit_baseline, hit_final : int
        Tokens of those that became references.
    cut, hit_cut : int
        Tokens less because parts were cut for a budget, which are no savings, of all
        and of those that became references.
    """

    tokenizer: str
    exact: bool
    responses: int = 0
    hits: int = 0
    baseline: int = 0
    final: int = 0
    hit_baseline: int = 0
    hit_final: int = 0
    cut: int = 0
    hit_cut: int = 0

    def note(self, baseline: int, final: int, *, cut: int, hit: bool) -> None:
        """Add a response."""
        self.responses += 1
        self.baseline += baseline
        self.final += final
        self.cut += cut
        if hit:
            self.hits += 1
            self.hit_baseline += baseline
            self.hit_final += final
            self.hit_cut += cut

    @property
    def dedup_savings_pct(self) -> float:
        """Saved by references, of the baseline of all responses."""
        return _percent(self.hit_baseline - self.hit_final - self.hit_cut, self.baseline)

    @property
    def encoder_savings_pct(self) -> float:
        """Saved by encoding, of the baseline of those that are no references.

        Negative where labels, and marks on fakes, cost more than encoding saved.
        """
        misses = self.baseline - self.hit_baseline
        final = self.final - self.hit_final
        return _percent(misses - final - (self.cut - self.hit_cut), misses)

    @property
    def combined_savings_pct(self) -> float:
        """Saved in all, of the baseline of all; what was cut is not counted as saved."""
        return _percent(self.baseline - self.final - self.cut, self.baseline)

    @property
    def cut_pct(self) -> float:
        """Cut for a budget, of the baseline of all."""
        return _percent(self.cut, self.baseline)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts, the shares, and what they are shares of."""
        shares = ("dedup_savings_pct", "encoder_savings_pct", "combined_savings_pct", "cut_pct")
        return {
            **asdict(self),
            "against": BASELINE,
            **{name: getattr(self, name) for name in shares},
        }


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


@dataclass(frozen=True, slots=True)
class Tried:
    """A text that might have been sent.

    Attributes
    ----------
    layer, name : str
        The layer, and the reference's kind, the template or the form.
    tokens : int
        Of the text.
    """

    layer: str
    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Delivery:
    """What is to be sent for a response.

    Attributes
    ----------
    text : str
        What to send.
    number : int or None
        The handle by which `mckp.agents.session.Session.recall` gives the response back; None if
        it was too short to be kept.
    layer, name : str
        What wrote it: ``L0`` with ``hint_exact`` or ``hint_near``, ``L1`` with a template,
        ``L2`` with ``compact``, ``L3`` with ``raw``.
    tokens, baseline : int
        Of the text; of the response as compact JSON, or as it came if it is none.
    why : str
        The reason in words.
    tried : tuple of Tried
        What it was chosen from.
    elided : tuple of Elided
        What was cut for a budget.
    event : Event
        The same for telemetry: figures and hashes, no text and no arguments.
    """

    text: str
    number: int | None
    layer: str
    name: str
    tokens: int
    baseline: int
    why: str
    tried: tuple[Tried, ...]
    elided: tuple[Elided, ...]
    event: Event

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain data that JSON can hold."""
        return {name: getattr(self, name) for name in self.__slots__} | {
            "tried": [asdict(each) for each in self.tried],
            "elided": [str(cut) for cut in self.elided],
            "event": self.event.to_dict(),
        }


_COMMANDS: Final = frozenset(
    """
    awk aws bash brew cargo cat cd chmod cmake cp curl cut date diff docker du echo env find
    gh git glab go gradle grep head helm java jq just kill kubectl ls make mkdir mv mvn mypy
    node npm npx pip pnpm ps psql pytest python python3 rm rg ruff rustc sed sleep sort ssh
    tail tar terraform test touch tsc uv wc wget which yarn
    """.split()  # noqa: SIM905
)
_GIT: Final = frozenset(
    """
    add blame branch checkout clone commit diff fetch grep log merge pull push rebase remote
    reset restore rev-parse show stash status switch tag
    """.split()  # noqa: SIM905
)


def endpoint_class(tool: str, args: Any, names: Anonymiser) -> str:
    """Return what kind of call it is; of a command only its name, and only if it is well known.

    Examples
    --------
    >>> from mckp.agents.telemetry.event import Anonymiser
    >>> commands = [{"command": each} for each in ("git log -3", "curl x", "./mine")]
    >>> [endpoint_class("Bash", each, Anonymiser("ours")) for each in commands]
    ['git_log', 'curl', 'shell']
    """
    if tool != "Bash":
        return names.tool(tool)
    command = args.get("command") if is_object(args) else args
    words = command.split() if isinstance(command, str) else []
    if not words or words[0] not in _COMMANDS:
        return "shell"
    has_verb = words[0] == "git" and len(words) > 1 and words[1] in _GIT
    return f"git_{words[1]}" if has_verb else words[0]


class Recorder:
    """Makes the deliveries of a session, with an event each, and adds up what they saved.

    Parameters
    ----------
    session_id : str
        What events are told apart by.
    settings : SessionSettings
        Has the secrets of their hashes.
    counter : Tokenizer
        Who counts.
    clock : callable
        Returns seconds since 1970.
    """

    def __init__(
        self,
        session_id: str,
        settings: SessionSettings,
        counter: Tokenizer,
        clock: Callable[[], float],
    ) -> None:
        self._names, self._clock = names_of(settings), clock
        self._session = self._names.session(session_id)
        self.savings = Savings(counter.name, counter.exact)

    def digest(self, call: Call) -> str:
        """Return a hash of a result."""
        call.check()
        return self._names.content(call.text.encode())

    def sent(
        self, call: Call, entry: Entry, way: Way, why: str, tried: Sequence[Tried] = ()
    ) -> Delivery:
        """Record what was referred to, written in full, or cut."""
        hit = way.layer == "L0"
        self.savings.note(entry.baseline, way.tokens, cut=_cut(entry), hit=hit)
        return Delivery(
            way.text,
            entry.number or None,
            way.layer,
            way.name,
            way.tokens,
            entry.baseline,
            why,
            tuple(tried),
            way.elided,
            self._event(call, entry, way.layer, way.name, way.tokens),
        )

    def _event(self, call: Call, entry: Entry, layer: str, name: str, tokens: int) -> Event:
        names, is_template = self._names, layer == "L1"
        return Event(
            session_hash=self._session,
            tool_call_id_hash=names.call(call.call_id),
            tool_name_anon=names.tool(call.tool),
            endpoint_class=endpoint_class(call.tool, call.args, names),
            ts_ms=int(self._clock() * 1000),
            response_chars=call.size,
            shape=entry.shape,
            inner_formats=tuple(sorted(entry.inner)),
            content_sha_prefix=entry.digest,
            file_path_hash=None if call.file is None else names.path(call.file),
            is_dedup_hit=layer == "L0",
            layer_used=layer,
            template_id=name if is_template else None,
            format_id=None if is_template else name,
            tokens_baseline=entry.baseline,
            tokens_final=tokens,
            tokens_cut=_cut(entry),
            tokenizer=self.savings.tokenizer,
            context_partition=call.scope.partition,
            is_sidechain=call.agent != MAIN,
            **entry.figures,
        )


def _cut(entry: Entry) -> int:
    return 0 if entry.cut_to is None else entry.lossless - entry.tokens
