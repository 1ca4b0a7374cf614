#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests Debian packages: lintian finds no error; in a new, minimal system made by debootstrap they install, run
# and are removed; after `dpkg --purge`, no file is left. Needs root, Debian's packages and some minutes.
#
#   packaging/deb_test.sh DEB...                   SUITE=trixie takes that suite, default bookworm
#
# ROOT=DIR keeps the new system in DIR, and takes the one that is there.
set -eu
[ $# -ge 1 ] || { echo "usage: $0 DEB..." >&2; exit 2; }
for tool in lintian debootstrap; do
  command -v $tool > /dev/null || { echo "$tool is missing: apt-get install lintian debootstrap" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
root=${ROOT:-$work/root}

lintian --allow-root --fail-on error "$@"
echo "lintian: no errors"

# Packages in Debian that they need. Those in the list itself are not in Debian.
names=$(for deb in "$@"; do dpkg-deb --field "$deb" Package; done)
needed=$(for deb in "$@"; do dpkg-deb --field "$deb" Depends; done | tr ',' '\n' | sed 's/(.*//; s/|.*//' |
  tr -d ' ' | sort -u | grep -vxF "$names" | paste -sd,)
[ -e "$root/etc/debian_version" ] ||
  debootstrap --variant=minbase "--include=$needed" "${SUITE:-bookworm}" "$root" > "$work/log" ||
  { tail "$work/log" >&2; exit 1; }

files() { (cd "$root" && find . -xdev ! -path './var/lib/dpkg/*' ! -path './var/log/*' ! -path './tmp/*' | sort); }
in_root() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp REFRACT_CACHE=off "$@"; }
files > "$work/before"
cp "$@" "$root/tmp/"
in_root sh -c 'dpkg --install /tmp/*.deb' > "$work/log" || { cat "$work/log" >&2; exit 1; }
in_root refract --version | head -n 2
in_root refract fuzz /usr/share/refract/references/column_sort.frag -o /tmp/variant.spv --seed 1 --max-steps 20
in_root refract replay /usr/share/refract/references/column_sort.frag /tmp/variant.refract -o /tmp/again.spv
cmp "$root/tmp/variant.spv" "$root/tmp/again.spv"
if echo "$names" | grep -qx librefract1; then
  in_root ldd /usr/lib/librefract.so.1 > "$work/ldd"
  if grep 'not found' "$work/ldd"; then exit 1; fi
  in_root ldconfig -p | grep -q 'librefract\.so\.1 ' || { echo "ldconfig does not know the library" >&2; exit 1; }
fi
in_root dpkg --purge $names > "$work/log" || { cat "$work/log" >&2; exit 1; }
rm -f "$root"/tmp/*.deb "$root"/tmp/variant* "$root"/tmp/again*
files > "$work/after"
diff "$work/before" "$work/after" || { echo "files that are left (>) or missing (<)" >&2; exit 1; }
echo "$(echo "$names" | wc -l) packages: installed, ran, removed; no file is left"
