# Everything a newcomer or the build machine runs. Needs git, make and Python 3.10 or newer with venv; all else is
# installed into .venv by the targets that need it, once (a stamp file per group, older than pyproject.toml: again).

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
# The first of these that is new enough; `make PYTHON=…` chooses another.
PYTHON ?= $(shell for each in python3 python3.14 python3.13 python3.12 python3.11 python3.10; do \
	"$$each" -c 'import sys; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1 && echo "$$each" && break; done)
# Tests wait for git and the disk about as long as they compute: two processes a core. `make test TESTS=tests/core` runs a part.
TESTS ?= tests
WORKERS ?= $(shell "$(PYTHON)" -c 'import os; print(2 * (os.cpu_count() or 1))')
PYTEST_OPTIONS ?=

# Compiled once and not in each of the hundred processes that a test run starts, whatever the shell says.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test coverage check docs bench clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.stamp-stackr ## Watch a real stack being submitted, amended, reordered and landed in the sandbox
	@$(BIN)/stackr demo $(DEMO_OPTIONS)

test: .test-ready ## Run the test suite
	$(BIN)/python -m pytest -n $(WORKERS) $(PYTEST_OPTIONS) $(TESTS)

coverage: .test-ready ## Run the test suite and hold it to the coverage we promise
	$(BIN)/python -m pytest -n $(WORKERS) $(PYTEST_OPTIONS) --cov --cov-report=term:skip-covered --cov-fail-under=95 $(TESTS)

check: $(VENV)/.stamp-check $(VENV)/.stamp-test ## Format, lint, types, and who may import whom
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/.stamp-docs ## Build the documentation and the man pages into docs/_build
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -b html docs docs/_build/html
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -b man docs docs/_build/man
	@echo "docs/_build/html/index.html"

bench: $(VENV)/.stamp-stackr ## Compare requests, pushes, processes and seconds with ghstack and revup
	$(BIN)/python -m bench $(BENCH_OPTIONS)

clean: ## Remove everything these targets made
	rm -rf $(VENV) docs/_build build dist .cache .coverage .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

# What tests need besides packages: GitHub's public API descriptions, and a browser.
.PHONY: .test-ready
.test-ready: $(VENV)/.stamp-test
	$(BIN)/python -m tests.support.fetch_schemas
	@.ci/chromium

$(VENV)/.stamp-venv:
	@test -n "$(PYTHON)" || { echo "error: no Python 3.10 or newer was found; install one, or use make PYTHON=/path/to/python" >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "error: $(PYTHON) cannot make virtual environments (on Debian and Ubuntu: apt install python3-venv)" >&2; exit 1; }
	"$(PYTHON)" -m venv $(VENV)
	@# Dependency groups (PEP 735) need pip 25.1.
	$(PIP) --upgrade "pip>=25.1"
	@touch $@

$(VENV)/.stamp-stackr: $(VENV)/.stamp-venv pyproject.toml
	$(PIP) --editable ".[sandbox]"
	@touch $@

$(VENV)/.stamp-%: $(VENV)/.stamp-stackr
	$(PIP) --group $*
	@touch $@
