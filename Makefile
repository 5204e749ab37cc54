# One environment in .venv, made once, shared by every target.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: setup demo check lint types order test help-docs bench clean models

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("dynagrag needs Python 3.11 or later, this is " + sys.version.split()[0] + "; set PYTHON=...") if sys.version_info < (3, 11) else None'
	@echo "making .venv; the first time this fetches some 6 GB of libraries (torch brings its own) and takes a few minutes"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group dev --editable '.[all]'
	@touch $@

demo: setup  ## the main job: a real transcript into a graph, three questions
	$(BIN)/dynagrag demo

models: setup  ## the small models that the tests marked `model` use
	$(BIN)/dynagrag models pull minilm
	$(BIN)/dynagrag models pull smollm2

test: models  ## all tests
	$(BIN)/python -m pytest

check: lint types order test  ## what CI runs

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

order: setup
	$(BIN)/lint-imports

help-docs: setup  ## writes docs/cli.md from the commands' own help
	$(BIN)/python docs/write_cli_help.py

bench: setup  ## speed and cost; results are printed, and kept in benchmarks/results by hand
	$(BIN)/python benchmarks/overhead.py

clean:
	rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
