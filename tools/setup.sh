#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the packages for building and the demo, and prints them first. If nothing is missing, it does nothing
# and needs no network.
#
#   tools/setup.sh          tools/packages.txt, and SwiftShader under build/swiftshader/
#   tools/setup.sh tests    packages-tests.txt as well
#   tools/setup.sh soak     packages-soak.txt too
#
# Without the rights to install, it prints the command that does, and exits with 2. It starts no service.
set -eu
cd "$(dirname "$0")/.."

say() { echo "setup: $*"; }

# Prints the packages of the given lists that are not installed, on one line.
missing() {
  sed 's/#.*//' "$@" | tr -s ' \t' '\n' | sed '/^$/d' | LC_ALL=C sort -u | while read -r package; do
    state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    # A package of several architectures gives a line for each.
    case "$state" in *installed*) [ "${state#not-}" = "$state" ] && continue ;; esac
    printf '%s ' "$package"
  done
}

# As root: updates the package lists and installs "$@", which may be empty. Services of the packages are not
# started.
install_packages() {
  policy=/usr/sbin/policy-rc.d
  if [ ! -e $policy ]; then
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT INT TERM
    printf '#!/bin/sh\nexit 101\n' > $policy
    chmod 755 $policy
  fi
  apt-get update -q || say "the package lists could not all be updated; trying with what is there"
  [ $# = 0 ] ||
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

# SwiftShader is part of Debian's Chromium. Only its library and the file that describes it to the Vulkan
# loader are unpacked; nothing is installed. It is a CPU driver that shares no code with Mesa's.
fetch_swiftshader() {
  fresh=$swiftshader.$$
  mkdir -p "$fresh"
  trap 'rm -rf "$fresh"' EXIT INT TERM
  (cd "$fresh" && apt-get download -q -o APT::Sandbox::User=root chromium-common) || return 1
  dpkg-deb --fsys-tarfile "$fresh"/chromium-common_*.deb |
    tar -x -C "$fresh" --strip-components=4 --wildcards '*/libvk_swiftshader.so' \
      '*/vk_swiftshader_icd.json' || return 1
  grep -q '"library_path": *"\./libvk_swiftshader\.so"' "$fresh/vk_swiftshader_icd.json" || {
    say "vk_swiftshader_icd.json of this chromium-common does not name a library in its own folder"
    return 1
  }
  dpkg-deb --field "$fresh"/chromium-common_*.deb Version > "$fresh/version"
  rm "$fresh"/chromium-common_*.deb
  rm -rf "$swiftshader"
  mv "$fresh" "$swiftshader"
  trap - EXIT INT TERM
  say "SwiftShader of chromium-common $(cat "$swiftshader/version") is in $swiftshader"
}

if [ "${1:-}" = --as-root ]; then
  shift
  install_packages "$@"
  exit
fi

if ! command -v dpkg-query > /dev/null; then
  say "this is not Debian; install what tools/packages.txt lists in another way"
  exit 0
fi
lists=tools/packages.txt
case "${1:-}" in
  tests) lists="$lists tools/packages-tests.txt" ;;
  soak) lists="$lists tools/packages-tests.txt tools/packages-soak.txt" ;;
esac
wanted=$(missing $lists)
swiftshader=build/swiftshader
if [ -e $swiftshader/libvk_swiftshader.so ] && [ -e $swiftshader/version ]; then
  fetch=
else
  fetch=yes
fi
if [ -z "$wanted$fetch" ]; then
  say "all there"
  exit 0
fi
[ -z "$wanted" ] || say "will install with apt-get: $wanted"
[ -z "$fetch" ] || say "will unpack SwiftShader from Debian's chromium-common under $swiftshader"

if [ "$(id -u)" = 0 ]; then
  tools/setup.sh --as-root $wanted
elif command -v sudo > /dev/null && { sudo -n true 2> /dev/null || [ -t 0 ]; }; then
  sudo tools/setup.sh --as-root $wanted
elif [ -n "$wanted" ]; then
  say "no right to install packages. Run this as root, then repeat your command:" >&2
  echo "apt-get update && apt-get install -y --no-install-recommends ${wanted% }" >&2
  exit 2
fi
[ -z "$fetch" ] || fetch_swiftshader || {
  say "SwiftShader could not be fetched. If the package lists are old or missing, run as root:" >&2
  echo "apt-get update" >&2
  exit 2
}
