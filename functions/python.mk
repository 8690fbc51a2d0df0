# The tool-chain of a function in Python, and of the Python probe. requirements.txt, as AWS SAM calls it, is what is deployed
# with a function; a Makefile that includes this may give the lock another name in LOCKED, and name in IN_THE_RUNTIME the
# packages that the runtime has already.
PYTHON ?= python3
LOCKED ?= requirements.txt
VENV := .venv
BIN := $(VENV)/bin

.PHONY: test lint format lock clean

test: $(VENV)/.ready
	$(BIN)/python -m pytest -q

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/.ready: requirements-dev.lock
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	if command -v uv >/dev/null; \
	then uv pip install --quiet --python $(BIN)/python --compile-bytecode --require-hashes -r $<; \
	else $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<; fi
	touch $@

# Needs uv. The dev lock holds the same versions as the lock, and the tools.
LOCK := uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-annotate \
	--custom-compile-command "make lock" pyproject.toml
lock:
	$(LOCK) $(addprefix --no-emit-package ,$(IN_THE_RUNTIME)) -o $(LOCKED)
	$(LOCK) --group dev -c $(LOCKED) -o requirements-dev.lock

clean:
	rm -rf $(VENV) .hypothesis .mypy_cache .pytest_cache .ruff_cache
