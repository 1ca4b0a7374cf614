#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests tools/setup.sh on a simulated machine of fake commands: what it asks apt-get for, and when it must not
# ask for anything.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$scratch/tree/tools" "$scratch/bin"
cp "$source/tools/setup.sh" "$scratch/tree/tools/"
printf '# Comment\nalpha\nbeta # why\n\n' > "$scratch/tree/tools/packages.txt"
printf 'epsilon\n' > "$scratch/tree/tools/packages-tests.txt"
printf 'gamma\n' > "$scratch/tree/tools/packages-soak.txt"

pretend() { printf '#!/bin/sh\n%s\n' "$2" > "$scratch/bin/$1"; chmod +x "$scratch/bin/$1"; }
# alpha is installed for two architectures; of delta only the settings are left.
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

# setup ARGUMENT: runs it; sets $status to the exit code and $out to the output. The fake commands write their
# calls to $LOG.
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

# sudo needs a password and nobody can type it: one command is printed, exit code 2.
setup
[ $status = 2 ] || fail "without rights, the exit code must be 2"
echo "$out" | grep -qx 'apt-get update && apt-get install -y --no-install-recommends beta' ||
  fail "without rights, it must print the command"
echo "$out" | grep -q 'will install with apt-get: beta *$' || fail "it must print first what it installs"
! grep -q apt-get "$LOG" || fail "without rights, it must install nothing"

# Settings that a removed package left do not count as the package.
printf 'delta\n' > "$scratch/tree/tools/packages.txt"
setup
echo "$out" | grep -q 'will install with apt-get: delta *$' || fail "delta is not installed"
printf 'alpha\nbeta\n' > "$scratch/tree/tools/packages.txt"

# Everything is installed: no requests, and no network.
touch "$INSTALLED/beta"
swiftshader
setup
[ $status = 0 ] && [ ! -s "$LOG" ] || fail "with everything installed, it must call nothing"
[ "$out" = "setup: all there" ] || fail "with everything installed, it must say so"

# Tests also need their own list, and the soak needs two more.
setup tests
echo "$out" | grep -q 'will install with apt-get: epsilon *$' || fail "tests must read packages-tests.txt"
setup soak
echo "$out" | grep -q 'will install with apt-get: epsilon gamma *$' || fail "soak must read packages-soak.txt"

# SwiftShader alone needs no rights. A fetch that fails writes nothing.
rm -r "$scratch/tree/build/swiftshader"
setup
[ $status = 2 ] || fail "a failed fetch of SwiftShader must be an error"
grep -q '^apt-get download.* chromium-common$' "$LOG" || fail "SwiftShader must come from chromium-common"
[ -z "$(ls "$scratch/tree/build")" ] || fail "a failed fetch must write nothing"
echo "setup asks for what is missing and for nothing else"
