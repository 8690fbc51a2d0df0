# Everything here sets itself up; what is already in place is not done again. `make help` lists the targets.

SHELL := /bin/bash
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

comma := ,
space := $(subst ,, )
BIN := .venv/bin
PROBES ?= $(patsubst probes/%/Makefile,%,$(wildcard probes/*/Makefile))
FUNCTIONS ?= $(patsubst functions/%/Makefile,%,$(wildcard functions/*/*/Makefile))
CLIENTS ?= $(patsubst clients/%/Makefile,%,$(wildcard clients/*/Makefile))

# Where it is set (containers like it) each of the hundreds of processes that the tests and a run start would
# compile sectax anew.
unexport PYTHONDONTWRITEBYTECODE

# uv trusts the system's certificates (a company's proxy may have put its own there) only when asked to.
ifneq ($(wildcard /etc/ssl/certs/ca-certificates.crt),)
export UV_SYSTEM_CERTS ?= 1
endif

# Go that `sectax setup hmac` has fetched, where Go on PATH is missing or older than the functions want.
go := $$($(BIN)/python -m sectax.parts.go functions/*/go/go.mod clients/*/go.mod probes/go/go.mod 2>/dev/null || true)

# $(call pytest,MARKERS,OPTIONS): the tests with these markers, on every processor. WORKERS=0 runs them one by one. Many
# tests wait for what they started, so there are two workers for a processor.
WORKERS ?= $(shell echo $$((2 * $$(nproc))))
define pytest
	@echo "==> pytest $(if $(1),-m '$(1)')"
	@go="$(go)"; PATH="$${go:+$$go:}$$PATH" \
		$(BIN)/python -m pytest -m "$(1)" -n $(WORKERS) --maxprocesses 8 --dist worksteal $(2) $(ARGS)
endef

# $(call own,TARGET,FOLDERS): the same target in each folder's own Makefile, with the locked tools found first.
define own
	@go="$(go)"; PATH="$(CURDIR)/$(BIN):$${go:+$$go:}$$PATH" scripts/own-tests $(1) $(2)
endef
IN_ALL := $(PROBES:%=probes/%) $(FUNCTIONS:%=functions/%) $(CLIENTS:%=clients/%)
# The Python probe's are in `make test`: it installs no other tool-chain, and no environment for each function.
IN_FIRST := $(filter %/python,$(PROBES:%=probes/%))
IN_OTHERS := $(filter-out $(IN_FIRST),$(IN_ALL))

.PHONY: help demo setup dev probes parts test test-more test-full run-pytest run-own run-own-aside lint format bench studies picture docs lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: setup ## measure what signatures cost in PHP and Python, and write a report
	@scripts/demo

setup: ## .venv with what sectax needs to run
	@scripts/bootstrap run

dev: ## .venv with the tools for tests, lint and benchmarks too
	@scripts/bootstrap dev

probes: dev ## the probes, PHP and Python
	@echo "==> sectax setup command honesty jwt"
	@$(BIN)/sectax setup command honesty jwt || echo "==> going on with what there is" >&2

parts: dev ## what `make test-more` needs: other programs (as root), tool-chains, functions, servers: up to 20 minutes
	@$(BIN)/python -m tests.needs
	@echo "==> sectax setup"
	@$(BIN)/sectax setup $$($(BIN)/python -c 'from sectax.experiments.registry import names; print(*names())') \
		|| echo "==> going on with what there is" >&2
	@$(BIN)/sectax setup jwt --level language=$(subst $(space),$(comma),$(PROBES)) || echo "==> going on with what there is" >&2

# All of it runs, whatever fails: a failure of one is no reason to know nothing of the others.
MARKERS := not more and not full
OWN := $(IN_FIRST)
# The probe's own run beside pytest, for much of them waits; what they print comes after it.
test: dev ## the tests that need Python alone: sectax's, and the Python probe's own
	@$(MAKE) -j2 --keep-going run-pytest run-own-aside; status=$$?; cat .venv/own-tests.log; exit $$status

run-own-aside:
	@$(MAKE) run-own >.venv/own-tests.log 2>&1

test-more: parts ## what `make test` leaves out for its time or its needs: real runs, kills, root, servers
	@$(MAKE) --keep-going run-own run-pytest OWN="$(IN_OTHERS)" \
		MARKERS="(more or hypothesis) and not full" OPTIONS=--hypothesis-profile=more

test-full: parts ## all tests, with the long forms (every simulation, hundreds of kills)
	@$(MAKE) --keep-going run-own run-pytest OWN="$(IN_ALL)" \
		MARKERS= OPTIONS=--hypothesis-profile=full

run-pytest:
	$(call pytest,$(MARKERS),$(OPTIONS))

run-own:
	$(call own,test,$(OWN))

lint: dev ## style, types and floors; then each probe's and function's own linters
	@echo "==> ruff check"
	@$(BIN)/ruff check .
	@echo "==> ruff format"
	@$(BIN)/ruff format --check .
	@echo "==> mypy"
	@$(BIN)/mypy
	@echo "==> import-linter"
	@$(BIN)/lint-imports
	$(call own,lint,$(IN_ALL))

format: dev ## put the Python code into shape, and make docs/commands.md again
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .
	@$(BIN)/python docs/generate_commands.py >.venv/commands.md && mv .venv/commands.md docs/commands.md

bench: probes ## sectax beside its rivals, and its promises in figures
	@if [ -x benchmarks/run ]; then \
		PATH="$(CURDIR)/$(BIN):$$PATH" benchmarks/run $(ARGS); \
	else \
		echo "there is no benchmarks/run in this checkout" >&2; exit 1; \
	fi

picture: setup ## the picture in the README, of a new run of jwt
	@rm -f .venv/first.sectax docs/jwt.svg
	@$(BIN)/sectax run jwt --quick --until budget --budget 2m --out .venv/first.sectax --picture docs/jwt.svg

studies: setup ## the published studies again on this machine, and their pages (ARGS='--quick jwt': a short one)
	@$(BIN)/python scripts/studies.py $(ARGS)

docs: ## the documentation as a site, in build/site
	@scripts/bootstrap docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "site: $(CURDIR)/build/site/index.html"

lock: dev ## write requirements/*.lock anew (UPGRADE=1: newest versions)
	@scripts/lock

clean: ## remove .venv and all caches of this checkout; what was measured (runs/) stays
	rm -rf .venv .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist
	find src tests benchmarks scripts -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
	-@scripts/own-tests clean $(IN_ALL)
