#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# AFL++ with Refract as its mutator finds the planted bug of examples/mutator/planted_target.cpp. The file of the crash
# has its recording, so it can be replayed and reduced.
#
#   afl_test.sh REFRACT LIBRARY_FOLDER
set -eu
refract=$1 library=$2 seconds=60
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir seeds
"$source/tests/abi/write_seeds.sh" seeds
linked="-L$library -lrefract -Wl,-rpath,$library"
cc -O1 -shared -fPIC -I "$source/include" "$source/examples/mutator/afl_mutator.c" $linked -o mutator.so
AFL_QUIET=1 afl-clang-fast++ -std=c++17 -O1 -fsanitize=fuzzer -I "$source/include" \
  "$source/examples/mutator/planted_target.cpp" $linked -o target > build.log 2>&1 || { cat build.log; exit 1; }
# AFL++ wants an idle machine for speed, and core dumps in files; neither is needed here.
export AFL_NO_UI=1 AFL_NO_AFFINITY=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
AFL_CUSTOM_MUTATOR_LIBRARY=$PWD/mutator.so AFL_CUSTOM_MUTATOR_ONLY=1 AFL_DISABLE_TRIM=1 AFL_BENCH_UNTIL_CRASH=1 \
  afl-fuzz -s 1 -G 1000000 -V "$seconds" -i seeds -o out -- ./target > afl.log 2>&1 || true
crash=$(find out/default/crashes -name 'id*' 2> /dev/null | head -n 1)
if [ -z "$crash" ]; then
  echo "AFL++ did not find the planted bug in $seconds s:"
  tail -n 5 afl.log
  exit 1
fi
echo "AFL++ finds the planted bug after $(sed -n 's/^execs_done *: *//p' out/default/fuzzer_stats) runs"
cp "$crash" crash
"$refract" replay crash crash -o variant.spv --strict --quiet
printf '#!/bin/sh\n! "%s/target" "$1" > /dev/null 2>&1\n' "$PWD" > crashes.sh
chmod +x crashes.sh
"$refract" reduce crash crash -o bug.spv --quiet -- ./crashes.sh
./crashes.sh bug.spv
