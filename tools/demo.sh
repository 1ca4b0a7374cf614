#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What refract does, in two minutes: variants of every fifth reference, run on every driver that make
# setup provides; ends with a table and a folder of pictures. `make demo` builds first.
set -u
cd "$(dirname "$0")/.."
refract=build/release/refract
out=build/demo
targets="lavapipe swiftshader radv-aco radv-llvm"
rm -rf "$out"
mkdir -p "$out"
findings=0
faults=0

printf '%-18s %5s %6s  %-12s %-12s %-12s %-12s\n' shader seed steps $targets
seed=1
number=0
for shader in references/*.frag references/*.comp references/*.spvasm; do
  number=$((number + 1))
  [ $((number % 5)) -eq 1 ] || continue
  name=$(basename "${shader%.*}")
  drawn=$shader folder=$out/$name-$seed
  mkdir -p "$folder"
  if ! "$refract" fuzz "$shader" -o "$folder/variant.spv" --seed "$seed" --donors donors \
    2>"$folder/fuzz.txt"; then
    cat "$folder/fuzz.txt"
    faults=$((faults + 1))
    continue
  fi
  steps=$(sed -n 's/^seed [0-9]*: steps: \([0-9]*\).*/\1/p' "$folder/fuzz.txt")
  printf '%-18s %5s %6s ' "$name" "$seed" "$steps"
  for target in $targets; do
    "$refract" run "$shader" "$folder/variant.spv" --target "$target" -o "$folder" \
      >"$folder/$target.txt" 2>&1
    case $? in
      0) if grep -q 'same under' "$folder/$target.txt"; then verdict=same; else verdict=compiles; fi ;;
      4) verdict=FINDING findings=$((findings + 1)) ;;
      7) verdict='not here' ;;
      *) verdict=fault faults=$((faults + 1)) ;;
    esac
    printf ' %-12s' "$verdict"
  done
  printf '\n'
done

cat <<EOF

same: the variant leaves the original's picture or buffers, byte for byte. compiles: the driver has no hardware
here, so it compiled both without complaint. Pictures, logs, variants and their recordings are in
$out/SHADER-SEED/. What a variant does to a shader:
  $refract show $folder/variant.refract
  $refract diff $drawn $folder/variant.spv
EOF
if [ "$findings" -gt 0 ]; then echo "$findings findings: look at their logs first"; fi
[ "$faults" -eq 0 ]
