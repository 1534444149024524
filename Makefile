# SPDX-License-Identifier: AGPL-3.0-or-later
# Chunkscope. `make run` and `make test` set up what they need; `make help` lists the rest.

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
STAMP := $(VENV)/.set-up
SYSTEM_STAMP := $(VENV)/.system
TEST_SYSTEM_STAMP := $(VENV)/.system-tests

# The file that `make run` opens; empty: the last workspace, or the sample at the first start.
FILE ?=
# Processes that run the tests.
JOBS ?= 2
# Further arguments of pytest: make test ARGS="-k clauses"
ARGS ?=
# An index that serves the CPU build of torch. Empty: pip's default index (see README).
TORCH_INDEX_URL ?=

# Tests share the cores among processes, so each process gets one thread.
TEST_ENV := QT_QPA_PLATFORM=offscreen OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1
PYTEST := $(TEST_ENV) $(PY) -m pytest

.DEFAULT_GOAL := help
.PHONY: help setup run test quick check lint types imports docstrings format bench bench-peers \
	bench-quality screenshots samples sample-vectors static-model torture freeze clean distclean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) $(SYSTEM_STAMP) ## Make .venv from constraints.txt; install or name missing system libraries

$(PY):
	@scripts/make_venv.sh $(VENV)

$(STAMP): pyproject.toml constraints.txt scripts/install.sh | $(PY)
	@TORCH_INDEX_URL='$(TORCH_INDEX_URL)' scripts/install.sh $(VENV)
	@touch $@

# Looked for again at each call, until nothing is missing.
$(SYSTEM_STAMP): scripts/system_packages.sh | $(PY)
	@if scripts/system_packages.sh run; then touch $@; fi

$(TEST_SYSTEM_STAMP): scripts/system_packages.sh | $(PY)
	@if scripts/system_packages.sh test; then touch $@; fi

run: setup ## Open the window (FILE=path opens that document)
	@$(PY) main.py $(if $(FILE),"$(FILE)")

test: setup $(TEST_SYSTEM_STAMP) check ## Everything that must hold: lint, types, borders, all tests
	$(PYTEST) -n $(JOBS) $(ARGS)

quick: setup ## The fast part of the tests, under a minute
	$(PYTEST) -n $(JOBS) -m "not corpus and not end_to_end and not slow" $(ARGS)

check: lint types imports docstrings ## The checks that run no code

lint: $(STAMP) ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP) ## mypy, strict on core
	$(BIN)/mypy

imports: $(STAMP) ## import-linter: the borders between packages
	$(BIN)/lint-imports --no-cache

docstrings: $(STAMP) ## Each public function of core has a docstring; arrays say shape and unit
	$(PY) scripts/check_docstrings.py core

format: $(STAMP) ## Let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup ## Speed and memory, against the yardsticks in the same run
	$(PY) -m bench $(ARGS)

bench-peers: setup ## The same work with other splitters
	$(PY) -m bench.peers $(ARGS)

bench-quality: setup ## The pair finder against stored reference pairs
	$(PY) -m bench.quality $(ARGS)

screenshots: setup ## Pictures of the window, light and dark, into build/screenshots
	$(PY) scripts/make_screenshots.py $(ARGS)

sample-vectors: setup ## Make the vectors again that are shipped with the sample
	$(PY) scripts/ship_vectors.py $(ARGS)

static-model: setup ## Distil a static model from the packaged MiniLM into the data folder
	$(PY) scripts/distill_static.py $(ARGS)

samples: setup ## Make the sample documents again
	$(PY) resources/samples/make_samples.py

torture: setup $(TEST_SYSTEM_STAMP) ## Kills, damaged files, long soaks
	$(PYTEST) tests/torture --timeout 0 $(ARGS)

freeze: ## Write what is installed now into constraints.txt
	$(PY) scripts/freeze.py

clean: ## Remove what tests and tools leave behind
	rm -rf build .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -not -path './$(VENV)/*' -prune -exec rm -rf {} +

distclean: clean ## clean, and remove the virtual environment
	rm -rf $(VENV)
