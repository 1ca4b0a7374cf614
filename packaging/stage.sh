#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sourced by deb.sh and tarball.sh, which have set $build (a build folder), $out (where packages go) and $quick
# (any text: without compression, for tests). Gives them:
#
#   $version, $SOURCE_DATE_EPOCH   of the executable; the time of the commit if the variable is not set
#   $work                          a scratch folder, removed at the end
#   install_component NAME DIR     `cmake --install` of one component below DIR/usr, stripped
#   stamp DIR                      gives everything below DIR the time SOURCE_DATE_EPOCH and plain modes
cd "$(dirname "$0")/.."
umask 022
[ -x "$build/refract" ] || { echo "$build: no refract in this folder; build it first" >&2; exit 1; }
version=$("$build/refract" --version | sed -n '1s/^refract //p')
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) || {
    echo "this is not a git checkout: set SOURCE_DATE_EPOCH to the time of the release" >&2
    exit 1
  }
fi
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# The manifest of `cmake --install` is for `make uninstall`, which must not remove files of a package: the one
# that was there comes back.
install_component() {
  manifest=$build/install_manifest_$1.txt
  [ ! -e "$manifest" ] || mv "$manifest" "$work/manifest"
  DESTDIR=$2 cmake --install "$build" --component "$1" --prefix /usr > "$work/log" ||
    { cat "$work/log" >&2; exit 1; }
  rm -f "$manifest"
  [ ! -e "$work/manifest" ] || mv "$work/manifest" "$manifest"
  find "$2/usr" -type f \( -path '*/bin/*' -o -name '*.so.*' \) -exec strip --strip-unneeded {} +
  find "$2/usr" -type f -name '*.a' -exec strip --strip-debug --enable-deterministic-archives {} +
}

stamp() {
  find "$1" -type d -exec chmod 755 {} +
  find "$1" -type f -perm /111 -exec chmod 755 {} +
  find "$1" -type f ! -perm /111 -exec chmod 644 {} +
  find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
}
