#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Shows what Refract does, in a few minutes. First it makes one variant of every twelfth reference and runs it on
# every driver that `make setup` provides, which gives a table and a folder of images. Then it runs a campaign
# of 20 tests with a report. The target of the campaign is a small optimiser with a planted bug. The demo fails
# if the campaign does not find this bug and reduce it to a few steps. `make demo` builds first.
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
  [ $((number % 12)) -eq 1 ] || continue
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

same: original and variant have the same image or buffers, byte for byte. compiles: this machine does not have
the hardware of the driver, so the driver compiled both and ran neither. Images, logs, variants and recordings
are in $out/SHADER-SEED/. To see what a variant changes:
  $refract show $folder/variant.refract
  $refract diff $drawn $folder/variant.spv
EOF
[ "$findings" -eq 0 ] || echo "findings: $findings; read their logs first"
if [ "$faults" -gt 0 ]; then
  echo "faults of Refract itself: $faults" >&2
  exit 1
fi

cat <<EOF

Now a campaign does the same automatically: it makes 20 tests for the target planted@interp, a small optimiser
with a planted bug, $bug. The interpreter runs its output.

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
"$refract" campaign --references references/column_sort.frag --references references/heap_script.frag \
  --references references/bit_curves.frag --references references/matrix_tiles.comp \
  --references references/kaleidoscope.spvasm --donors donors --target-files "$out/planted.json" \
  --targets planted@interp --seed 1 --tests 20 --out "$campaign"
case $? in
  0 | 4) ;;
  *) exit 1 ;;
esac

# The smallest reduced test of the planted bug in events.jsonl: STEPS FOLDER.
smallest=$(sed -n '/"event":"reduced".*"target":"planted@interp".*"state":"reduced"/s/.*"reduced_steps":\([0-9]*\),.*"folder":"\([^"]*\)".*/\1 \2/p' \
  "$campaign/events.jsonl" | sort -n | head -n 1)
steps=${smallest%% *}
if [ -z "$smallest" ] || [ "$steps" -gt "$most_steps" ]; then
  echo "the campaign did not find the planted bug $bug and reduce it to at most $most_steps steps" >&2
  exit 1
fi
cat <<EOF

The campaign found the planted bug and reduced it. Remaining steps: $steps. The report has a page for each bucket:
  $campaign/report/index.html
The test folder of the planted bug, and the command that runs it again:
  $campaign/${smallest#* }/README.md
  $refract repeat $campaign/${smallest#* } --target-file $out/planted.json
EOF
