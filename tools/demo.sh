#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What refract does, in six minutes. First one variant each of every fifth reference, on every driver that
# make setup provides: a table and a folder of pictures. Then a campaign of three minutes that ends with a
# report; a small optimiser with a bug that we planted is among its targets, and the demo fails if the bug
# is not found and cut down to a few steps. `make demo` builds first.
set -u
cd "$(dirname "$0")/.."
refract=build/release/refract
out=build/demo
targets="lavapipe swiftshader radv-aco radv-llvm"
campaign=$out/campaign
bug=negated_to_merge  # tests/planted/README.md
most_steps=3
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
[ "$findings" -eq 0 ] || echo "$findings findings: look at their logs first"
if [ "$faults" -gt 0 ]; then
  echo "$faults faults: refract's own" >&2
  exit 1
fi

cat <<EOF

Now a campaign of three minutes: the same by itself, on the targets below, each driver also with what
spirv-opt -O makes of a variant. planted@interp is a small optimiser of our own, drawn by the reference
interpreter, in which a bug is switched on: $bug.

EOF
cat >"$out/planted.json" <<EOF
{
  "name": "planted",
  "description": "Our small optimiser, with a bug",
  "commands": [
    {
      "run": ["../release/tests/planted_opt", "--bug", "$bug", "{in}", "{out}"],
      "output": "spirv",
      "version": ["--list"]
    }
  ],
  "render": false
}
EOF
here=planted@interp
for target in $targets; do
  ! "$refract" targets | grep -q "^$target .* available " || here=$here,$target
done
"$refract" campaign --references references/column_sort.frag --references references/heap_script.frag \
  --references references/bit_curves.frag --references references/matrix_tiles.comp \
  --references references/kaleidoscope.spvasm --donors donors --target-files "$out/planted.json" \
  --targets "$here" --seed 1 --time 3m --out "$campaign"
case $? in
  0 | 4) ;;
  *) exit 1 ;;
esac

# The smallest test that is left of the planted bug, as events.jsonl has it: STEPS FOLDER.
smallest=$(sed -n '/"event":"reduced".*"target":"planted@interp".*"state":"reduced"/s/.*"reduced_steps":\([0-9]*\),.*"folder":"\([^"]*\)".*/\1 \2/p' \
  "$campaign/events.jsonl" | sort -n | head -n 1)
steps=${smallest%% *}
if [ -z "$smallest" ] || [ "$steps" -gt "$most_steps" ]; then
  echo "the planted bug $bug was not found and cut down to at most $most_steps steps" >&2
  exit 1
fi
cat <<EOF

The planted bug was found and cut down; steps that are left: $steps. What else is counted above are bugs of
these drivers and tools, "known" where docs/bugs.md has them. The report has a page for each:
  $campaign/report/index.html
The planted bug as a folder to send to somebody, and run again:
  $campaign/${smallest#* }/README.md
  $refract repeat $campaign/${smallest#* } --target-file $out/planted.json
EOF
