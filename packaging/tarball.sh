#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the release tarball of a build folder: the executable, which runs on any Linux with glibc 2.35 or newer,
# with man pages, completions, references and donors; the licences of what is linked into it; its SBOM; and the
# checksums of all files. The same build and SOURCE_DATE_EPOCH give the same bytes.
#
#   packaging/tarball.sh [--quick] BUILD [OUT]     writes OUT/refract-VERSION-linux-ARCH.tar.xz and .spdx.json
set -eu
quick=
[ "${1:-}" != --quick ] || { quick=yes; shift; }
[ $# -ge 1 ] || { echo "usage: $0 [--quick] BUILD [OUT]" >&2; exit 2; }
build=$1 out=${2:-build/packages}
. "$(dirname "$0")/stage.sh"

compress="xz --threads=1"   # several threads may give other bytes
[ -z "$quick" ] || compress="cat"
name=refract-$version-linux-$(uname -m)
install_component program "$work/root"
top=$work/$name
mv "$work/root/usr" "$top"
mv "$top/share/doc/refract/LICENSE" "$top/LICENSE"
packaging/sbom.py --build "$build" --executable "$top/bin/refract" --time "$SOURCE_DATE_EPOCH" \
  --licences "$top/share/doc/refract/licences" -o "$top/sbom.spdx.json"
cp docs/installing.md CHANGELOG.md "$top/share/doc/refract/"
(cd "$top" && find . -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs -d '\n' sha256sum > SHA256SUMS)
stamp "$top"
tar --create --directory "$work" --sort=name --format=ustar --owner=root:0 --group=root:0 "$name" |
  $compress > "$work/tarball"
mv "$work/tarball" "$out/$name.tar.xz"
cp "$top/sbom.spdx.json" "$out/$name.spdx.json"
echo "$out/$name.tar.xz"
