#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs Refract on shaders that were not made for it, and counts the faults: tools/foreign.sh --state DIR
# [OPTIONS] FOLDER...; --help lists the options. It needs the executable (build/release/refract, or $REFRACT)
# and Python 3, but no compiler.
here=$(dirname "$0")/..
exec python3 "$here/tests/foreign/foreign.py" --refract "${REFRACT:-$here/build/release/refract}" "$@"
