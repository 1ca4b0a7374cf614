#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the fuzz targets of examples/mutator with feedback: libFuzzer, with Refract as its mutator (docs/mutator.md), on
# the optimiser of SPIRV-Tools and on SPIRV-Cross. The sources of both are those of Debian, built by clang with
# coverage in build/fuzzers, which takes minutes the first time.
#
#   tools/fuzzers.sh [BUILD [TIME [TARGET.cpp]]]
#
# BUILD: the build folder with librefract.so (default: build/dev). TIME: how long each fuzzer runs, such as 60s; without
# this argument it is $TIME, or 60s. TARGET.cpp: only this fuzz target, which needs no library but librefract. Paths are
# relative to the repository. Fails if a fuzzer does not run, or covers nothing new. What fails in the code under test
# stays in build/fuzzers/NAME.failures. MIRROR=URL selects a mirror of Debian, OUT=DIR a folder in place of
# build/fuzzers.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
script=fuzzers
out=${OUT:-$PWD/build/fuzzers}
apt=$out/apt
. tools/apt_folder.sh

library=$(cd "${1:-build/dev}" && pwd)
time=${2:-${TIME:-60s}}
seconds=${time%s}
# libFuzzer takes 0 as no limit.
case $seconds in '' | 0* | *[!0-9]*) fail "TIME=$time is not a time in seconds, such as 60s" ;; esac
mirror=
[ -e "$library/librefract.so" ] || fail "$library has no librefract.so" "Build it: make dev"
for program in apt-get clang clang++ cmake ninja glslangValidator; do
  command -v $program > /dev/null || fail "there is no program $program" "Run: make setup-tests"
done
mkdir -p "$out"
exec 9> "$out/lock"
flock -n 9 || fail "another call runs in $out now" "Wait until it has ended."

# The upstream source of the Debian package $1, in $out/$1.
fetch_source() {
  [ ! -e "$out/$1" ] || return 0
  if [ -z "${mirror:-}" ]; then
    configure_apt deb-src "$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")"
    update_lists
  fi
  rm -rf "$out/$1.new"
  mkdir "$out/$1.new"
  (cd "$out/$1.new" && apt-get source -qq --download-only "$1" > ../$1.log 2>&1 &&
    tar -x --strip-components=1 -f ./*.orig.tar.* && rm ./*.orig.tar.*) ||
    fail "the source of $1 cannot be downloaded from $mirror:" "$(tail -n 2 "$out/$1.log")"
  mv "$out/$1.new" "$out/$1"
}

# build NAME SOURCE TARGET OPTIONS...: compiles it with coverage in $out/NAME.
build() {
  folder=$out/$1
  [ ! -e "$folder/built" ] || return 0
  say "builds $2, which takes a few minutes"
  target=$3
  source=$out/$2
  shift 3
  (cmake -S "$source" -B "$folder" -G Ninja -D CMAKE_C_COMPILER=clang -D CMAKE_CXX_COMPILER=clang++ \
    -D CMAKE_BUILD_TYPE=None -D CMAKE_CXX_FLAGS="-O1 -w -fsanitize=fuzzer-no-link" "$@" &&
    cmake --build "$folder" --target "$target") > "$folder.log" 2>&1 ||
    fail "$source cannot be built:" "$(tail -n 5 "$folder.log")"
  touch "$folder/built"
}

# The link options of librefract.
refract="-L$library -lrefract -Wl,-rpath,$library"

# edges TARGET FOLDER...: how many edges the files of the folders cover. The number that libFuzzer prints while it forks
# is larger than this.
edges() {
  target=$1
  shift
  "$target" -runs=0 -max_len=1000000 "$@" 2>&1 | sed -n 's/.*INITED cov: \([0-9]*\).*/\1/p'
}

# fuzz FILE.cpp OPTIONS...: links the target in the file and runs libFuzzer.
fuzz() {
  source=$1
  what=$(basename "$1" .cpp)
  what=${what%_fuzzer}
  target=$out/${what}_fuzzer
  failures=$out/$what.failures
  found=$out/$what.found
  log=$out/$what.run.log
  shift
  clang++ -std=c++17 -O1 -fsanitize=fuzzer -Iinclude "$source" "$out/mutator.o" "$@" $refract -o "$target"
  rm -rf "$failures" "$found"
  mkdir "$failures" "$found"
  covered=$(edges "$target" "$out/seeds")
  # A failure is what a fuzzer is for, so libFuzzer goes on.
  "$target" -fork=1 -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 -seed=1 -max_total_time="$seconds" \
    -timeout=20 -max_len=1000000 -artifact_prefix="$failures/" "$found" "$out/seeds" > "$log" 2>&1 || true
  runs=$(sed -n 's/^#\([0-9]*\): cov: .*/\1/p' "$log" | tail -n 1)
  now=$(edges "$target" "$out/seeds" "$found")
  [ "${now:-0}" -gt "${covered:-0}" ] || fail "libFuzzer on $what covers nothing new:" "$(tail -n 5 "$log")"
  say "libFuzzer on $what: $runs runs in $seconds s; $now edges, $covered of them by the seeds;" \
    "$(find "$failures" -type f | wc -l) failures"
}

rm -rf "$out/seeds"
mkdir "$out/seeds"
tests/abi/write_seeds.sh "$out/seeds"
clang -O1 -Iinclude -c examples/mutator/libfuzzer_mutator.c -o "$out/mutator.o"
if [ -n "${3:-}" ]; then
  fuzz "$3"
  exit
fi
fetch_source spirv-tools
fetch_source spirv-cross
build opt spirv-tools SPIRV-Tools-opt -D SPIRV-Headers_SOURCE_DIR=/usr -D SPIRV_SKIP_TESTS=ON \
  -D SPIRV_SKIP_EXECUTABLES=ON -D SPIRV_WERROR=OFF
build cross spirv-cross install -D SPIRV_CROSS_ENABLE_TESTS=OFF -D SPIRV_CROSS_CLI=OFF \
  -D CMAKE_INSTALL_PREFIX="$out/cross/installed"
fuzz examples/mutator/spirv_opt_fuzzer.cpp "-I$out/spirv-tools/include" "$out/opt/source/opt/libSPIRV-Tools-opt.a" \
  "$out/opt/source/libSPIRV-Tools.a"
installed=$out/cross/installed
fuzz examples/mutator/spirv_cross_fuzzer.cpp "-I$installed/include" "-L$installed/lib" -lspirv-cross-c -lspirv-cross-glsl -lspirv-cross-hlsl \
  -lspirv-cross-msl -lspirv-cross-cpp -lspirv-cross-reflect -lspirv-cross-util -lspirv-cross-core
