#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/setup.sh on a machine made of pretended commands: what it asks apt-get for, and when it must
# not ask for anything.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$scratch/tree/tools" "$scratch/bin"
cp "$source/tools/setup.sh" "$scratch/tree/tools/"
printf '# Comment\nalpha\nbeta # why\n\n' > "$scratch/tree/tools/packages.txt"
printf 'gamma\n' > "$scratch/tree/tools/packages-soak.txt"

pretend() { printf '#!/bin/sh\n%s\n' "$2" > "$scratch/bin/$1"; chmod +x "$scratch/bin/$1"; }
# alpha is there in two architectures, delta only has its settings left.
pretend dpkg-query 'case "$*" in
  *alpha) echo installedinstalled ;;
  *delta) echo config-files ;;
  *) test -e "$INSTALLED/${4:-$3}" && echo installed || { echo "no packages found" >&2; exit 1; } ;;
esac'
pretend apt-get 'echo "apt-get $*" >> "$LOG"; exit 1'
pretend id 'echo 1000'
pretend sudo 'echo "sudo $*" >> "$LOG"; exit 1'
export LOG="$scratch/log" INSTALLED="$scratch/installed"
mkdir "$INSTALLED"

# setup ARGUMENT: runs it; leaves the exit code in $status, what it printed in $out, and what it
# asked others to do in $LOG.
setup() {
  : > "$LOG"
  status=0
  out=$(PATH="$scratch/bin:$PATH" "$scratch/tree/tools/setup.sh" "$@" 2>&1 < /dev/null) || status=$?
}
fail() { echo "$1"; echo "exit $status, printed:"; echo "$out"; echo "asked:"; cat "$LOG"; exit 1; }
swiftshader() {
  mkdir -p "$scratch/tree/build/swiftshader"
  touch "$scratch/tree/build/swiftshader/libvk_swiftshader.so"
  touch "$scratch/tree/build/swiftshader/version"
}

# sudo asks for a password and nobody is there to type it: one command, exit 2.
setup
[ $status = 2 ] || fail "without rights the exit code is 2"
echo "$out" | grep -qx 'apt-get update && apt-get install -y --no-install-recommends beta' ||
  fail "without rights the one command is printed"
echo "$out" | grep -q 'will install with apt-get: beta *$' || fail "it says first what it installs"
! grep -q apt-get "$LOG" || fail "without rights nothing is installed"

# Settings that an uninstalled package left are not the package.
printf 'delta\n' > "$scratch/tree/tools/packages.txt"
setup
echo "$out" | grep -q 'will install with apt-get: delta *$' || fail "delta is not installed"
printf 'alpha\nbeta\n' > "$scratch/tree/tools/packages.txt"

# All there: silence, and no network.
touch "$INSTALLED/beta"
swiftshader
setup
[ $status = 0 ] && [ ! -s "$LOG" ] || fail "with all there nothing is asked of anybody"
[ "$out" = "setup: all there" ] || fail "with all there it says so"

# The soak wants its own list too.
setup soak
echo "$out" | grep -q 'will install with apt-get: gamma *$' || fail "soak reads packages-soak.txt"

# SwiftShader alone needs no rights; a fetch that fails leaves nothing behind.
rm -r "$scratch/tree/build/swiftshader"
setup
[ $status = 2 ] || fail "SwiftShader that cannot be fetched is an error"
grep -q '^apt-get download.* chromium-common$' "$LOG" || fail "SwiftShader comes from chromium-common"
[ -z "$(ls "$scratch/tree/build")" ] || fail "a failed fetch leaves nothing behind"
echo "setup asks for what is missing and for nothing else"
