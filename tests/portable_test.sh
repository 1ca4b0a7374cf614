#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The executable must run on any machine with a C library of 2.35 or later, whatever else is
# installed there: it needs libc, libm and the loader only, and no symbol newer than GLIBC_2.35.
# It has no path of this source tree.
#
#   tests/portable_test.sh EXECUTABLE COUNTEREXAMPLE
#
# COUNTEREXAMPLE is any program with other needs. The test fails if it is accepted.
set -eu

# Prints what is wrong with executable $1 under a limit of GLIBC_$2; fails if there is anything.
portable() {
  dynamic=$(readelf --wide --dynamic "$1")
  versions=$(readelf --wide --version-info "$1" | grep -o 'GLIBC_[0-9.]*' | sort -u)
  offenders=$(
    echo "$dynamic" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
      grep -vxE 'lib[cm]\.so\.6|ld-linux.*\.so\.[0-9]+' | sed 's/^/needs /'
    echo "$versions" | sed 's/GLIBC_//' |
      awk -F. -v limit="$2" '
        BEGIN { split(limit, top, ".") }
        $1 > top[1] || ($1 == top[1] && $2 > top[2]) { print "has symbols of GLIBC_" $0 }'
  )
  [ -n "$dynamic" ] && [ -n "$versions" ] || offenders="cannot be read: ${offenders}"
  [ -z "$offenders" ] || { echo "$offenders" | sed "s|^|$1: |"; return 1; }
}

# Whether executable $1, without its debug information, has a path of this source tree.
has_paths() {
  objcopy --strip-debug "$1" "$work/stripped"
  found=$(grep -aoE "$source/[A-Za-z_/]*[.](cpp|h)" "$work/stripped" | sort -u | head -n 3)
  [ -z "$found" ] || echo "$found" | sed "s|^|$1: has the path |"
  [ -n "$found" ]
}

source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if has_paths "$1"; then exit 1; fi
echo "$source/src/base/text.cpp" > "$work/path"
objcopy --add-section .path="$work/path" "$1" "$work/with_path"
if ! has_paths "$work/with_path" > /dev/null; then echo "a path of the source tree was not noticed"; exit 1; fi
portable "$1" 2.35
echo "$1 needs nothing beyond GLIBC_2.35"
if portable "$1" 2.1 > /dev/null; then echo "a symbol that is too new was not noticed"; exit 1; fi
if portable "$2" 99.0 > /dev/null; then echo "a needed library was not noticed"; exit 1; fi
