#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs an experiment: tools/experiments/run.sh rq1, or `make experiment OF=rq1 [PEER=FILE] [SHADERS=DIR]`. Everything is
# under build/experiments, and a second call continues. Remove the folder to begin again.
set -eu
cd "$(dirname "$0")/../.."
name=${1:-}
out=build/experiments/$name
case $name in
  rq1) ;;
  rq3) exec python3 tools/experiments/deduplication.py --refract build/release/refract --page "$out/page/rq3.md" ;;
  scale)
    exec python3 tools/experiments/scale.py --refract build/release/refract \
      --planted build/release/tests/planted_opt --references references --donors donors \
      ${TARGETS:+--targets "$TARGETS"} --state "$out/state" --page "$out/page/scale.md" ;;
  *) echo "experiment: OF=NAME, one of: rq1, rq3, scale" >&2; exit 2 ;;
esac
mkdir -p "$out"
if [ ! -d "$out/shaders" ]; then
  build/release/refract prepare "${SHADERS:-references}" -o "$out/shaders.new" --quiet
  mv "$out/shaders.new" "$out/shaders"
fi
exec python3 tools/experiments/run.py "$name" --refract build/release/refract --references "$out/shaders" \
  --planted build/release/tests/planted_opt ${PEER:+--spirv-fuzz "$PEER"} ${TARGETS:+--targets "$TARGETS"} \
  ${TARGET_FILE:+--target-file "$TARGET_FILE"} --tests "${TESTS:-300}" --groups "10" \
  --state "$out/state" --page "$out/page/$name.md"
