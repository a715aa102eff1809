"""One record per response for telemetry: figures and hashes, no text and no arguments."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ResponseEvent:
    """What happened to one response; hashes are salted by the settings.

    Attributes
    ----------
    session_hash, tool_call_id_hash : str
        Which session and call.
    tool_name_anon, endpoint_class : str
        The tool, names of servers hashed, and what kind of call it was.
    response_chars : int
        Bytes of the response.
    shape : str
        See `mckp.session.classify`; ``unknown`` if it was too short to look at.
    inner_formats : tuple of str
        Formats of the strings inside.
    content_sha_prefix : str
        A hash of the response, 32 hexadecimal digits.
    file_path_hash : str or None
        The file that it is about.
    is_dedup_hit : bool
        Whether it became a reference.
    layer_used : str
        ``L0`` to ``L3``.
    template_id : str or None
        The reference's kind, the template, or the form.
    tokens_baseline, tokens_final : int
        Before and after.
    tokens_cut : int
        Of those before, what a budget left out.
    context_partition : int
        How often the context had been compacted.
    is_sidechain : bool
        Whether a sub-agent asked.
    ts_ms : int
        Milliseconds since 1970.
    """

    session_hash: str
    tool_call_id_hash: str
    tool_name_anon: str
    endpoint_class: str
    response_chars: int
    shape: str
    inner_formats: tuple[str, ...]
    content_sha_prefix: str
    file_path_hash: str | None
    is_dedup_hit: bool
    layer_used: str
    template_id: str | None
    tokens_baseline: int
    tokens_final: int
    context_partition: int
    is_sidechain: bool
    ts_ms: int
    tokens_cut: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain data that JSON can hold."""
        return {**asdict(self), "inner_formats": list(self.inner_formats)}
