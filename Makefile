# `make demo` on a clean clone needs Python (3.10 or newer), pip and make; everything is installed into .venv.
#
#   make demo PIP_ARGS="torch==2.9.0"           another torch than the pinned one
#   make demo PIP_ARGS="--index-url URL"        torch from another index, such as PyTorch's index of CPU builds
#
# PIP_ARGS goes to pip as it is and is remembered in .venv, until another is given or `make clean`.

.DEFAULT_GOAL := demo

VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2
TESTS ?= tests

# The first interpreter that runs, is new enough and can make a virtual environment.
PYTHON ?= $(firstword $(foreach p,python3.11 python3 python3.12 python3.13 python3.10,$(shell \
	$(p) -c 'import sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && echo $(p))))

REMEMBERED := $(VENV)/.pip-args
ifndef PIP_ARGS
PIP_ARGS := $(shell cat $(REMEMBERED) 2>/dev/null)
else ifneq ($(strip $(PIP_ARGS)),$(strip $(shell cat $(REMEMBERED) 2>/dev/null)))
$(VENV)/.torch: FORCE
endif

# A requirement for torch among PIP_ARGS takes the place of the pin; what remains are options, for every install.
OWN_TORCH := $(filter torch torch=% torch<% torch>% torch~% torch[% torch@% torch-% %.whl,$(PIP_ARGS))
PIP_OPTIONS := $(patsubst %,'%',$(filter-out $(OWN_TORCH),$(PIP_ARGS)))
TORCH := $(patsubst %,'%',$(or $(OWN_TORCH),$(shell grep '^torch==' constraints.txt)))

PIP := $(BIN)/python -m pip --disable-pip-version-check

.PHONY: demo test lint format bench compiled clean FORCE
.DELETE_ON_ERROR:

demo: $(VENV)/.package
	@$(BIN)/cannery demo

test: $(VENV)/.tools
	$(BIN)/python -m pytest -n $(WORKERS) $(PYTEST_ARGS) $(TESTS)

lint: $(VENV)/.tools
	$(BIN)/ruff check .
	$(BIN)/mypy src tests $(wildcard benchmarks)

format: $(VENV)/.tools
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.package
	@set -e; for script in $(sort $(wildcard benchmarks/[a-z]*.py)); do echo "== $$script"; $(BIN)/python $$script; done

# The hot modules as machine code: takes about a minute, needs a C compiler; used until a source of them changes.
compiled: $(VENV)/.tools
	$(BIN)/python compile_core.py

clean:
	rm -rf src/cannery/_compiled $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "make: found no Python 3.10 or newer; install one or name it: make PYTHON=..." >&2; exit 1; }
	@# Debian's Python comes without ensurepip: then the system's pip brings pip into the new environment.
	$(PYTHON) -m venv $(VENV) 2>/dev/null || { $(PYTHON) -m venv --clear --without-pip $(VENV) \
		&& $(PYTHON) -m pip --python $(VENV) install pip; }

# torch goes first and alone: the choice of its build must not be left to the resolver of everything else. What was
# installed is then a constraint like the others, so nothing after it exchanges it.
INSTALLED_TORCH := from importlib.metadata import version; print('torch==' + version('torch'))
$(VENV)/.torch: constraints.txt | $(BIN)/python
	$(PIP) install $(TORCH) $(PIP_OPTIONS)
	@echo $(patsubst %,'%',$(PIP_ARGS)) > $(REMEMBERED)
	@{ grep -v '^torch==' constraints.txt; $(BIN)/python -c "$(INSTALLED_TORCH)"; } > $(VENV)/constraints.txt
	@touch $@

# An index that holds only torch does not have the rest: then pip's own index does.
WITH_TOOLS := -e '.[test]'
# CANNERY_COMPILED=0: an editable install compiles nothing, and then needs no tools to compile with.
INSTALL = CANNERY_COMPILED=0 $(PIP) install -c $(VENV)/constraints.txt
define install
	$(INSTALL) $(PIP_OPTIONS) $(1) $(if $(PIP_OPTIONS),|| $(INSTALL) $(1))
endef

$(VENV)/.package: $(VENV)/.torch pyproject.toml
	$(call install,-e .)
	@touch $@

$(VENV)/.tools: $(VENV)/.package
	$(call install,$(WITH_TOOLS))
	@touch $@
