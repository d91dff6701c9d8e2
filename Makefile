# Everything a newcomer needs: `make demo` shows the main job, `make test` passes the tests. Both set themselves up.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
export UV_COMPILE_BYTECODE = 1

.PHONY: demo test check bench prove lock setup clean

demo: setup ## simulate a crowd under a budget, compare with random assignment, leave a figure
	$(BIN)/python -m labelbandit demo --out demo

test: setup ## run the tests
	$(BIN)/python -m pytest -n auto --dist loadgroup $(ARGS)

check: setup ## lint, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup ## speed, as ratios measured side by side in one run
	$(BIN)/python -m benchmarks.engine
	$(BIN)/python -m benchmarks.optkg
	$(BIN)/python -m benchmarks.server
	$(BIN)/python -m benchmarks.stores

prove: setup ## the acceptance lines themselves, a row each; LINE=2.3 runs one
	$(BIN)/python -m tests.prove $(LINE)

lock: $(BIN)/uv ## resolve the dependencies anew
	$(BIN)/uv export --quiet --all-extras --all-groups --no-emit-project --no-header --format requirements-txt -o requirements.lock
	rm -f uv.lock

setup: $(VENV)/ready

$(BIN)/uv:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet uv

$(VENV)/ready: $(BIN)/uv requirements.lock pyproject.toml
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -e .
	touch $@

clean: ## remove what the other targets made
	rm -rf $(VENV) demo
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
