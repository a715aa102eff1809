# Thin lines over uv; `just` alone lists them.

_default:
    @just --list

# All tests and doctests
test *args:
    uv run pytest {{ args }}

# The tests that most changes break, without slow ones and frameworks, with few random documents, in a minute on two cores
test-quick *args:
    PYTHONDONTWRITEBYTECODE= MCKP_TEST_SCALE=0.02 uv run pytest --quiet -p no:cacheprovider --benchmark-disable -n auto --override-ini addopts="--import-mode=importlib -p no:langsmith_plugin --strict-markers" -m "not slow" tests --ignore tests/benches --ignore tests/test_batch.py --ignore tests/test_jit.py --ignore tests/test_paper.py --ignore tests/solvers/test_highs.py --ignore tests/test_view.py --ignore tests/test_notebook.py --ignore tests/mcp --ignore tests/adapters/test_langchain.py --ignore tests/adapters/test_llama_index.py --ignore tests/adapters/test_openai_agents.py --ignore tests/adapters/test_pydantic_ai.py --deselect tests/test_docs.py::test_the_site_is_built --deselect tests/test_docs.py::test_shell_commands_run {{ args }}

# The property tests of promises with many new random examples; CI takes the same few each time
fuzz scale="5" *args:
    MCKP_TEST_SCALE={{ scale }} uv run pytest --quiet -p no:cacheprovider --benchmark-disable -n auto tests/parsers tests/menu tests/encoders tests/texts tests/packing tests/test_flow.py tests/test_encode.py {{ args }}

# The solvers' kernels again as plain Python, for their coverage
test-nojit:
    NUMBA_DISABLE_JIT=1 MCKP_TEST_SCALE=0.2 uv run pytest tests/solvers tests/test_table.py --cov --cov-report=term

# Style, types and layers
lint:
    uv run ruff check .
    uv run ruff format --check .
    uv run mypy
    uv run pyright
    uv run lint-imports

# Rewrite what can be rewritten
fix:
    uv run ruff check --fix .
    uv run ruff format .

# Timings of all subjects, or of one (`just bench solvers`), stored under benches/results/timed
bench subject="*":
    uv run pytest benches/time_{{ subject }}.py --benchmark-only --benchmark-autosave --benchmark-storage benches/results/timed

# Every bench once with tiny sizes; then what moved since figures were stored
bench-smoke:
    uv run pytest --quiet benches/time_*.py --benchmark-disable
    uv run pytest --quiet tests/benches -k "not stored and not drawn and not readme"
    uv run python benches/smoke.py

# The promises against every document of a folder
check corpus="examples":
    uv run python benches/check_corpus.py {{ corpus }}

# Tokens beside those of other formats; without a corpus, of made-up documents
bench-formats *args:
    uv run --group peers python benches/bench_formats.py {{ args }}

# Time and memory of encode, and its time beside other formats; a corpus adds to made-up documents
bench-encode *corpus:
    uv run python benches/encode_speed.py --json benches/results/encode-speed.json {{ corpus }}
    uv run python benches/cold_start.py --json benches/results/cold-start.json
    uv run python benches/encode_growth.py --json benches/results/encode-growth.json
    uv run --group peers --with toons --with headroom-ai python benches/encode_responses.py --json benches/results/encode-responses.json {{ corpus }}

# Of what agents used later, how much is left within a budget; USES are runs or records of uses
bench-recall *uses:
    uv run --group budget-peers --with headroom-ai python benches/use_recall.py {{ uses }} --json benches/results/use-recall.json
    uv run python benches/page_tables.py
    uv run python benches/plots.py

# The tables of use recall, the binary knapsack and relevance from public sets alone, which are brought into a folder
bench-public folder *args:
    uv run python benches/public_data.py {{ folder }}
    uv run --group budget-peers python benches/use_recall.py {{ folder }}/runs --json {{ folder }}/use-recall.json {{ args }}
    uv run python benches/binary_knapsack.py {{ folder }}/runs --json {{ folder }}/binary-knapsack.json {{ args }}
    uv run python benches/relevance.py {{ folder }}/questions --half held --json {{ folder }}/relevance.json

# The solvers beside others, some minutes; then the tables and figures made from what was stored
bench-solvers:
    uv run --group solver-peers python benches/solver_grid.py --json benches/results/solver-grid.json
    uv run python benches/solver_nested.py --json benches/results/solver-nested.json
    uv run python benches/page_tables.py
    uv run python benches/plots.py

# The MCP proxy: real servers (install them first), beside other proxies, and under stress
bench-mcp:
    uv run python benches/mcp_servers.py --json benches/results/mcp-servers.json
    uv run python benches/mcp_latency.py --json benches/results/mcp-latency.json

# How well texts are read: the oracle, shapes, damage; then what claims are worth
bench-accuracy *corpus:
    uv run python benches/accuracy.py --json benches/results/accuracy.json {{ if corpus == "" { "" } else { "--corpus " + corpus } }}
    uv run python benches/shapes.py --json benches/results/shapes.json {{ if corpus == "" { "" } else { "--corpus " + corpus } }}
    uv run python benches/damage.py --json benches/results/damage.json
    uv run python benches/verdicts.py --json benches/results/verdicts.json
    uv run python benches/page_tables.py

# Solvers against each other on random instances
agree instances="5000":
    uv run python benches/agree_solvers.py --instances {{ instances }}

# The site: README, guides, sheets and the API, into site/
docs:
    uv run python -m sphinx -q -W -E --keep-going -c docs -b html . site

# The paper: numbers and tables from the stored results, then paper/mckp.pdf and paper/mckp.html
paper *args:
    uv run python benches/paper.py {{ args }}
