# "make" lists the targets. Required are only Debian, make, and either Bun or Node with npm.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory

BUN_VERSION := $(shell sed -n 's/.*"packageManager": "bun@\([^"]*\)".*/\1/p' package.json)
BUN := .toolchain/bun-$(BUN_VERSION)
NODE_MODULES := node_modules/.stamp
WEB_SOURCES := $(shell find web daemon/contract lingui.config.ts -type f -not -path 'web/dist/*' 2>/dev/null)
TSX := bun --bun x
NATIVE := native/confine native/rtmp native/srt native/udp
ENGINE ?= docker
ARCH ?= $(shell dpkg --print-architecture)

export PATH := $(CURDIR)/.toolchain/bin:$(PATH)

.PHONY: help
help: ## List the targets
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r name text; do \
	  printf '  make %-15s %s\n' "$$name" "$$text"; done

.PHONY: run
run: build ## Build, then run the hub in the foreground; its data is in ./var
	@exec bun daemon/main.ts hub

.PHONY: demo
demo: build ## The same with test streams on air; its data is in ./var/demo
	@exec bun tests/sim/demo.ts

.PHONY: build
build: packages-run $(NODE_MODULES) ## Build the endpoints and the console
	@$(MAKE) -s -j2 --output-sync=target native $(if $(wildcard web/index.html),web/dist/index.html)

.PHONY: dist
dist: build packages-dist ## Make build/dist/$(ARCH): a program that runs without Bun and Node; ARCH=arm64 for another machine
	@system/dev/dist.sh $(ARCH)

.PHONY: service
service: build ## Install the program and start it as a service: of the system as root, otherwise of the user
	@system/dev/dist.sh $(ARCH)
	@build/dist/$(ARCH)/install.sh

.PHONY: service-remove
service-remove: ## Stop and remove that service; its data stays
	@system/install.sh --remove

.PHONY: install
install: build ## Make this machine an appliance, as root; or with DESTDIR=FOLDER, only copy the files for a package
	@system/dev/dist.sh $(ARCH)
	@DESTDIR="$(DESTDIR)" build/dist/$(ARCH)/install.sh --appliance

.PHONY: uninstall
uninstall: ## Stop and remove that appliance; its data stays
	@DESTDIR="$(DESTDIR)" system/install.sh --remove

.PHONY: image
image: ## Make the container image signalbox, with ENGINE=docker, podman or buildah
	@$(ENGINE) build --tag signalbox --file system/Containerfile .

.PHONY: test
test: build packages-test $(if $(filter guest,$(SUITES)),packages-test-guest) native-asan ## Run all tests; SUITES="unit web" or SUITES=quick selects some
	@bun tests/run.ts $(SUITES)

.PHONY: test-repeat
test-repeat: build packages-test native-asan ## Run one test file N=20 times next to LOAD=1 busy cores: FILE=tests/integration/hls.test.ts
	@bun tests/repeat.ts --load=$(or $(LOAD),1) $(FILE) $(or $(N),20)

.PHONY: test-systemd
test-systemd: dist packages-test-systemd ## Run the installed services under a real systemd in a bare Debian; needs root
	@tests/systemd/base.sh
	@bun test ./tests/systemd

.PHONY: test-image
test-image: $(NODE_MODULES) packages-test-image ## Build the container image with buildah and run the hub in it; needs root
	@tests/image/base.sh
	@bun test ./tests/image

.PHONY: test-durations
test-durations: $(NODE_MODULES) ## Save the durations of the last full run; later runs start with the longest tests
	@bun tests/runner/save-durations.ts

.PHONY: check
check: $(NODE_MODULES) ## Run the fast checks: format, lint, types, translations, import direction
	@$(MAKE) -j2 -k --output-sync=target check-style check-types check-rules

.PHONY: bench
bench: build packages-bench ## Compare with nginx-rtmp, srt-live-transmit and FFmpeg; results in tests/bench/results
	@bun tests/bench/bench.ts $(ARGS)

.PHONY: soak
soak: build packages-bench ## Connect and disconnect players, publishers and channels for an hour (ARGS=--minutes=5): no resource may grow
	@bun tests/bench/soak.ts $(ARGS)

.PHONY: fuzz-live
fuzz-live: build packages-test ## Send mutated input to every port of a running hub, and print the gaps of healthy streams; MINUTES=2
	@SEED="$(SEED)" MINUTES="$(MINUTES)" bun tests/fuzz/live.ts

.PHONY: fuzz
fuzz: $(NODE_MODULES) native-asan ## Feed mutated inputs to every parser for MINUTES=5; TARGET=rtmp SEED=1 AT=7 reproduces a failure
	@TARGET="$(TARGET)" SEED="$(SEED)" AT="$(AT)" MINUTES="$(MINUTES)" bun tests/fuzz/fuzz.ts

.PHONY: sbom
sbom: $(NODE_MODULES) ## Write the software bill of materials (CycloneDX) to build/sbom.json
	@bun system/dev/sbom.ts

.PHONY: openapi
openapi: $(NODE_MODULES) ## Write docs/openapi.json, the API description, from the contract
	@bun tests/openapi/write.ts

.PHONY: openapi-examples
openapi-examples: build ## The same with newly recorded examples
	@RECORD_EXAMPLES=1 bun test ./tests/integration/openapi-examples.test.ts
	@$(MAKE) openapi

.PHONY: format
format: $(NODE_MODULES) ## Format the sources
	@$(TSX) biome check --write .

.PHONY: clean
clean: ## Remove build output; data in ./var, packages and tools stay
	@rm -rf build web/dist test-results playwright-report
	@for part in $(NATIVE); do $(MAKE) -C $$part clean; done

# The targets below are steps of the ones above.

.PHONY: native
native: $(NATIVE)

.PHONY: native-asan
native-asan:
	@for part in $(NATIVE); do $(MAKE) -s -j2 -C $$part asan; done

.PHONY: $(NATIVE)
$(NATIVE):
	@$(MAKE) -s -C $@

web/dist/index.html: $(WEB_SOURCES) $(NODE_MODULES)
	@echo 'Building the console'
	@bun --bun vite build web --logLevel warn
	@touch $@

.PHONY: check-style
check-style:
	@$(TSX) biome ci --error-on-warnings .

.PHONY: check-types
check-types:
	@$(TSX) tsc --noEmit -p .

.PHONY: check-rules
check-rules:
	@bun test ./tests/check

.PHONY: packages-run packages-dist packages-test packages-test-systemd packages-test-image packages-test-guest packages-bench
packages-run packages-dist packages-test packages-test-systemd packages-test-image packages-test-guest packages-bench: packages-%:
	@system/dev/debian-packages.sh $*

$(BUN):
	@system/dev/bun.sh $(BUN_VERSION)

$(NODE_MODULES): bun.lock package.json bunfig.toml | $(BUN)
	@echo 'Installing the packages of bun.lock'
	@output=$$(bun install --frozen-lockfile 2>&1) || { echo "$$output" >&2; exit 1; }
	@touch $@
