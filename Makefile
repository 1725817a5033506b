# icemelt: `make demo` shows it, `make test` tests it. Needs Python 3.11 or newer, and nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
# compiled once: a tests' process that compiles what it imports starts two seconds later
INSTALL := $(BIN)/uv pip install --quiet --compile-bytecode
LOCK_OPTIONS := --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"

# uv does not read pip's settings: hand on those that decide whether it reaches anything
ifdef PIP_INDEX_URL
export UV_DEFAULT_INDEX ?= $(PIP_INDEX_URL)
endif
ifdef PIP_CERT
export SSL_CERT_FILE ?= $(PIP_CERT)
endif

.DEFAULT_GOAL := help
.PHONY: help setup demo test check docs format lock torture orchestrators bench clean

help: ## Show this text
	@echo "make <target>:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | awk -F'|' '{printf "%-14s %s\n", $$1, $$2}'

setup: $(INSTALLED) ## Install everything into .venv (the other targets do it first)

$(INSTALLED): requirements/installer.txt requirements/dev.txt pyproject.toml
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "icemelt needs Python 3.11 or newer, found $$("$(PYTHON)" -V 2>&1)." >&2; \
	  echo "Name another one: make setup PYTHON=python3.12" >&2; exit 1; }
	@echo "Installing into $(VENV), once; Spark is large, this takes a minute or more …"
	@"$(PYTHON)" -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --require-hashes --requirement requirements/installer.txt
	@$(INSTALL) --python $(VENV) --require-hashes --requirement requirements/dev.txt
	@$(INSTALL) --python $(VENV) --no-deps --no-build-isolation --editable .
	-@$(BIN)/icemelt doctor --start
	@touch $@

demo: $(INSTALLED) ## Show icemelt at work on the flights of New York
	@$(BIN)/icemelt demo

# two wait for Spark too often to keep two cores busy
test: $(INSTALLED) .venv-s3/.installed ## Run the tests, in three processes with a Spark each
	@$(BIN)/python -m pytest -q -n 3 --dist worksteal

check: $(INSTALLED) docs ## Check format, style, types, rooms, sizes, docstrings and documents
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo 2>&1
	@$(BIN)/python scripts/check_sizes.py src tests scripts examples
	@$(BIN)/python -m pytest -q --doctest-modules src scripts
	@$(BIN)/python scripts/support_matrix.py docs/changes-of-views.md
	@$(BIN)/python scripts/function_table.py docs/functions.md
	@$(BIN)/python scripts/readme_examples.py README.md docs/tutorial.md

docs: $(INSTALLED) ## Build the site of the documents into site/; a link that leads nowhere fails
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

format: $(INSTALLED) ## Format the code and mend what can be mended
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

lock: $(INSTALLED) ## Choose the versions anew and write them to requirements
	@$(BIN)/uv pip compile $(LOCK_OPTIONS) --output-file requirements/run.txt pyproject.toml
	@$(BIN)/uv pip compile $(LOCK_OPTIONS) --output-file requirements/dev.txt \
	  --constraint requirements/run.txt --group dev pyproject.toml
	@$(BIN)/uv pip compile $(LOCK_OPTIONS) --output-file requirements/bench.txt \
	  --constraint requirements/run.txt --group bench pyproject.toml
	@$(BIN)/uv pip compile $(LOCK_OPTIONS) --output-file requirements/delta.txt \
	  --group pyproject.toml:delta
	@$(BIN)/uv pip compile $(LOCK_OPTIONS) --output-file requirements/s3.txt \
	  --group pyproject.toml:s3
	@$(BIN)/uv pip compile $(LOCK_OPTIONS) --output-file requirements/orchestrators.txt \
	  --group pyproject.toml:orchestrators
	@$(BIN)/uv pip compile $(LOCK_OPTIONS) --output-file requirements/installer.txt \
	  --group pyproject.toml:installer

torture: $(INSTALLED) ## Kill writers, run random histories and a cluster, for minutes or hours
	@$(BIN)/python -m pytest -q -m torture

.venv-bench/.installed: requirements/bench.txt | $(INSTALLED)
	@echo "Installing what the benchmarks need into .venv-bench, once …"
	@"$(PYTHON)" -m venv .venv-bench
	@$(INSTALL) --python .venv-bench --require-hashes --requirement requirements/bench.txt
	@$(INSTALL) --python .venv-bench --no-deps --editable .
	@touch $@

.venv-delta/.installed: requirements/delta.txt | $(INSTALLED)
	@echo "Installing the peer Delta Lake into .venv-delta, once …"
	@"$(PYTHON)" -m venv .venv-delta
	@$(INSTALL) --python .venv-delta --require-hashes --requirement requirements/delta.txt
	@touch $@

.venv-s3/.installed: requirements/s3.txt | $(INSTALLED)
	@echo "Installing a simulated S3 into .venv-s3, once …"
	@"$(PYTHON)" -m venv .venv-s3
	@$(INSTALL) --python .venv-s3 --require-hashes --requirement requirements/s3.txt
	@touch $@

.venv-orchestrators/.installed: requirements/orchestrators.txt | $(INSTALLED)
	@echo "Installing Dagster and Airflow into .venv-orchestrators, once …"
	@"$(PYTHON)" -m venv .venv-orchestrators
	@$(INSTALL) --python .venv-orchestrators --require-hashes --requirement requirements/orchestrators.txt
	@touch $@

orchestrators: .venv-orchestrators/.installed ## Test the examples of Dagster and Airflow
	@$(BIN)/python -m pytest -q tests/examples/test_orchestrators.py

bench: .venv-bench/.installed .venv-delta/.installed ## Measure, beside peers (ONLY=… for one)
	@.venv-bench/bin/python -m benchmarks $(ONLY)

clean: ## Remove what was installed and built
	@rm -rf $(VENV) .venv-bench .venv-delta .venv-s3 .venv-orchestrators .nox dist site .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	@find src tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +
