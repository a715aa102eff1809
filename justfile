# Thin lines over uv; `just` alone lists them.

_default:
    @just --list

# All tests and doctests
test *args:
    uv run pytest {{ args }}

# The kernels again as plain Python, for their coverage
test-nojit:
    NUMBA_DISABLE_JIT=1 MCKP_TEST_SCALE=0.2 uv run pytest tests/solvers tests/columns tests/test_table.py --cov --cov-report=term

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

# Timings; without a corpus, of the examples
bench corpus="examples":
    uv run python benches/check_corpus.py {{ corpus }}
    uv run pytest benches/bench_solvers.py

# Tokens beside those of other formats; without a corpus, of made-up documents
bench-formats *args:
    uv run --group peers python benches/bench_formats.py {{ args }}

# Time and memory of encode, and its time beside other formats; a corpus adds to made-up documents
bench-encode *corpus:
    uv run python benches/encode_speed.py --json benches/results/encode-speed.json {{ corpus }}
    uv run python benches/encode_growth.py --json benches/results/encode-growth.json
    uv run --group peers --with toons --with headroom-ai python benches/encode_responses.py --json benches/results/encode-responses.json {{ corpus }}

# What is left within a budget, beside other libraries and the binary knapsack; the old ablation
bench-budget *corpus:
    uv run --group budget-peers python benches/budget.py --json benches/results/budget.json {{ corpus }}
    uv run python benches/curve.py --json benches/results/budget-curve.json {{ corpus }}
    uv run python benches/ablation.py --json benches/results/ablation.json
    uv run python benches/plots.py

# The solvers beside others, half an hour; then the tables and figures made from what was stored
bench-solvers:
    uv run --group solver-peers python benches/solver_grid.py --json benches/results/solver-grid.json
    uv run python benches/solver_nested.py --json benches/results/solver-nested.json
    uv run python benches/solver_growth.py --json benches/results/solver-growth.json
    uv run python benches/solver_start.py --json benches/results/solver-start.json
    uv run python benches/solver_baselines.py --json benches/results/solver-baselines.json
    uv run python benches/solver_tables.py
    uv run python benches/plots.py

# The MCP proxy: real servers (install them first), beside other proxies, and under stress
bench-mcp:
    uv run python benches/mcp_servers.py --inspector --json benches/results/mcp-servers.json
    uv run python benches/mcp_latency.py --json benches/results/mcp-latency.json
    uv run python benches/mcp_stress.py --json benches/results/mcp-stress.json

# What sessions cost, and what tuning saves on made-up ones; then the tables made from what was stored
bench-sessions:
    uv run python benches/session_speed.py --json benches/results/session-speed.json
    uv run python benches/tune_profiles.py --events 400 --seeds 2 --json benches/results/tune-profiles.json
    uv run python benches/tune_logs.py --json benches/results/tune-logs.json
    uv run python benches/solver_tables.py

# Solvers against each other on random instances
agree instances="5000":
    uv run python benches/agree_solvers.py --instances {{ instances }}

# Nothing to typeset yet: paper/README.md says what will be there
paper:
    @cat paper/README.md
