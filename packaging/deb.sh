#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes Debian packages of a build folder: refract (the executable), librefract1 (the shared library) and
# librefract-dev (headers, static library, CMake package, pkg-config file). dpkg-shlibdeps finds what they
# depend on. The same build and SOURCE_DATE_EPOCH give the same bytes.
#
#   packaging/deb.sh [--quick] BUILD [OUT]         writes OUT/*.deb
#
# MAINTAINER="NAME <ADDRESS>" names who made them; the default is the author of the commit.
set -eu
quick=
[ "${1:-}" != --quick ] || { quick=yes; shift; }
[ $# -ge 1 ] || { echo "usage: $0 [--quick] BUILD [OUT]" >&2; exit 2; }
build=$1 out=${2:-build/packages}
. "$(dirname "$0")/stage.sh"

files=$PWD/packaging/deb
maintainer=${MAINTAINER:-$(git log -1 --format='%an <%ae>')}
debian_version=$(echo "$version" | tr - '~')-1   # 1.0.0~rc1-1 is older than 1.0.0-1
architecture=$(dpkg --print-architecture)

# What dpkg-shlibdeps adds for the ELF files "$@". A library of our own has no package yet.
dependencies() {
  mkdir -p "$work/shlibdeps/debian"
  echo "Source: refract" > "$work/shlibdeps/debian/control"
  (cd "$work/shlibdeps" && dpkg-shlibdeps -O "$@" 2> /dev/null) | sed -n 's/^shlibs:Depends=//p'
}

# package NAME: makes the package of the folder $work/NAME; the stanza comes from packaging/deb/control.
package() {
  root=$work/$1
  doc=$root/usr/share/doc/$1
  mkdir -p "$root/DEBIAN" "$doc"
  cp "$files/copyright" "$doc/copyright"
  gzip -9n < CHANGELOG.md > "$doc/changelog.gz"
  gzip -9n < "$work/changelog" > "$doc/changelog.Debian.gz"
  if [ -e "$files/$1.lintian-overrides" ]; then
    mkdir -p "$root/usr/share/lintian/overrides"
    cp "$files/$1.lintian-overrides" "$root/usr/share/lintian/overrides/$1"
  fi
  (cd "$root" && find usr -type f | sort | xargs -d '\n' md5sum > DEBIAN/md5sums)
  # The stanza of the package without its blank line, then what is known only now.
  sed -n "/^Package: $1\$/,/^\$/p" "$files/control" | sed '/^$/d' |
    sed -e "s/@VERSION@/$debian_version/" -e "s/@SHLIBS@/$shlibs/" -e "s/@ARCHITECTURE@/$architecture/" \
      -e "s/@BUILT_USING@/$(cat "$work/built-using")/" -e "s/@MAINTAINER@/$maintainer/" \
      -e "s/@SIZE@/$(du -sk --apparent-size --exclude=DEBIAN "$root" | cut -f 1)/" > "$root/DEBIAN/control"
  stamp "$root"
  dpkg-deb --root-owner-group --threads-max=1 ${quick:+-Znone} --build "$root" \
    "$out/$1_${debian_version}_$architecture.deb" > /dev/null
  echo "$out/$1_${debian_version}_$architecture.deb"
}

cat > "$work/changelog" << END
refract ($debian_version) unstable; urgency=medium

  * Version $version. changelog.gz has the changes.

 -- $maintainer  $(date -R -d "@$SOURCE_DATE_EPOCH")
END

install_component program "$work/refract"
packaging/sbom.py --build "$build" --executable "$work/refract/usr/bin/refract" --time "$SOURCE_DATE_EPOCH" \
  --licences "$work/refract/usr/share/doc/refract/licences" --built-using "$work/built-using" \
  -o "$work/refract/usr/share/doc/refract/sbom.spdx.json"
rm "$work/refract/usr/share/doc/refract/LICENSE"   # copyright names it
gzip -9n "$work"/refract/usr/share/man/man1/*
shlibs=$(dependencies "$work/refract/usr/bin/refract")
mv "$work/refract/usr/share/zsh/site-functions" "$work/refract/usr/share/zsh/vendor-completions"
package refract

# One installation of the component `library` gives two packages.
install_component library "$work/librefract-dev"
libraries=$(dirname "$(find "$work/librefract-dev" -name librefract.so)")
mkdir -p "$work/librefract1/usr/lib"
mv "$libraries"/librefract.so.* "$work/librefract1/usr/lib/"
mkdir -p "$work/librefract1/DEBIAN" "$work/librefract1/usr/share/doc/librefract1"
cp -r "$work/refract/usr/share/doc/refract/licences" "$work/librefract1/usr/share/doc/librefract1/"
echo "librefract 1 librefract1 (>= $debian_version)" > "$work/librefract1/DEBIAN/shlibs"
echo "activate-noawait ldconfig" > "$work/librefract1/DEBIAN/triggers"
shlibs=$(dependencies "$work"/librefract1/usr/lib/librefract.so.*.*)
package librefract1
shlibs=
package librefract-dev
