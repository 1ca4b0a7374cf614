# SPDX-License-Identifier: Apache-2.0
# A target for each task. All but fmt and lint-ci first install what they need; nothing happens if nothing is missing.
.PHONY: all setup setup-tests dev release installable install uninstall deb tarball packages distribution test fuzzers soak experiment demo bless \
        freeze fmt lint lint-ci asan tsan bench docs current check
.NOTPARALLEL:

all: release              # the executable: build/release/refract

setup:                    # for the build and the demo: installs what is missing (tools/packages.txt), and says so first
	@tools/setup.sh

setup-tests:              # for tests and other work on Refract: tools/packages-tests.txt as well
	@tools/setup.sh tests

dev: setup-tests          # builds everything in build/dev
	@cmake --preset $@ --log-level=WARNING $(if $(REFRACT_GROUPS),-D REFRACT_GROUPS=$(REFRACT_GROUPS))
	@cmake --build --preset $@

# make release PROGRAMS="refract planted_opt" builds these in build/release.
release: setup
	@cmake --preset $@ --log-level=WARNING
	@cmake --build --preset $@ --target $(or $(PROGRAMS),refract)

installable: release      # what an installation has in addition to the executable
	@cmake --build --preset release --target refract_shared refract_static pages

install: installable      # make install PREFIX=/usr/local: executable, man pages, completions, library, headers
	@cmake --install build/release --prefix $(or $(PREFIX),/usr/local)

uninstall:                # removes what `make install` wrote last
	@cmake -D BUILD=build/release -P cmake/uninstall.cmake

# build/packages: Debian packages; the release tarball with its SBOM; all with checksums. BUILD=build/dev takes
# what is in another build folder.
deb tarball: $(if $(BUILD),,installable)
	@packaging/$@.sh $(or $(BUILD),build/release)

packages: $(if $(BUILD),,installable)
	@rm -rf build/packages
	@packaging/tarball.sh $(or $(BUILD),build/release)
	@packaging/deb.sh $(or $(BUILD),build/release)
	@cd build/packages && sha256sum -- * > SHA256SUMS && cat SHA256SUMS

# All of a release but the tag and the upload (CONTRIBUTING.md): freezes recordings, then makes man pages, libraries and
# packages of what is committed.
distribution: freeze
	@packaging/ready.sh
	@$(MAKE) --no-print-directory packages

# Every test. As CI does: REFRACT_GROUPS=ON compiles several files as one, and BUT=modules leaves out what
# `make asan OF=modules` runs.
test: dev
	@ctest --test-dir build/dev --output-on-failure -j2 $(addprefix --label-exclude ,$(BUT))

# Built by clang: tests under the address and undefined-behaviour sanitisers. OF=modules: only those of what reads,
# checks and changes modules, as CI does; half of the time.
asan: setup-tests
	@cmake --preset $@ --log-level=WARNING
	@cmake --build --preset $@ $(addprefix --target ,$(OF))
	@ctest --test-dir build/asan --output-on-failure -j2 $(addprefix --label-regex ,$(OF))

tsan: setup-tests         # tests of code for several threads, under the thread sanitiser
	@cmake --preset $@ --log-level=WARNING
	@cmake --build --preset $@
	@build/tsan/tests/thread_tests --gtest_brief=1

fuzzers: dev              # libFuzzer on SPIRV-Tools and SPIRV-Cross, built with coverage; make fuzzers TIME=60s
	@TIME=$(TIME) tools/fuzzers.sh build/dev

demo: PROGRAMS = refract planted_opt
demo: release             # variants on this machine's drivers, and a campaign of 20 tests
	@tools/demo.sh

soak:                     # make soak OF=first-light [TIME=60m]: a full measurement
	@tools/setup.sh soak
	@$(MAKE) --no-print-directory release
	@TIME=$(TIME) FOREIGN="$(FOREIGN)" tools/soak.sh $(OF)

# make experiment OF=rq1 [PEER=spirv-fuzz] [SHADERS=DIR] [TESTS=30] [TARGETS=A,B]: an evaluation of a paper
# repeated, in build/experiments; also OF=rq2, rq3, scale; docs/experiments says how
experiment: PROGRAMS = refract planted_opt
experiment: release
	@tools/experiments/run.sh $(OF)

current:                  # today's drivers and tools from Debian's packages, in build/current
	@tools/current.sh

bench: setup-tests release  # speed and memory
	@tools/bench.sh

bless: dev                # updates the expected outputs of tests; read the diff
	@tools/bless.sh

freeze: setup-tests       # for a release: from then on, recordings must stay readable
	@cmake --preset dev --log-level=WARNING $(if $(REFRACT_GROUPS),-D REFRACT_GROUPS=$(REFRACT_GROUPS))
	@cmake --build --preset dev --target unit_wire
	@FREEZE=1 build/dev/tests/unit_wire --gtest_brief=1 --gtest_filter=ReleasedFields.Mean*
	@git diff --stat proto/released

docs: dev                 # writes the generated pages
	@tools/docs.sh

fmt:                      # formats files that differ from main, or all: make fmt ALL=1
	@tools/lint.sh fmt $(ALL)

lint: dev                 # formatting, libraries, words, clang-tidy: files that differ from main, or ALL=1
	@tools/lint.sh check $(ALL)

lint-ci:                  # the quick parts of lint, for all files
	@tools/lint.sh ci

check: lint test          # to run before you propose a change
