# The way in. Needs make, a C compiler and Python 3.10 or newer with venv; everything else is installed into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

PUMA560 := inverse_dynamics gravity_forces bias_forces mass_matrix forward_dynamics forward_kinematics jacobian

.PHONY: help demo test test-all check bench speed studies generate reference golden clean

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST)

demo: $(VENV)/.installed ## write, compile and prove the PUMA 560's inverse dynamics in C
	$(BIN)/dynagen puma560 --lang c --out build/demo/puma560

test: $(VENV)/.tester ## run the quick tests of every part, from nothing (PYTEST="-k name -x" passes options on)
	scripts/install_system_packages.sh test
	$(BIN)/pytest -n auto --dist worksteal -m "not slow and not tools" $(PYTEST)

test-all: $(VENV)/.developer ## run every test, from nothing
	scripts/install_system_packages.sh test-all
	$(BIN)/pytest -n auto --dist worksteal $(PYTEST)

check: $(VENV)/.developer ## formatting, lint, types and layers
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.benchmark ## operations beside those of others, how generation grows, what compilers and languages take, how fast the code is
	$(BIN)/python benchmarks/comparison.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/compile_time.py
	$(BIN)/python benchmarks/schedules.py
	$(BIN)/python benchmarks/languages.py
	$(BIN)/python benchmarks/long_logs.py
	$(MAKE) speed

speed: $(VENV)/.benchmark ## how fast the code is beside others: tables and figure of docs/benchmarks.md; for an idle machine
	$(BIN)/python benchmarks/speed.py

studies: $(VENV)/.developer ## do the papers' case studies again: tables and figures of docs/studies/; then read the diff
	$(BIN)/python -m studies

generate: $(VENV)/.installed ## rewrite generated/, proved; then read the diff
	set -e; for language in c fortran python javascript; do \
	    $(BIN)/dynagen planar3 --lang $$language -f all; \
	    $(BIN)/dynagen puma560 --lang $$language $(PUMA560:%=-f %); \
	done

reference: $(VENV)/.installed ## rewrite docs/reference/ from what the program says of itself; then read the diff
	$(BIN)/python scripts/reference_pages.py

golden: $(VENV)/.developer ## rewrite the golden files; then read their diff
	$(BIN)/pytest --update-golden tests/golden

clean: ## remove everything that make has made
	rm -rf $(VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

# The stamps keep `make` from installing twice. The demo does without the developer's tools, which take far longer to fetch.
$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	    { echo 'dynagen needs Python 3.10 or newer: make PYTHON=/path/to/python3.10' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.tester: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@

$(VENV)/.developer: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

$(VENV)/.benchmark: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	@touch $@
