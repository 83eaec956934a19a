# The commands a person or a robot runs here. Each works in a fresh clone: the environment is made on first use, from the
# exact versions in constraints.txt. Override with `make PYTHON=python3.12 test` or `make VENV=/elsewhere test`.

PYTHON ?= python3
VENV ?= .venv
BIN := $(abspath $(VENV))/bin
RUN := $(VENV)/.runtime-installed
DEV := $(VENV)/.dev-installed
JOBS ?= 2
# The rest of the tests wait for browsers, servers and clocks a fifth of their time.
REST_JOBS ?= $(shell expr $(JOBS) + 1)

# The reference's games and recorded plays stand beside the repository where they are available; they are never part of it.
SHARED ?= $(abspath ../shared)
CORPUS := {aliens,sokoban,zelda,frogs,boulderdash,chase,missilecommand,butterflies,survivezombies,portals,camelRace,digdug,pacman,seaquest,whackamole,eggomania}

# Tests come in two tiers (tests/conftest.py): the fast one leaves out what is marked `full`; the rest is that, and the
# property tests once more, with all their examples. A run that finds no tests fails.
PYTEST = $(BIN)/python -m pytest -n $(JOBS) --dist worksteal
FAST := "not full"
REST := "full or hypothesis"

# Seconds for each of the three fuzzers, and where their inputs are kept from one run to the next.
FUZZ_SECONDS ?= 600
FUZZ_INPUTS ?= build/fuzz
FUZZ_OPTIONS = -max_total_time=$(FUZZ_SECONDS) -timeout=60 -rss_limit_mb=3000 -artifact_prefix=$(FUZZ_INPUTS)/

# Random rule sets to judge before that.
FUZZ_GAMES ?= 100000

OTHER_GAMES := crossing digger

# Programs and tests start many processes; each would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-rest test-full check bench docs wheels fuzz format types conformance checked-kernels same-bits lint clean

help:
	@echo "make demo    generate levels for the dungeon game and open a report (a minute and a half the first time, on two idle cores)"
	@echo "make test    tests of everything, in minutes"
	@echo "make test-full  all tests: also fuzzing, browsers, PostgreSQL, the reference's games, kernel modes, long plays"
	@echo "make test-rest  those that make test leaves out"
	@echo "make check   formatting, lint, types, docs, replay of recorded plays, kernels without the compiler"
	@echo "make bench   speed of the engine, beside the reference's where its numbers are at hand; docs/results/engine.md"
	@echo "make docs    the documentation, in site/"
	@echo "make wheels  the package to install, in dist/: for any machine, and with the kernels of each platform"
	@echo "make fuzz    half an hour of fuzzing texts and games (Linux)"

# --- environment ----------------------------------------------------------------------------------------------------

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "pcg needs Python 3.11 or later; try make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

# Python compiles a module when it is first imported: of most of what is installed here nothing ever is.
PIP = $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt

$(RUN): pyproject.toml setup.py constraints.txt | $(BIN)/python
	$(PIP) setuptools
	$(PIP) --no-build-isolation -e .
	@touch $@

$(DEV): $(RUN)
	$(PIP) --no-build-isolation -e '.[dev]'
	@touch $@

# --- what people run ------------------------------------------------------------------------------------------------

demo: $(RUN)
	rm -rf demo
	$(BIN)/pcg warmup --no-pages
	$(BIN)/pcg levels dungeon -n 10 --seed 1 --budget 15s --workers $(JOBS) --out demo/dungeon
	@$(MAKE) --no-print-directory -j$(JOBS) $(OTHER_GAMES:%=demo/%)
	@echo
	@echo "Open demo/dungeon/report.html in a browser; the levels are in demo/dungeon/levels."

demo/%:
	$(BIN)/pcg levels $* -n 5 --seed 1 --budget 8s --workers 1 --quiet --out $@

test: $(DEV)
	$(BIN)/pcg warmup
	$(PYTEST) -m $(FAST)

# What `make test` leaves out.
test-rest: $(DEV)
	$(BIN)/pcg warmup
	HYPOTHESIS_PROFILE=full $(PYTEST) -n $(REST_JOBS) -m $(REST)

test-full: $(DEV)
	$(BIN)/pcg warmup
	HYPOTHESIS_PROFILE=full $(PYTEST)

# Most of these keep one core busy, so two go on at a time; tests of kernels use all cores and come last.
check: $(DEV)
	$(MAKE) --no-print-directory -j$(JOBS) lint types docs conformance same-bits
	$(MAKE) --no-print-directory checked-kernels

# What benchmarks/before_after.py has measured against an older version, if it was asked to.
GAIN = $(if $(wildcard build/gain.json),--gain build/gain.json)

bench: $(DEV)
	$(BIN)/pcg warmup
	mkdir -p build
	$(BIN)/python benchmarks/run_bench.py --cold --peer $(SHARED)/gvgai --json build/bench.json
	$(BIN)/python benchmarks/environments.py --json build/environments.json
	$(BIN)/python benchmarks/engine_report.py build/bench.json build/environments.json \
		--peer $(SHARED)/gvgai/PEER_SPEED.tsv $(GAIN) --out docs/results/engine.md

docs: $(DEV)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --site-dir $(CURDIR)/site

wheels: $(DEV)
	$(BIN)/python -m tools.wheels --out dist

fuzz: $(DEV)
	PCG_FUZZ_GAMES=$(FUZZ_GAMES) $(BIN)/python -m pytest -n $(JOBS) tests/fuzz/test_game_evaluations.py
	$(PIP) --no-build-isolation -e '.[dev,fuzz]'
	mkdir -p $(FUZZ_INPUTS)
	$(BIN)/python tests/fuzz/fuzz_texts.py --seeds $(FUZZ_INPUTS)/texts
	$(BIN)/python tests/fuzz/fuzz_games.py --seeds $(FUZZ_INPUTS)/games
	$(BIN)/python tests/fuzz/fuzz_texts.py $(FUZZ_INPUTS)/texts $(FUZZ_OPTIONS)
	PCG_KERNELS=python $(BIN)/python tests/fuzz/fuzz_games.py $(FUZZ_INPUTS)/games $(FUZZ_OPTIONS)
	$(BIN)/python tests/fuzz/fuzz_games.py $(FUZZ_INPUTS)/games $(FUZZ_OPTIONS)

# --- parts of check -------------------------------------------------------------------------------------------------

lint: $(DEV)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

format: $(DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# mypy does not follow the import hook of an editable install, so it reads a tree of links with the import names.
types: $(DEV)
	rm -rf build/typing
	mkdir -p build/typing/pcg
	ln -s $(CURDIR)/pcg/* $(addprefix $(CURDIR)/,engine evaluators generators games) build/typing/pcg/
	cd build/typing && $(BIN)/mypy --config-file $(CURDIR)/pyproject.toml -p pcg

# Slices of the tests: the kernels as plain Python (what a debugger and coverage see), and compiled with every access
# checked, which random games are played with as well. Each has to use every entry point.
KERNEL_TESTS := tests/engine tests/evaluators tests/fuzz tests/generators/test_kernel_uses.py \
  tests/generators/test_levels_draft_kernel.py tests/pcg/test_pcg_benchmark_tabu.py
USED := $(CURDIR)/build/entry-points
checked-kernels: $(DEV)
	rm -rf $(USED)
	PCG_ENTRY_POINTS=$(USED)/python PCG_KERNELS=python $(PYTEST) $(KERNEL_TESTS) -m "kernel and not full"
	$(BIN)/python tests/support/entry_points.py $(USED)/python
	PCG_BOUNDSCHECK=1 $(BIN)/pcg warmup
	PCG_ENTRY_POINTS=$(USED)/checked PCG_BOUNDSCHECK=1 HYPOTHESIS_PROFILE=full \
	  $(PYTEST) $(KERNEL_TESTS) -m "kernel and (fuzz or not full)"
	$(BIN)/python tests/support/entry_points.py $(USED)/checked

conformance: $(DEV)
	@if [ -d "$(SHARED)/gvgai/traces" ]; then \
	  $(BIN)/pcg conformance "$(SHARED)/gvgai/traces" --games "$(SHARED)/gvgai/games" --only 'gridphysics/$(CORPUS)/*'; \
	else \
	  echo "no recorded plays at $(SHARED)/gvgai/traces; the replay of the reference's games is left out"; \
	fi
	@if [ -d "$(SHARED)/gdl/traces" ]; then \
	  $(BIN)/pcg conformance "$(SHARED)/gdl/edgecases" --games "$(SHARED)/gdl/edgecases" && \
	  $(BIN)/pcg conformance "$(SHARED)/gdl/traces" --games "$(SHARED)/gdl/rulesheets"; \
	else \
	  echo "no recorded plays at $(SHARED)/gdl/traces; the replay of rule sheets is left out"; \
	fi

# Every game on every level, played by the kernels for this processor, for a lesser one, and in WebAssembly: the same bits
# after every tick, or the first difference is named.
SAME := build/same-bits
SAME_BITS := $(BIN)/python -m benchmarks.same_bits
SAME_GAMES = $(if $(wildcard $(SHARED)/gvgai/games),--corpus "$(SHARED)/gvgai/games")

same-bits: $(DEV)
	rm -rf $(SAME)
	$(SAME_BITS) record $(SAME)/here.json.gz $(SAME_GAMES)
	@if [ "$$(uname -m)" = x86_64 ]; then \
	  PCG_KERNELS_TARGET=x86-64-v2 $(SAME_BITS) record $(SAME)/v2.json.gz --like $(SAME)/here.json.gz $(SAME_GAMES); \
	else echo "no x86-64 processor; the comparison of its variants is left out"; fi
	@if command -v node > /dev/null; then \
	  $(BIN)/pcg kernels build --package pcg.engine.kernel --processor wasm32 --out $(SAME) && \
	  $(SAME_BITS) node $(SAME)/*.wasm --like $(SAME)/here.json.gz --out $(SAME)/wasm.json.gz $(SAME_GAMES); \
	else echo "no Node.js; the comparison with WebAssembly is left out"; fi
	$(SAME_BITS) compare $(SAME)/*.json.gz

clean:
	rm -rf build dist site demo *.egg-info .pytest_cache .ruff_cache .hypothesis
