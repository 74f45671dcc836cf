# Everything a person needs: `make demo` and `make test` set themselves up on a fresh machine.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
SANITIZERS ?= address,undefined
BUILT  := $(VENV)/.built
READY  := $(VENV)/.ready
NATIVE := $(wildcard src/unconfuse/_kernels/*.cpp src/unconfuse/_kernels/*.hpp src/unconfuse/_kernels/CMakeLists.txt)

.PHONY: demo test test-fast check check-scripts attack sbom sdist paper lock bench bench-long coverage sanitize docs gallery pictures wheel clean

# What the package itself needs is enough for the demo; the suite needs more (Spark, browsers, data-frame libraries).
$(BUILT): pyproject.toml CMakeLists.txt $(NATIVE)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "unconfuse needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Set PYTHON=python3.11."; exit 1; }
	@command -v c++ >/dev/null || { echo "unconfuse needs a C++ compiler (c++). On Debian: apt-get install g++"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV) (once; less than a minute)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(READY): $(BUILT)
	@echo "adding what the tests need to $(VENV) (once; a minute or two)"
	@$(BIN)/python -m pip install --quiet --upgrade pip
	@$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

demo: $(BUILT)   ## the main job on the example data, and its page in demo.html
	@$(BIN)/unconfuse demo --html demo.html

# More processes than cores: much of the time is waiting for Spark, browsers and servers.
PROCESSES ?= 3
PYTEST := $(BIN)/python -m pytest -n $(PROCESSES) --dist loadfile --no-loadscope-reorder

test: $(READY)   ## the whole test suite
	@sh tests/install_tools.sh
	$(PYTEST)

test-fast: $(READY)  ## units and laws, without Spark, databases, browsers, servers, frozen results and attacks
	$(PYTEST) tests/unit tests/laws -m "not (spark or postgresql or browser or server or frozen or attack)"

check: $(READY)  ## formatting, lint, types, who may import whom, and the page's scripts
	$(BIN)/ruff format --check src tests benchmarks docs examples
	$(BIN)/clang-format --dry-run --Werror $(filter %.cpp %.hpp,$(NATIVE))
	$(BIN)/ruff check src tests benchmarks docs examples
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	@$(MAKE) --no-print-directory check-scripts

check-scripts:  ## formatting and types of the page's scripts (needs npm)
	@sh tests/check_scripts.sh

bench: $(READY)  ## speed: what people wait for, peers, Spark and growth, written into docs/benchmarks.md; ten minutes
	@$(BIN)/python -m pip install --quiet --editable '.[bench]' || echo "peers that could not be installed are left out"
	@$(BIN)/python benchmarks/page.py --write

bench-long: $(READY)  ## after `make bench`, on the same page: the sweep of every result, 1e8 rows, Spark's soak; an hour
	@$(BIN)/python benchmarks/page.py --long --write

coverage: $(READY)  ## how often the intervals hold the truth, by simulation
	$(BIN)/python tests/coverage/run.py

MINUTES ?= 60
SEED    ?= 1
attack: $(READY)  ## hostile inputs of every kind for MINUTES, counted in docs/trust.md
	@sh tests/install_tools.sh
	$(BIN)/python tests/attack/run.py --minutes $(MINUTES) --seed $(SEED) --write

sbom: $(READY)  ## what the package is made of, as CycloneDX JSON
	@$(BIN)/python tests/supply_chain.py --sbom build/sbom.json

sdist:  ## the source distribution in dist/, built twice: both must be the same file
	@$(PYTHON) tests/sdist.py

paper: $(READY)  ## the figure of docs/paper anew
	@$(BIN)/python docs/paper/figures.py

lock:  ## the packages of continuous integration anew, with their hashes (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --extra dev --extra docs --no-annotate \
	  --no-header --no-emit-index-url --upgrade pyproject.toml --output-file tests/ci.lock

sanitize: $(READY)  ## the kernels' tests and the attack on them under sanitizers: SANITIZERS=thread for data races
	@$(BIN)/python -m pip install --quiet scikit-build-core nanobind cmake ninja
	sh tests/kernels/sanitize.sh $(BIN)/python $(SANITIZERS)

docs: $(READY)   ## the documentation as HTML
	@$(BIN)/python -m pip install --quiet --editable '.[docs]'
	$(BIN)/python -m sphinx -W -q -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

gallery: $(READY)  ## the photographs of docs/gallery.md anew (needs chromium)
	UNCONFUSE_GALLERY=docs/gallery $(BIN)/python -m pytest tests/surfaces/test_gallery.py
	UNCONFUSE_SERVE_PICTURES=docs/serve $(BIN)/python -m pytest tests/surfaces/test_serve_browser.py

pictures: $(READY)  ## the README's picture of the page anew (needs chromium)
	$(BIN)/python docs/demo_picture.py

wheel:  ## wheels in dist/, repaired, checked, and tested without a compiler on each Python from 3.11 on that is found
	$(PYTHON) tests/wheels.py

clean:
	rm -rf $(VENV) build dist docs/_build docs/generated demo.html
