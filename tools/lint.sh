#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Used by `make fmt` and `make lint`: formatting, the rules of the libraries, words, clang-tidy.
#
#   tools/lint.sh fmt [1]     formats C++ files that differ from main (1: all of them)
#   tools/lint.sh check [1]   fails on files that are not formatted, on violations of the rules of the
#                             libraries, on words that docs/glossary.md says not to use, on clang-tidy
#   tools/lint.sh ci          all files, without clang-tidy, which would take hours
#
# BASE=COMMIT compares with that commit instead. clang-tidy reads the commands of build/dev, which must be
# built.
set -eu
cd "$(dirname "$0")/.."

base() {
  if [ -n "${BASE:-}" ]; then echo "$BASE"; return; fi
  for main in origin/main main; do
    fork=$(git merge-base HEAD $main 2> /dev/null) || continue
    # On main itself: the changes of the last commit.
    [ "$fork" = "$(git rev-parse HEAD)" ] && fork=$(git rev-parse -q --verify HEAD~1 || echo "$fork")
    echo "$fork"
    return
  done
  git rev-parse HEAD
}

# The C++ files, one a line, including new ones that git does not know yet.
cpp_files() { sort -u | grep -E '\.(cpp|h)$' | grep -v '^tests/gen_messages/expected/' || true; }
everything() { git ls-files --cached --others --exclude-standard | cpp_files; }
changed() {
  { git diff --name-only --diff-filter=d "$(base)"; git ls-files --others --exclude-standard; } | cpp_files
}
case "$1 ${2:-}" in
  'ci '*) files=$(find src tests tools -type f | cpp_files) tidy= words= ;;
  *' 1') files=$(everything) tidy=$files words= ;;
  *) files=$(changed) tidy=$files words="--base $(base)" ;;
esac
# On some systems, but not on Debian, the names of the commands have a version. The formatting is that of
# version 14.
clang_format=$(command -v clang-format-14 || command -v clang-format)
clang_tidy=$(command -v clang-tidy-14 || command -v clang-tidy)

if [ "$1" = fmt ]; then
  [ -z "$files" ] || $clang_format -i $files
  exit
fi

failed=0
[ -z "$files" ] || $clang_format --dry-run --Werror $files || failed=1
tools/check_libraries || failed=1
tools/check_words $words || failed=1
sources=$(for file in $tidy; do case $file in *.cpp) echo "$file" ;; esac; done)
if [ -n "$sources" ]; then
  # Without the precompiled header, so that a missing #include is found; without ccache.
  mkdir -p build/lint
  sed -e 's/ -Winvalid-pch//' -e 's/ -include [^ ]*cmake_pch\.hxx//' \
    -e 's/"command": "[^ ]*env [^"]*ccache /"command": "/' build/dev/compile_commands.json \
    > build/lint/compile_commands.json
  echo "$sources" | xargs -n 1 -P "$(nproc)" $clang_tidy --quiet -p build/lint \
    > build/lint/output 2>&1 || failed=1
  grep -v 'warnings generated' build/lint/output || true
fi
[ $failed = 0 ] && echo "lint: no complaints about $(echo "$files" | grep -c .) files"
exit $failed
