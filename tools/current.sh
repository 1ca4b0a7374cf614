#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a folder with today's compilers and drivers from Debian's packages, and target files for them. The
# packages are only downloaded and unpacked: nothing is installed or mounted, and no right is needed.
# docs/howto/current.md says how to use the folder. A second call updates it.
#
#   tools/current.sh                 build/current, from Debian unstable, which has the newest Mesa
#   SUITE=trixie tools/current.sh    build/current-trixie, from another suite of Debian
#
# MIRROR=URL selects another mirror of Debian than the one from which this machine gets its packages.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
suite=${SUITE:-unstable}
out=$PWD/build/current
[ -z "${SUITE:-}" ] || out=$out-$suite
apt=$out/apt
packages="mesa-vulkan-drivers spirv-tools spirv-cross glslang-tools"
naga_packages="librust-naga-dev cargo rustc"

script=current
. tools/apt_folder.sh

# The version of a package; empty if the suite does not have it.
version_of() { apt-cache show --no-all-versions "$1" 2> /dev/null | sed -n 's/^Version: //p' | head -n 1; }

# The files of the packages "$@" and of all packages that they need, one in each line. apt leaves out the files
# that are in the folder of archives, so it gets an empty one.
plan() {
  apt-get install -qq -y --print-uris -o "Dir::Cache::archives=$apt/none" "$@" 2> "$apt/plan.log" |
    awk '{ print $2 }' | sort > "$apt/plan"
  [ -s "$apt/plan" ] ||
    fail "the packages $* of $suite do not fit together today:" "$(tail -n 3 "$apt/plan.log")" \
      "Try again tomorrow, or use SUITE=testing."
}

# Unpacks the files of the plan into the folder $1, without documentation.
unpack() {
  rm -rf "$1"
  for top in bin sbin lib lib64; do
    mkdir -p "$1/usr/$top"
    ln -s "usr/$top" "$1/$top"
  done
  while read -r file; do
    dpkg-deb --fsys-tarfile "$apt/archives/$file" > "$apt/unpack.tar" &&
      tar -x -f "$apt/unpack.tar" -C "$1" --keep-directory-symlink --no-same-owner \
        --exclude './usr/share/doc/*' --exclude './usr/share/man/*' --exclude './usr/share/locale/*' ||
      fail "$apt/archives/$file cannot be unpacked" "Remove this file, see whether the disk is full, and repeat."
  done < "$apt/plan"
  rm -f "$apt/unpack.tar"
}

# Downloads the packages "$@" and all that they need, and unpacks them into the folder $1 if they are not those
# that are there. The list of files is written last, so that a folder with a list is complete.
make_folder() {
  folder=$1
  shift
  plan "$@"
  if cmp -s "$apt/plan" "$folder/packages.txt"; then
    say "the packages in $folder are up to date"
    return
  fi
  say "downloads and unpacks $* and what they need: $(wc -l < "$apt/plan") packages"
  apt-get install -qq -y --download-only "$@" > "$apt/download.log" 2>&1 ||
    fail "the packages cannot be downloaded from $mirror:" "$(grep '^E' "$apt/download.log" | head -n 3)" \
      "Repeat the command. It continues with the packages that are missing."
  unpack "$folder.new"
  cp "$apt/plan" "$folder.new/packages.txt"
  rm -rf "$folder.old"
  [ ! -e "$folder" ] || mv "$folder" "$folder.old"
  mv "$folder.new" "$folder"
  rm -rf "$folder.old"
}

# Runs a program of the folder $1 with the libraries of that folder.
run_in() {
  root=$1
  program=$2
  shift 2
  "$root/usr/lib/$triple/$loader" --library-path "$root/usr/lib/$triple:$root/usr/lib" "$root/usr/bin/$program" "$@"
}

# Builds tools/naga with the compiler and the crates of Debian. Its parts must not rely on set -e, because the
# caller tests the result.
make_naga() {
  rust=$out/rust
  make_folder "$rust" $naga_packages
  rm -rf "$out/naga.new"
  mkdir -p "$out/naga.new/.cargo"
  cp tools/naga/Cargo.toml tools/naga/main.rs "$out/naga.new" || return 1
  cat > "$out/naga.new/rustc" << EOF
#!/bin/sh
exec "$rust/usr/lib/$triple/$loader" --library-path "$rust/usr/lib/$triple" "$rust/usr/bin/rustc" --sysroot "$rust/usr" "\$@"
EOF
  chmod 755 "$out/naga.new/rustc"
  printf '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "%s"\n' \
    "$rust/usr/share/cargo/registry" > "$out/naga.new/.cargo/config.toml"
  (cd "$out/naga.new" && unset CARGO_TARGET_DIR CARGO_BUILD_TARGET RUSTFLAGS RUSTUP_TOOLCHAIN &&
    NAGA_VERSION=$naga CARGO_HOME="$PWD/home" RUSTC="$PWD/rustc" RUSTC_WRAPPER='' \
      run_in "$rust" cargo build --release --offline ${JOBS:+-j$JOBS}) > "$out/naga.log" 2>&1 || return 1
  mkdir "$out/naga.new/made" &&
    cp "$out/naga.new/target/release/refract-naga" "$out/naga.new/made/naga" &&
    echo "$stamp" > "$out/naga.new/made/stamp" || return 1
  rm -rf "$out/naga"
  mv "$out/naga.new/made" "$out/naga"
}

# The version of the naga that was built; empty if none was.
built_naga() { cut -d ' ' -f 1 "$out/naga/stamp" 2> /dev/null || true; }

# naga needs a program of ours, because Debian has only the library. Without it, all other targets work.
update_naga() {
  naga=$(version_of librust-naga-dev | sed 's/-.*//')
  if [ -z "$naga" ]; then
    say "no naga: $suite has no package librust-naga-dev"
    rm -rf "$out/naga"
    return
  fi
  stamp="$naga $(cat tools/naga/Cargo.toml tools/naga/main.rs | sha256sum | cut -d ' ' -f 1)"
  [ "$(cat "$out/naga/stamp" 2> /dev/null)" != "$stamp" ] || return 0
  if ! command -v cc > /dev/null; then
    say "naga is not built: there is no program cc, which links it (Debian: gcc)"
    return
  fi
  say "makes naga $naga, which takes a few minutes"
  make_naga || {
    say "naga cannot be built; $out/naga.log says why:"
    tail -n 3 "$out/naga.log" | sed 's/^/  /'
  }
  rm -rf "$out/naga.new" "$out/rust" "$out/rust.new"
}

# Writes the target file of a driver: name, ICD file, kind, description, and more members.
driver() {
  icd=usr/share/vulkan/icd.d/$2
  [ -e "$out/root/$icd" ] || return 0
  cat > "$targets/$1.json" << EOF
{
  "name": "$1",
  "description": "$4",
  "root": "../root",
  "icd": "../root/$icd",
  "kind": "$3"${5:+,
  $5}
}
EOF
}

# Writes the target file of a command target: its name without the version, the version, and what the
# description says about the version. The file is the built-in one with these, the root and, for a program that
# does not print its version, the version.
command_target() {
  python3 - "data/targets/$1.json" "$targets/$1-$2.json" "$1-$2" "$3 ($suite)" "$cross" << 'EOF'
import json
import sys

source, file, name, versions, cross = sys.argv[1:]
with open(source) as text:
    target = json.load(text)
commands = target.pop("commands")
for command in commands:
    command["hint"] = "tools/current.sh"
    if command["run"][0] == "spirv-cross":
        command["version"] = cross
target.update(name=name, description=f"{target['description']}; {versions}", root="../root", commands=commands)
with open(file, "w") as text:
    text.write(json.dumps(target, indent=2) + "\n")
EOF
}

# Writes a target file for naga: its name without the version, its option, the output, and more members.
naga_target() {
  cat > "$targets/$1-$naga.json" << EOF
{
  "name": "$1-$naga",
  "description": "naga $naga: $4",
  "commands": [
    {"run": ["../naga/naga", "$2", "{in}", "{out}"], "output": "$3", "spec_constants": false,
     "unsupported": ["nsupported", "not supported", "unimplemented", "fall-through switch"],
     "hint": "tools/current.sh"}
  ]${5:+,
  $5}
}
EOF
}

write_targets() {
  targets=$out/targets.new
  rm -rf "$targets"
  mkdir "$targets"
  driver "lavapipe-$mesa" lvp_icd.json render "lavapipe of Mesa $mesa ($suite)"
  # RADV compiles without hardware only up to Mesa 25.
  if [ "${mesa%%.*}" -le 25 ]; then
    radv='"RADV_FORCE_FAMILY": "navi21", "ACO_DEBUG": "validateir,validatera", "RADV_DEBUG"'
    driver "radv-aco-$mesa" radeon_icd.json pipeline "RADV with ACO of Mesa $mesa ($suite)" \
      "\"environment\": {$radv: \"nocache\"}"
    driver "radv-llvm-$mesa" radeon_icd.json pipeline "RADV with LLVM of Mesa $mesa ($suite)" \
      "\"environment\": {$radv: \"nocache,llvm\"}"
  fi
  for name in spirv-opt spirv-opt-O spirv-opt-Os spirv-opt-pass spirv-opt-passes spirv-val; do
    command_target $name "$tools" "SPIRV-Tools $tools"
  done
  for language in glsl hlsl msl; do
    command_target spirv-cross-$language "${cross#Vulkan SDK }" "$cross, glslang $glslang"
  done
  if [ -n "$naga" ]; then
    naga_target naga-spv "--{spirv}" spirv "SPIR-V to SPIR-V"
    naga_target naga-wgsl --wgsl text "SPIR-V to WGSL, which is not compiled" '"render": false'
  fi
  rm -rf "$out/targets"
  mv "$targets" "$out/targets"
}

for program in apt-get apt-cache dpkg-deb tar python3 flock; do
  command -v $program > /dev/null ||
    fail "there is no program $program" \
      "This script needs Debian or a system made from it. docs/howto/current.md shows a way for others."
done
architecture=$(dpkg --print-architecture)
case $architecture in
  amd64) triple=x86_64-linux-gnu loader=ld-linux-x86-64.so.2 ;;
  arm64) triple=aarch64-linux-gnu loader=ld-linux-aarch64.so.1 ;;
  *) fail "the processor $architecture is not supported" "Refract knows amd64 and arm64." ;;
esac
began=$(date +%s)
mkdir -p "$out"
exec 9> "$out/lock"
flock -n 9 || fail "another call makes $out now" "Wait until it has ended."
configure_apt deb "$suite"
say "reads the package lists of Debian $suite"
update_lists
for package in $packages; do
  [ -n "$(version_of "$package")" ] || fail "$suite has no package $package" "Choose another SUITE."
done
make_folder "$out/root" $packages
run_in "$out/root" spirv-opt --version > "$out/check.log" 2>&1 ||
  fail "the programs of $suite do not run on this machine:" "$(tail -n 2 "$out/check.log")" \
    "The kernel or the processor may be too old for them. Use an older SUITE, such as trixie."

# "1:26.2.6-1" is 26.2.6, and "2026.4~rc2-1" is 2026.4. SPIRV-Cross has the version of the Vulkan SDK.
upstream() { version_of "$1" | sed 's/^[0-9]*://; s/[-~+].*//'; }
mesa=$(upstream mesa-vulkan-drivers)
tools=$(upstream spirv-tools)
glslang=$(upstream glslang-tools)
cross="Vulkan SDK $(version_of spirv-cross | sed 's/^[^+]*+//; s/-.*//')"
# The targets can be used while naga is built, and if it cannot be built.
naga=$(built_naga)
write_targets
update_naga
naga=$(built_naga)
write_targets
# The files of the packages of the root are kept, so that an update downloads only what is new.
for file in "$apt/archives"/*.deb; do
  grep -qxF "${file##*/}" "$out/root/packages.txt" || rm -f "$file"
done
ended=$(date +%s)
say "Mesa $mesa, SPIRV-Tools $tools, SPIRV-Cross of $cross, glslang $glslang, naga ${naga:-none}"
say "$((ended - began)) seconds, $(du -sm "$out" | cut -f 1) MiB in $out"
say "use it with: --target-file ${out#"$PWD"/}/targets"
