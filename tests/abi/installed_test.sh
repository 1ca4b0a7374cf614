#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the library in a folder, moves it, and builds the tests of the library from there: with
# find_package and the shared library, and with pkg-config and the static library. Then looks at the symbols.
#
#   installed_test.sh BUILD CMAKE CXX
set -eu
build=$1 cmake=$2 cxx=$3
source=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --component library --prefix "$work/first" > "$work/log"
mv "$work/first" "$work/prefix"
libraries=$(dirname "$(find "$work/prefix" -name librefract.so)")

"$cmake" -S "$source/installed" -B "$work/consumer" -G Ninja -D "CMAKE_PREFIX_PATH=$work/prefix" \
  -D "CMAKE_CXX_COMPILER=$cxx" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$cmake" --build "$work/consumer" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$work/consumer/api_shared"

# The objects of the same sources, linked with the static library.
PKG_CONFIG_PATH=$libraries/pkgconfig
export PKG_CONFIG_PATH
flags=$(pkg-config --static --libs refract | sed 's/-lrefract/-l:librefract.a/')
header=$work/prefix/include/refract/refract.h
[ "$(pkg-config --modversion refract)" = "$(sed -n 's/^#define REFRACT_VERSION "\(.*\)"/\1/p' "$header")" ]
"$cxx" $(find "$work/consumer" -name '*.o') $flags -o "$work/api_static"
"$work/api_static"

# Nothing but refract_* is visible, and all that the header declares is there.
failed=0
grep -o '^REFRACT_API.*' "$header" | grep -o 'refract_[a-z_]*(' |
  tr -d '(' | LC_ALL=C sort > "$work/declared"
nm --dynamic --defined-only "$libraries/librefract.so" | sed 's/.* //' | LC_ALL=C sort > "$work/shared"
nm --extern-only --defined-only "$libraries/librefract.a" | sed -n 's/.* [A-Z] //p' | LC_ALL=C sort > "$work/static"
for kind in shared static; do
  cmp -s "$work/declared" "$work/$kind" && continue
  echo "symbols of the $kind library that are not declared (>), or missing (<):"
  diff "$work/declared" "$work/$kind" || true
  failed=1
done
exit $failed
