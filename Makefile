# Two commands: `make round` sets everything up and runs the embedded default; `make test` sets up and runs the tests.
# Needs Python 3.11 to 3.13 with venv and pip. Nothing is installed a second time unless what is pinned has changed.

PYTHON ?= $(firstword $(foreach name,python3 python3.13 python3.12 python3.11 python,$(shell \
    $(name) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && echo $(name))))
VENV ?= .venv
BIN := $(VENV)/bin
PINS := constraints.txt pyproject.toml
# else every test process compiles demur and rewrites all tests anew
test test-long test-repeated: export PYTHONDONTWRITEBYTECODE :=
# the files that have tests of a mark: to read all others takes longer than many a test
marked = $(shell grep -rl --include='test_*.py' 'mark\.$(1)' tests)
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: round test test-long test-repeated test-all lint docs pins sbom clean help

help:
	@echo "make round   set up and run the embedded rounds, single passages and several: no network, no keys"
	@echo "make test    set up and run the tests (LONG=yes: the long ones with them)"
	@echo "make test-long  run the rounds that repeat at length what faster tests show"
	@echo "make test-repeated  run kills, faults and machines at more places than these"
	@echo "make test-all  all three"
	@echo "make lint    set up and run formatter, linters, types and import contracts"
	@echo "make pins    write requirements.txt anew: what constraints.txt pins for the image, with hashes"
	@echo "make sbom    write sbom.cdx.json: what an environment made from requirements.txt holds, with licences (CycloneDX)"
	@echo "make docs    write the columns of docs/data-model.md from the models and views, and build the site of the documentation"
	@echo "make clean   remove the environment (results in .demur stay)"

round: $(VENV)/.runtime
	$(BIN)/demur round embedded
	$(BIN)/demur round embedded-several

# `make test LONG=yes`, as CI does: one run makes the rounds that tests look at once, and has one end at which a core is idle.
# Four processes, since long tests wait for processes of their own as often as they work.
test: $(VENV)/.dev
	$(BIN)/python -m pytest $(if $(LONG),-n 4 -m "not repeated")

test-long: $(VENV)/.dev
	$(BIN)/python -m pytest -n 4 -m exhaustive $(call marked,exhaustive)

test-repeated: $(VENV)/.dev
	$(BIN)/python -m pytest -m repeated $(call marked,repeated)

test-all: test test-long test-repeated

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/yamllint --strict compose.yaml deployments/automations.yaml deployments/notifications.yaml deployments/kubernetes
	$(BIN)/kubernetes-validate --strict --quiet $(filter-out %/kustomization.yaml,$(wildcard deployments/kubernetes/*.yaml))
	@test ! -x $(BIN)/hadolint || $(BIN)/hadolint Containerfile
	$(BIN)/lint-imports

$(VENV)/.python:
	@test -n "$(PYTHON)" || { echo "No Python 3.11, 3.12 or 3.13 was found. Install one, or say which: make PYTHON=/path/to/python3.12" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.runtime: $(VENV)/.python $(PINS)
	@echo "Installing demur and what it needs into $(VENV) (a few minutes, once)"
	$(INSTALL) -e ".[all]"
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime
	$(INSTALL) -e ".[dev]"
	@touch $@

# for all Pythons and systems at once; hashes are those of the package index that uv is set up for
pins: $(VENV)/.dev
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
	    --custom-compile-command "make pins" -c constraints.txt \
	    --extra all --extra dask --extra state pyproject.toml --output-file requirements.txt

sbom: $(VENV)/.dev
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python build/sbom
	$(BIN)/uv pip install --quiet --python build/sbom/bin/python --require-hashes -r requirements.txt
	$(BIN)/uv tool run --quiet --python $(BIN)/python --constraints constraints.txt --from cyclonedx-bom \
	    cyclonedx-py environment --output-reproducible --pyproject pyproject.toml --mc-type application \
	    --output-file sbom.cdx.json build/sbom

docs: $(VENV)/.dev
	$(BIN)/python -m demur.warehouse.tables.data_model docs/data-model.md
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "site/ holds the documentation: $(BIN)/python -m http.server -d site"

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
