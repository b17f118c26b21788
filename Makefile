# Two commands for a newcomer: `make demo` and `make test`. Each sets everything up.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
KERNEL := $(wildcard src/faircg/_kernel/*.cpp src/faircg/_kernel/*.hpp)
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: help demo test test-long test-oldest test-newest test-browser coverage mutation reliability lint format bench bench-defaults paper paper-quick paper-standard datasets docs clean

help:
	@echo "make demo       fit a rule set on COMPAS under a fairness constraint and print it"
	@echo "make test       lint, types, unit tests and doctests"
	@echo "make test-long  the same oracles on many more random instances, and whole data sets"
	@echo "make reliability  docs/reliability.md from what the last runs of both counted"
	@echo "make test-oldest  the tests with the lowest versions that pyproject.toml allows"
	@echo "make test-newest  the tests with the newest versions, pre-releases too"
	@echo "make test-browser  the HTML report in a real browser (installs Chromium where apt can)"
	@echo "make coverage   lines and branches of src that the tests run; slower than make test"
	@echo "make mutation   small changes of the code that no test notices; an hour or more"
	@echo "make bench      speed, side by side, as ratios"
	@echo "make bench-defaults  accuracy, gap and time of a plain call on 14 data sets (needs the registry)"
	@echo "make paper-quick     every table and figure of the paper within minutes, few folds"
	@echo "make paper-standard  the protocol behind docs/results.md, about two hours"
	@echo "make paper           ten folds and the grids of the paper's appendix, days"
	@echo "make lint       ruff, mypy and clang-format only"
	@echo "make docs       the guide as HTML in build/docs"
	@echo "make datasets   rebuild the embedded data sets from their sources (needs the registry)"

# Two steps, so that the demo does not wait for the development tools. The first is an
# editable install: Python sources are used in place, and the kernel is rebuilt when its
# sources change; it is compiled while the packages that it needs are fetched. The second
# finds faircg there and adds only what is missing. Python compiles what it imports, so
# nothing is compiled ahead; and it keeps that, or each of the many processes of the tests
# compiles its imports again.
export PYTHONDONTWRITEBYTECODE =
INSTALL = $(BIN)/python -m pip install --quiet --no-compile

$(VENV)/.demo: pyproject.toml CMakeLists.txt $(KERNEL)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python scripts/requirements.py html > $(VENV)/requirements.txt
	$(INSTALL) --no-deps --editable . & kernel=$$!; \
	  $(INSTALL) --requirement $(VENV)/requirements.txt; packages=$$?; \
	  wait $$kernel && exit $$packages
	touch $@

$(VENV)/.installed: $(VENV)/.demo
	$(INSTALL) 'faircg[dev]'
	touch $@

demo: $(VENV)/.demo
	$(BIN)/faircg demo

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(KERNEL)

format: $(VENV)/.installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(KERNEL)

test: lint
	$(BIN)/pytest -m "not long" --numprocesses auto --dist worksteal --matrix test

test-long: lint
	$(BIN)/pytest -m long --numprocesses auto --dist worksteal --matrix test-long

# From what the last runs of both counted.
reliability: $(VENV)/.installed
	$(BIN)/python tests/matrix.py

# Each has an environment of its own, which the targets above fill. What old and new packages
# say about each other is no error, and pages show what the versions in between print.
QUIET = -W ignore::DeprecationWarning -W ignore::FutureWarning

test-oldest:
	mkdir -p build
	$(PYTHON) scripts/oldest.py > build/oldest.txt
	PIP_CONSTRAINT=build/oldest.txt $(MAKE) VENV=.venv-oldest .venv-oldest/.installed
	.venv-oldest/bin/pytest tests --ignore tests/docs -m "not long" --numprocesses auto --dist worksteal --matrix test-oldest $(QUIET)

test-newest:
	PIP_PRE=1 $(MAKE) VENV=.venv-newest .venv-newest/.installed
	.venv-newest/bin/pytest tests --ignore tests/docs -m "not long" --numprocesses auto --dist worksteal --matrix test-newest $(QUIET)

# Chromium comes from the system; without apt, install it and its driver by hand.
test-browser: $(VENV)/.installed
	command -v chromedriver >/dev/null || ! command -v apt-get >/dev/null || \
	  { apt-get update -q && apt-get install -qy --no-install-recommends chromium chromium-driver fonts-dejavu-core; }
	$(BIN)/pytest -m browser

# Processes that the tests start are counted too. Fails below the shares that we ask for.
PROCESSES ?= auto
coverage: $(VENV)/.installed
	rm -rf build/coverage && mkdir -p build/coverage
	$(BIN)/pytest -m "not long" --numprocesses $(PROCESSES) --dist worksteal \
	  --cov --cov-report=json:build/coverage/figures.json --cov-report=html:build/coverage/html
	$(BIN)/python scripts/covered.py build/coverage/figures.json

# OPTIONS="certificate" asks for one target, OPTIONS="--endings 16" for every fifth mutant.
# Can be stopped at any time and run again to go on.
mutation: $(VENV)/.installed
	$(BIN)/python -c "import mutmut" 2> /dev/null || $(INSTALL) 'faircg[mutation]'
	OMP_NUM_THREADS=1 $(BIN)/python scripts/mutation.py $(OPTIONS)

bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks

# Can be stopped at any time and run again to go on; writes docs/defaults.md.
bench-defaults: $(VENV)/.installed
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.defaults $(OPTIONS)

# Each can be stopped at any time and run again to go on; MINUTES=60 stops by itself.
MINUTES_OPTION := $(if $(MINUTES),--minutes $(MINUTES),)

paper: $(VENV)/.installed
	$(BIN)/python -m experiments full $(MINUTES_OPTION)

paper-standard: $(VENV)/.installed
	$(BIN)/python -m experiments standard $(MINUTES_OPTION)

paper-quick: $(VENV)/.installed
	$(BIN)/python -m experiments quick $(MINUTES_OPTION)

datasets: $(VENV)/.installed
	$(BIN)/python scripts/build_datasets.py

docs: $(VENV)/.installed
	$(BIN)/python -c "import furo, latex2mathml, myst_parser, sphinx" 2> /dev/null \
		|| $(INSTALL) 'faircg[docs]'
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet docs build/docs
	@echo "open build/docs/index.html"

clean:
	rm -rf $(VENV) .venv-oldest .venv-newest build .pytest_cache .mypy_cache .ruff_cache
