#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs an experiment: tools/experiments/run.sh rq1, or `make experiment OF=rq1 [PEER=FILE] [SHADERS=DIR]`. Everything is
# under build/experiments, and a second call continues. Remove the folder to begin again. rq2 reduces what rq1 found.
set -eu
cd "$(dirname "$0")/../.."
name=${1:-}
out=build/experiments/$name
found=build/experiments/rq1
case $name in
  rq1) set -- --tests "${TESTS:-300}" --groups 10 ;;
  rq2)
    set -- --found "${FOUND:-$found/state}" --limit "${LIMIT:-120}" --whole-limit "${LIMIT:-120}" \
      ${REDUCE:+--spirv-reduce "$REDUCE"} ${AGAIN:+--lines "$AGAIN"}
    if [ -z "${AGAIN:-}" ] && [ ! -d "${FOUND:-$found/state}/kept" ]; then
      echo "experiment: no findings in ${FOUND:-$found/state}; run \`make experiment OF=rq1\` first" >&2; exit 3
    fi ;;
  rq3) exec python3 tools/experiments/deduplication.py --refract build/release/refract --page "$out/page/rq3.md" ;;
  scale)
    exec python3 tools/experiments/scale.py --refract build/release/refract \
      --planted build/release/tests/planted_opt --references references --donors donors \
      ${TARGETS:+--targets "$TARGETS"} --state "$out/state" --page "$out/page/scale.md" ;;
  *) echo "experiment: OF=NAME, one of: rq1, rq2, rq3, scale" >&2; exit 2 ;;
esac
references=${REFERENCES:-$found/shaders}
mkdir -p "$out" "$found"
if [ -z "${REFERENCES:-}" ] && [ ! -d "$references" ]; then
  build/release/refract prepare "${SHADERS:-references}" -o "$references.new" --quiet
  mv "$references.new" "$references"
fi
exec python3 tools/experiments/run.py "$name" --refract build/release/refract --references "$references" \
  --planted build/release/tests/planted_opt ${PEER:+--spirv-fuzz "$PEER"} ${TARGETS:+--targets "$TARGETS"} \
  ${TARGET_FILE:+--target-file "$TARGET_FILE"} ${FRAME:+--frame "$FRAME"} --state "$out/state" --page "$out/page/$name.md" "$@"
