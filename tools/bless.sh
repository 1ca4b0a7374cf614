#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Updates the expected outputs of tests: fixtures, command-line tests, signatures of logs, goldens of
# references. It never accepts a failed oracle. Shows the changes: read them.
set -e
cd "$(dirname "$0")/.."
build/dev/tests/fixture_tests --bless || true
BLESS=1 build/dev/tests/signature_tests >/dev/null || true
if [ -f tests/cli/run.py ]; then
  python3 tests/cli/run.py --refract build/dev/refract --bless || true
fi
build/dev/tests/corpus --bless --faults 0 --targets none >/dev/null || true
git diff --stat -- tests references/goldens
