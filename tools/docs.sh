#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the generated pages: docs/transformations.md and docs/cli.md. With `check` it writes nothing, and
# fails if a page is not up to date (a test runs this). BUILD names the build folder.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build/dev}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
{
  "$build/transformations_page"
  cat docs/transformations.tail.md
} >"$out/transformations.md"
{
  cat docs/cli.head.md
  for verb in '' fuzz replay show inputs run compare check reduce prepare diff list explain targets doctor \
    signature repeat issue dedup export import campaign 'campaign status' merge report clusterfuzz cfg 'cfg check' \
    'cfg divergence' \
    'cfg generate' 'cfg enumerate' 'cfg count' 'cfg mine' flesh generate coverage \
    'coverage build' 'coverage run' 'coverage compare' 'coverage gaps' 'coverage covers'; do
    printf '\n## refract%s\n\n' "${verb:+ $verb}"
    "$build/refract" $verb --help-all | sed 's/^/    /; s/ *$//'
  done
} >"$out/cli.md"
for page in transformations cli; do
  if [ "${1:-}" = check ]; then
    cmp "$out/$page.md" "docs/$page.md" || { echo "docs/$page.md is not up to date: make docs" >&2; exit 1; }
  else
    cp "$out/$page.md" "docs/$page.md.tmp" && mv "docs/$page.md.tmp" "docs/$page.md"
  fi
done
