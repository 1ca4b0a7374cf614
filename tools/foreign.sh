#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs refract over the shaders in folders that it was not made with, and counts what goes wrong:
# tools/foreign.sh --state DIR [OPTIONS] FOLDER...; --help has the options. It needs the executable
# (build/release/refract, or $REFRACT) and Python 3, no compiler.
here=$(dirname "$0")/..
exec python3 "$here/tests/foreign/foreign.py" --refract "${REFRACT:-$here/build/release/refract}" "$@"
