"""A model of random numbers in a GGUF file, small enough to be made in a moment."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

SIZE: Final = 32
INNER: Final = 64
CONTEXT: Final = 4096
SPECIAL: Final = ["<unk>", "<s>", "</s>"]


def write_model(path: Path, seed: int = 1) -> None:
    """Write a model of one layer whose tokens are bytes."""
    gguf: Any = import_module("gguf")
    writer = gguf.GGUFWriter(path, "llama")
    _describe(writer)
    for name, tensor in _tensors(np.random.default_rng(seed)).items():
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _describe(writer: Any) -> None:
    tokens = [*SPECIAL, *(f"<0x{byte:02X}>" for byte in range(256))]
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(SIZE)
    writer.add_block_count(1)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(SIZE // 2)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types([2, 3, 3, *[6] * 256])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)


def _tensors(random: np.random.Generator) -> dict[str, Any]:
    words = len(SPECIAL) + 256

    def some(*shape: int) -> Any:
        return (random.standard_normal(shape) * 0.1).astype(np.float32)

    ones = np.ones(SIZE, np.float32)
    square = {f"blk.0.attn_{n}.weight": some(SIZE, SIZE) for n in ("q", "k", "v", "output")}
    return {
        "token_embd.weight": some(words, SIZE),
        "output_norm.weight": ones,
        "output.weight": some(words, SIZE),
        **square,
        "blk.0.ffn_gate.weight": some(INNER, SIZE),
        "blk.0.ffn_up.weight": some(INNER, SIZE),
        "blk.0.ffn_down.weight": some(SIZE, INNER),
        "blk.0.attn_norm.weight": ones,
        "blk.0.ffn_norm.weight": ones,
    }
