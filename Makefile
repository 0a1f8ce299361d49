# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# Every target works in a fresh clone. `make help` lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

VENV := $(CURDIR)/.venv
PYTHON := $(VENV)/bin/python
export PATH := $(VENV)/bin:$(PATH)
export PYTHONNOUSERSITE := 1
JOBS ?= $(shell nproc)
ASAN := build-asan

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

.PHONY: setup
setup: ## system packages (as root) and the virtual environment .venv
	@scripts/setup.sh

.PHONY: base
base:
	@scripts/setup.sh base

.PHONY: build
build: setup ## configure and compile everything into build/
	@scripts/build.sh cpu -j$(JOBS)
	@scripts/link_environment.sh build

.PHONY: product
product: base ## compile what users get, without tests
	@scripts/build.sh cpu -j$(JOBS) kiln_product
	@scripts/link_environment.sh build

.PHONY: test
test: build ## lint and all tests, with their counts
	@scripts/setup.sh docs
	@scripts/test.sh

.PHONY: lint
lint: setup ## formatters in check mode, linters, layering, licence headers
	@scripts/lint.sh

.PHONY: format
format: setup ## rewrite sources in the project's format
	@scripts/format.sh

.PHONY: site
site: base ## the documentation in build/site: open index.html, also from disk
	@scripts/setup.sh docs
	@$(PYTHON) scripts/site/build.py

.PHONY: demo
demo: base ## the main job on real data: plugins of every style classify digits
	@scripts/setup.sh frameworks & frameworks=$$!; result=0; \
	    $(MAKE) --no-print-directory product || result=$$?; wait $$frameworks && exit $$result
	@$(PYTHON) examples/circ_pad/demo.py

.PHONY: sanitize
sanitize: setup ## C++ tests and Python plugin tests under address and undefined sanitizers
	@scripts/build.sh asan -j$(JOBS)
	@scripts/sanitize.sh $(ASAN)

.PHONY: wheel
wheel: base ## dist/*.whl for the environment's Python: Kiln, and the drop-in module tensorrt
	@$(PYTHON) scripts/wheels --no-trial $(PYTHON)

.PHONY: wheels
wheels: base ## the same for every CPython from 3.10 to 3.13 found here, each installed and tried
	@$(PYTHON) scripts/wheels

.PHONY: test-install
test-install: build wheel ## the wheel in an empty environment, examples against an installed prefix
	@tests/install/run.sh build dist

.PHONY: bench
bench: build ## the benchmarks, each against its rival in one run
	@scripts/bench.sh

.PHONY: clean
clean: ## remove what was built, keep .venv
	@rm -rf build build-asan build-debug build-tsan build-wheel build-wheel-tools dist
