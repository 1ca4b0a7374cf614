#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files of the mutator as arguments of `refract replay` and `refract reduce`. With CLANG and
# LIBRARY_FOLDER also the examples: the functions of AFL++'s mutator, and libFuzzer, which finds the planted bug with
# Refract as its mutator, after which Refract reduces it.
#
#   mutated_file_test.sh REFRACT API_TEST [CLANG LIBRARY_FOLDER]
set -eu
refract=$1 api_test=$2 clang=${3:-} library=${4:-}
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$api_test" original.spv mutated
"$refract" replay mutated mutated -o variant.spv --strict
size=$(stat -c %s variant.spv)
head -c "$size" mutated | cmp - variant.spv
# The original and the recording are also found separately.
"$refract" replay original.spv mutated -o again.spv
cmp again.spv variant.spv
printf '#!/bin/sh\nspirv-dis "$1" | grep -q OpPhi\n' > has_phi.sh
chmod +x has_phi.sh
"$refract" reduce mutated mutated -o small.spv -- ./has_phi.sh
./has_phi.sh small.spv
[ "$(stat -c %s small.spv)" -lt "$size" ]
# A damaged file is refused.
head -c 300 mutated > damaged
if "$refract" replay damaged damaged -o none.spv 2> error; then exit 1; fi
grep -q damaged error

[ -n "$clang" ] || exit 0
"$clang" -x c -I "$source/include" -I "$source/tests/abi" "$source/examples/mutator/afl_mutator.c" \
  "$source/tests/abi/afl_test.c" -L "$library" -lrefract -Wl,-rpath,"$library" -o afl_test
./afl_test

mkdir seeds found
cp original.spv seeds/
"$clang" -x c -I "$source/include" -c "$source/examples/mutator/libfuzzer_mutator.c" -o mutator.o
"$clang" -std=c++17 -O1 -fsanitize=fuzzer -I "$source/include" "$source/examples/mutator/planted_target.cpp" \
  mutator.o -L "$library" -lrefract -Wl,-rpath,"$library" -o target
status=0
REFRACT_MAX_STEPS=4 ./target -seed=1 -runs=100000 -max_len=1000000 -artifact_prefix=found/ seeds > log 2>&1 || status=$?
crash=$(find found -name 'crash-*')
if [ $status = 0 ] || [ -z "$crash" ]; then
  echo "libFuzzer did not find the planted bug:"
  tail -5 log
  exit 1
fi
printf '#!/bin/sh\n! ./target "$1" > /dev/null 2>&1\n' > crashes.sh
sed -i "s|./target|$work/target|" crashes.sh
chmod +x crashes.sh
"$refract" reduce "$crash" "$crash" -o bug.spv -- ./crashes.sh
./crashes.sh bug.spv
