#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/fuzzers.sh, the command of `make fuzzers`, on fuzz targets that are compiled in a second: it accepts one that the
# mutator covers more of, and fails on one whose code is the same for all modules.
#
#   fuzzers_test.sh LIBRARY_FOLDER
set -eu
library=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OUT="$work/out"
"$source/tools/fuzzers.sh" "$library" 2s "$source/examples/mutator/planted_target.cpp"

cat > "$work/same.cpp" << 'END'
#include <cstddef>
#include <cstdint>
extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) { return 0; }
END
if "$source/tools/fuzzers.sh" "$library" 2s "$work/same.cpp" > "$work/log" 2>&1; then
  echo "a target of which nothing new is covered is accepted:"
  cat "$work/log"
  exit 1
fi
grep -q 'covers nothing new' "$work/log" || { cat "$work/log"; exit 1; }
