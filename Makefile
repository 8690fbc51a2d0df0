# Everything here sets itself up; what is already in place is not done again. `make help` lists the targets.

SHELL := /bin/bash
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

BIN := .venv/bin
PROBES ?= $(patsubst probes/%/Makefile,%,$(wildcard probes/*/Makefile))
FUNCTIONS ?= $(patsubst functions/%/Makefile,%,$(wildcard functions/*/*/Makefile))
# Those of the experiments that `make test` sets up, and the others.
LIGHT_FUNCTIONS := $(filter hmac_%,$(FUNCTIONS))
OTHER_FUNCTIONS := $(filter-out hmac_%,$(FUNCTIONS))
CLIENTS ?= $(patsubst clients/%/Makefile,%,$(wildcard clients/*/Makefile))

# Where it is set (containers like it) each of the hundreds of processes that the tests and a run start would
# compile sectax anew.
unexport PYTHONDONTWRITEBYTECODE

# uv trusts the system's certificates (a company's proxy may have put its own there) only when asked to.
ifneq ($(wildcard /etc/ssl/certs/ca-certificates.crt),)
export UV_SYSTEM_CERTS ?= 1
endif

# Go that `sectax setup hmac` has fetched, where Go on PATH is missing or older than the functions want.
go := $$($(BIN)/python -m sectax.parts.go functions/*/go/go.mod clients/*/go.mod 2>/dev/null || true)

# $(call pytest,MARKERS,OPTIONS): the tests with these markers, on every processor. WORKERS=0 runs them one by one. Many
# tests wait for what they started, so there are two workers for a processor.
WORKERS ?= $(shell echo $$((2 * $$(nproc))))
define pytest
	@echo "==> pytest $(if $(1),-m '$(1)')"
	@go="$(go)"; PATH="$${go:+$$go:}$$PATH" \
		$(BIN)/python -m pytest -m "$(1)" -n $(WORKERS) --maxprocesses 8 --dist worksteal $(2) $(ARGS)
endef

# $(call probes,TARGET): the same target in every probe's own Makefile, with the locked tools found first.
define probes
	@set -e; for probe in $(PROBES); do \
		echo "==> probes/$$probe: $(1)"; \
		PATH="$(CURDIR)/$(BIN):$$PATH" $(MAKE) -C probes/$$probe $(1); \
	done
endef

# $(call functions,TARGET,FUNCTIONS): the same for Lambda functions (all of them), each in each of its languages.
define functions
	@set -e; go="$(go)"; \
	for function in $(or $(2),$(FUNCTIONS)); do \
		echo "==> functions/$$function: $(1)"; \
		PATH="$(CURDIR)/$(BIN):$${go:+$$go:}$$PATH" $(MAKE) -C functions/$$function $(1); \
	done
endef

# $(call clients,TARGET): the same for the S3 clients that are not Python.
define clients
	@set -e; go="$(go)"; \
	for client in $(CLIENTS); do \
		echo "==> clients/$$client: $(1)"; \
		PATH="$(CURDIR)/$(BIN):$${go:+$$go:}$$PATH" $(MAKE) -C clients/$$client $(1); \
	done
endef

# What tests set up by themselves. The servers of other experiments take minutes to build (`sectax setup s3`): their tests
# run where they are built, and are named as skipped elsewhere.
LIGHT := command function hmac honesty jwt

.PHONY: help demo setup dev probes test test-more test-full lint format bench studies docs lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: setup ## measure what signatures cost in PHP and Python, and write a report
	@scripts/demo

setup: ## .venv with what sectax needs to run
	@scripts/bootstrap run

dev: ## .venv with the tools for tests, lint and benchmarks too
	@scripts/bootstrap dev

probes: dev ## what most experiments need: probes, functions, their tool-chains
	@echo "==> sectax setup $(LIGHT)"
	@$(BIN)/sectax setup $(LIGHT)

test: probes ## the tests: sectax's, then each probe's and function's own
	$(call pytest,not more and not full)
	$(call probes,test)
	$(call functions,test,$(LIGHT_FUNCTIONS))

test-more: probes ## what `make test` leaves out for its time: real runs, kills, more examples
	$(call pytest,(more or hypothesis) and not full,--hypothesis-profile=more)
	$(call functions,test,$(OTHER_FUNCTIONS))
	$(call clients,test)

test-full: probes ## all tests, with the long forms (every simulation, hundreds of kills)
	$(call pytest,,--hypothesis-profile=more)
	$(call probes,test)
	$(call functions,test)
	$(call clients,test)

lint: probes ## style, types and floors; then each probe's and function's own linters
	@echo "==> ruff check"
	@$(BIN)/ruff check .
	@echo "==> ruff format"
	@$(BIN)/ruff format --check .
	@echo "==> mypy"
	@$(BIN)/mypy
	@echo "==> import-linter"
	@$(BIN)/lint-imports
	$(call probes,lint)
	$(call functions,lint)
	$(call clients,lint)

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
	@for probe in $(PROBES); do \
		if $(MAKE) -C probes/$$probe -n clean >/dev/null 2>&1; then $(MAKE) -C probes/$$probe clean; fi; \
	done
	$(call functions,clean)
