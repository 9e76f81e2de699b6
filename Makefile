# Commands of the project. They require make, a C compiler and Python 3.10 or newer with venv, and install the rest into .venv.

PYTHON ?= python3
VENV := .venv
MINUTES := 10
BIN := $(VENV)/bin
TORCH_VENV := .venv-torch
TORCH_TESTS := tests/codegen/targets/test_torch.py tests/codegen/targets/test_torch_gpu.py tests/examples/test_torch_batch.py

PUMA560 := inverse_dynamics gravity_forces bias_forces mass_matrix forward_dynamics forward_kinematics jacobian

.PHONY: help demo test test-all test-torch check bench speed studies generate reference docs dist golden fuzz mutants clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST)

demo: $(VENV)/.installed ## generate, compile and prove the PUMA 560's inverse dynamics in C
	$(BIN)/dynagen puma560 --lang c --out build/demo/puma560

test: $(VENV)/.tester ## set up and run the quick tests of every part (PYTEST="-k name -x" adds pytest options)
	scripts/install_system_packages.sh test
	$(BIN)/pytest -n auto --dist worksteal -m "not slow and not tools and not torch" $(PYTEST)

test-all: $(VENV)/.developer ## set up and run every test except those of PyTorch
	scripts/install_system_packages.sh test-all
	$(BIN)/pytest -n auto --dist worksteal -m "not torch" $(PYTEST)

test-torch: $(TORCH_VENV)/.tester ## set up an environment with PyTorch (5 GB on Linux), and run its tests
	scripts/install_system_packages.sh test
	$(TORCH_VENV)/bin/pytest -n auto --dist worksteal -m torch $(TORCH_TESTS) $(PYTEST)

check: $(VENV)/.developer ## check formatting, lint, types and layers
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.benchmark ## run all benchmarks: operation counts, generation and compile times, schedules, long logs, then `make speed`
	$(BIN)/python benchmarks/comparison.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/compile_time.py
	$(BIN)/python benchmarks/schedules.py
	$(BIN)/python benchmarks/languages.py
	$(BIN)/python benchmarks/long_logs.py
	$(MAKE) speed

speed: $(VENV)/.benchmark ## measure run times next to other tools on an idle machine; writes tables and figure of docs/benchmarks.md and the picture of the README
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/overview.py

studies: $(VENV)/.developer ## repeat the papers' case studies; writes tables and figures of docs/studies/; then read the diff
	$(BIN)/python -m studies

generate: $(VENV)/.installed ## rewrite generated/ with proved code; then read the diff
	set -e; for language in c cpp cuda rust fortran python javascript matlab; do \
	    $(BIN)/dynagen planar3 --lang $$language -f all; \
	    $(BIN)/dynagen puma560 --lang $$language $(PUMA560:%=-f %); \
	done

reference: $(VENV)/.installed ## rewrite docs/reference/ from the command line, the schema and the functions; then read the diff
	$(BIN)/python scripts/reference_pages.py

docs: $(VENV)/.docs ## build the site in build/site (no network needed to read it)
	rm -rf build/site
	$(BIN)/python -m sphinx --jobs auto --fail-on-warning --keep-going --quiet -d build/doctrees docs build/site

dist: $(VENV)/.installed ## build sdist and wheel in dist/, and check them
	$(BIN)/python -m pip install --quiet 'build >= 1.0' 'twine >= 6.0'
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/python -m twine check --strict dist/*

golden: $(VENV)/.developer ## rewrite the golden files; then read the diff
	$(BIN)/pytest --update-golden tests/golden

fuzz: $(VENV)/.developer ## try random robots for MINUTES=10 and compare with Pinocchio and MuJoCo; failures are shrunk into build/fuzz
	$(BIN)/python -m hardening.fuzz --minutes $(MINUTES)

mutants: $(VENV)/.developer ## plant faults in dynagen one at a time, and list those that the proof does not find
	$(BIN)/python -m hardening.mutants

clean: ## remove everything that make has created
	rm -rf $(VENV) $(TORCH_VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

# Stamp files prevent repeated installation. The demo does not install the developer tools, whose download takes much longer.
$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	    { echo 'dynagen needs Python 3.10 or newer: make PYTHON=/path/to/python3.10' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.tester: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@

# A release of which some mirrors have a build without CUDA, 200 MB instead of 5 GB; pip prefers that build.
$(TORCH_VENV)/.tester: pyproject.toml
	$(PYTHON) -m venv $(TORCH_VENV)
	$(TORCH_VENV)/bin/python -m pip install --quiet --editable '.[test]' 'torch == 2.13.0'
	@touch $@

$(VENV)/.developer: $(VENV)/.installed dynagen/toolchain/install_acados.py
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	$(BIN)/python -m dynagen.toolchain.install_acados
	@touch $@

$(VENV)/.docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $@

$(VENV)/.benchmark: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	@touch $@
