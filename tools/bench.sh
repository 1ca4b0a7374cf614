#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Speed and memory as a table: make bench. Arguments go to Google Benchmark, for instance
# --benchmark_filter=Replay.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build/release}
[ -d "$build" ] || cmake --preset release --log-level=WARNING
cmake --build "$build" --target refract_bench >/dev/null
echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2- | sed 's/^ *//'), load $(cut -d' ' -f1 /proc/loadavg)"
exec "$build/tools/bench/refract_bench" --benchmark_color=false "$@"
