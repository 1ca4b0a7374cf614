#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a measurement in full: tools/soak.sh NAME, or `make soak OF=NAME [TIME=60m]`. Writes
# docs/measurements/NAME.md. Finished parts are kept under build/soak/NAME, and a second call continues from
# there. Remove the folder to begin again.
set -u
cd "$(dirname "$0")/.."
name=${1:-}
time=${TIME:-}
case $time in
  '') seconds=86400 ;;
  *m) seconds=$((${time%m} * 60)) ;;
  *h) seconds=$((${time%h} * 3600)) ;;
  *s) seconds=${time%s} ;;
  *[!0-9]*) echo "soak: TIME=$time: give 60m, 2h or a number of seconds" >&2; exit 2 ;;
  *) seconds=$time ;;
esac
state=build/soak/$name
export REFRACT_CACHE=off  # cached results would falsify the measurement
reached=0

# part NAME COMMAND...: runs a part once. Its output is a section of the page.
part() {
  part=$state/$1
  shift
  if [ ! -f "$part.done" ]; then
    "$@" >"$part.txt" 2>&1
    status=$?
    case $status in
      0) echo reached >"$part.done" ;;
      *) reached=1 ;;
    esac
  fi
  cat "$part.txt"
  [ -f "$part.done" ] || echo "NOT REACHED: the program ended with status $status"
}

first_light() {
  count=${COUNT:-1000}
  bytes=${BYTES:-600}
  if [ -z "${BUILT:-}" ]; then  # BUILT=1 uses the existing build
    cmake --build --preset release --target refract measure_variants refract_bench >/dev/null || exit 1
    cmake --preset asan --log-level=WARNING >/dev/null || exit 1
    cmake --build --preset asan --target byte_fuzz unit_engine >/dev/null || exit 1
  fi
  part variants build/release/tests/measure_variants --references references --count "$count" \
    --least-applied 200 --least-steps 300 --seconds "$seconds" --state "$state/variants.jsonl"
  echo
  echo '## Unchanged modules'
  echo
  part unchanged build/asan/tests/unit_engine --gtest_filter='OddModules.*' --gtest_brief=1
  echo
  echo "## Byte fuzzing, $bytes seconds under asan and ubsan"
  echo
  part bytes build/asan/tests/byte_fuzz --seconds "$bytes" --seed 1
  echo
  echo '## Speed'
  echo
  echo '```'
  part bench tools/bench.sh
  echo '```'
}

# Mutated messages on all cores: each process has its own rounds of 100 messages and its own state.
mutate() {
  messages=$1
  cores=$(nproc)
  share=$((messages / cores / 100 * 100 + 100))
  running=
  for core in $(seq 0 $((cores - 1))); do
    build/asan/tests/fixture_tests --mutate "$share" 1 --first $((core * share / 100)) \
      --seconds "$seconds" --state "$state/mutants.$core" >"$state/mutants.$core.txt" 2>&1 &
    running="$running $!"
  done
  failed=0
  for process in $running; do wait "$process" || failed=1; done
  for core in $(seq 0 $((cores - 1))); do
    grep 'went wrong\|time was over' "$state/mutants.$core.txt" || cat "$state/mutants.$core.txt"
  done
  return $failed
}

machinery() {
  recordings=${RECORDINGS:-200}
  mutants=${MUTANTS:-1000000}
  if [ -z "${BUILT:-}" ]; then
    cmake --build --preset release --target refract names measure_variants refract_bench >/dev/null || exit 1
    cmake --preset asan --log-level=WARNING >/dev/null || exit 1
    cmake --build --preset asan --target fixture_tests >/dev/null || exit 1
  fi
  echo '## Names'
  echo
  part names build/release/tests/names --count "$recordings" --seconds "$seconds"
  echo
  echo "## Mutated messages, $mutants under asan and ubsan"
  echo
  echo '```'
  part mutants mutate "$mutants"
  echo '```'
  echo
  echo '## Speed'
  echo
  echo '```'
  part bench tools/bench.sh
  echo '```'
  echo
  part variants build/release/tests/measure_variants --references references --count "${COUNT:-1000}" \
    --all-passes 1 --targets lavapipe,swiftshader,spirv-opt-O,spirv-opt-Os,spirv-cross-glsl \
    --known-bad spirv-cross-glsl \
    --least-applied 200 --seconds "$seconds" --state "$state/variants.jsonl"
}

# Disables each refusal of a check, and reports whether an oracle notices; the table is a page of its own.
refusals() {
  echo '## Disabled refusals'
  echo
  part refusals build/release/tests/refusals --count "${REFUSALS:-10000}" --seconds "$seconds" \
    --state "$state/refusals.state" -o docs/measurements/refusals.md
  echo
  echo '[refusals.md](refusals.md) lists all refusals.'
}

interpreter() {
  if [ -z "${BUILT:-}" ]; then
    cmake --build --preset release --target refract refusals self_checks corpus unit_target measure_variants \
      refract_bench >/dev/null || exit 1
    cmake --preset asan --log-level=WARNING >/dev/null || exit 1
    cmake --build --preset asan --target byte_fuzz >/dev/null || exit 1
  fi
  echo '## References on drivers and in the interpreter, whole images; 1,000 perturbed images'
  echo
  echo '```'
  part judge env REFRACT_FULL=1 build/release/tests/unit_target --gtest_brief=1 --gtest_filter='Judge.*'
  part drawn build/release/tests/corpus --faults 0
  part drawn_optimised build/release/tests/corpus --faults 0 --optimised --targets lavapipe,swiftshader
  echo '```'
  echo
  echo "## Arbitrary valid modules, ${BYTES:-600} seconds under asan and ubsan"
  echo
  part shaders build/asan/tests/byte_fuzz --seconds "${BYTES:-600}" --seed 1 --only shader
  echo
  echo '## Speed'
  echo
  echo '```'
  part bench tools/bench.sh --benchmark_filter='Interpret|DecodeModule|FuzzChecked'
  echo '```'
  echo
  part self_checks build/release/tests/self_checks --references references \
    --count "${SELF_CHECKS:-2000}" --seconds "$seconds" --state "$state/self_checks.tsv"
  echo
  refusals
}

# References and donors. The page with all of them is docs/references.md.
corpus() {
  if [ -z "${BUILT:-}" ]; then
    cmake --build --preset release --target refract corpus self_checks measure_variants >/dev/null || exit 1
  fi
  echo '## References and donors'
  echo
  echo '[references.md](../references.md) has the results of each reference and donor.'
  echo
  echo '```'
  part corpus build/release/tests/corpus --whole --faults "${FAULTS:-200}" --jobs "$(nproc)" \
    --state "$state/sensitivity.tsv" --page docs/references.md
  echo '```'
  echo
  echo '## The same after spirv-opt -O'
  echo
  echo '```'
  part optimised build/release/tests/corpus --optimised --faults 0 --targets lavapipe,swiftshader
  echo '```'
  echo
  part self_checks build/release/tests/self_checks --references references \
    --count "${SELF_CHECKS:-500}" --seconds "$seconds" --state "$state/self_checks.tsv"
  echo
  part variants build/release/tests/measure_variants --references references --count "${COUNT:-500}" \
    --seconds "$seconds" --state "$state/variants.jsonl"
}

# Transformations of control flow and dead code, and those that make their conditions opaque.
control_flow_passes=control_flow,dead_code,control,wrap_early_terminator_in_function,add_loop_constant\
,add_phi_synonym,move_instruction_down,invert_comparison,replace_bool_constant_with_comparison\
,replace_constant_with_uniform,replace_constant_with_arithmetic
values_passes=value,memory,composite,synonym,constant,input,wrap_region_in_waterfall

# Builds what the measurements of families of transformations need.
build_for_families() {
  [ -z "${BUILT:-}" ] || return 0
  cmake --build --preset release --target refract self_checks measure_variants names survival \
    donor_uses fragments refract_bench >/dev/null || exit 1
  cmake --preset asan --log-level=WARNING >/dev/null || exit 1
  cmake --build --preset asan --target fixture_tests >/dev/null || exit 1
}

# Measures transformations that belong together: family PASSES.
family() {
  passes=$1
  runs=${SELF_CHECKS:-3000}
  build_for_families
  echo 'The first runs have only the transformations of this family. The second runs have all transformations.'
  echo
  part alone build/release/tests/self_checks --references references --count "$((runs / 2))" \
    --passes "$passes" --seconds "$seconds" --state "$state/alone.tsv"
  echo
  part together build/release/tests/self_checks --references references --count "$((runs / 2))" \
    --first "$runs" --seconds "$seconds" --state "$state/together.tsv"
  echo
  everything_on
}

# Measures all transformations together: how often each type applies, targets, names, mutants, speed.
everything_on() {
  part types build/release/tests/measure_variants --references references --count "${TYPES:-20000}" \
    --targets none --least-applied 200 --all-passes 1 --seconds "$seconds" --state "$state/types.jsonl"
  echo
  part variants build/release/tests/measure_variants --references references --count "${COUNT:-500}" \
    --targets lavapipe,swiftshader,spirv-opt-O,spirv-opt-Os --all-passes 1 \
    --seconds "$seconds" --state "$state/variants.jsonl"
  echo
  echo 'The same on targets that only compile, and on a target that is known not to be exact:'
  echo
  part compiled build/release/tests/measure_variants --references references --count "${COUNT:-500}" \
    --targets radv-aco,radv-llvm,spirv-cross-glsl --known-bad spirv-cross-glsl --all-passes 1 \
    --seconds "$seconds" --state "$state/compiled.jsonl"
  echo
  echo '## Names'
  echo
  part names build/release/tests/names --count "${RECORDINGS:-200}" --seconds "$seconds"
  echo
  echo "## Mutated messages, ${MUTANTS:-1000000} under asan and ubsan"
  echo
  echo '```'
  part mutants mutate "${MUTANTS:-1000000}"
  echo '```'
  echo
  echo '## Time of a step, by type, in modules of 1,000 to 100,000 instructions'
  echo
  echo '```'
  part bench tools/bench.sh --benchmark_filter='StepOf|StepInOneFunction|FuzzReferences|FuzzWithDonors'
  echo '```'
}

control_flow() { family "$control_flow_passes"; }
values() {
  family "$values_passes"
  echo
  part survival build/release/tests/survival --references references --count "${SURVIVAL:-200}" --each 5 \
    --least 50 --seconds "$seconds"
}

# Copies the references in the table "What runs" of docs/inputs.md to a folder, and prints its name. They have
# images, subgroup operations, narrow and wide types, and so on. Those that only drivers run stay in drivers/. A name
# in the table may be that of one of the files: quilt_blocks.vert.
vulkan_references() {
  mkdir -p "$state/vulkan/drivers"
  sed -n '/^## What runs/,/^The second table/p' docs/inputs.md | awk -F'|' 'NF == 7 && ++row > 2 { print $5 }' |
    tr ',' '\n' | tr -d ' ' | sort -u >"$state/vulkan.names"
  while read -r name; do
    found=
    for file in references/"${name%%.*}".* references/drivers/"${name%%.*}".*; do
      [ ! -f "$file" ] || { cp "$file" "$state/vulkan/${file#references/}" && found=1; }
    done
    [ -n "$found" ] || { echo "docs/inputs.md: no reference has the name $name" >&2; return 1; }
  done <"$state/vulkan.names"
  ln -sfn "$PWD/donors" "$state/donors"  # the programs look for donors next to the references
  echo "$state/vulkan"
}

# Measures all transformations together, in runs as users have them.
functions() {
  build_for_families
  part checked build/release/tests/self_checks --references references --limit 2000 --most-of-median 20 \
    --count "${SELF_CHECKS:-5000}" --seconds "$seconds" --state "$state/checked.tsv"
  echo
  vulkan=$(vulkan_references) || exit 1
  part vulkan_checked build/release/tests/self_checks --references "$vulkan" --limit 2000 \
    --count "${VULKAN_CHECKS:-10000}" --first 400000 --seconds "$seconds" --state "$state/vulkan_checked.tsv"
  echo
  part donors build/release/tests/donor_uses --references references --count 1000
  echo
  echo '## Fragments'
  echo
  part fragments build/release/tests/fragments --references references --draws 200 --count 1000
  part fragments_checked build/release/tests/self_checks --references references \
    --passes add_fragment,function,dead_code --first 300000 --count "${FRAGMENT_CHECKS:-2400}" \
    --seconds "$seconds" --state "$state/fragments.tsv"
  echo
  everything_on
}

# Compares the results of several jobs at a time with those of one. Only the seconds may differ.
same_with_jobs() {
  build/release/tests/reductions --optimiser build/release/tests/planted_opt --recordings "$state/recordings.tsv" \
    --each "$1" --jobs 4 --seconds "$seconds" --state "$state/jobs.tsv" || return 1
  for file in reductions jobs; do cut -f 1-9,12 "$state/$file.tsv" | sort >"$state/$file.results"; done
  comm -13 "$state/reductions.results" "$state/jobs.results" >"$state/differing"
  echo
  echo "$(wc -l <"$state/jobs.results") reductions with --jobs 4; results that differ from those with one job: $(wc -l <"$state/differing")"
  [ ! -s "$state/differing" ]
}

# Planted bugs: finds, reduces and deduplicates them.
reduce() {
  each=${EACH:-20}
  optimiser=build/release/tests/planted_opt
  if [ -z "${BUILT:-}" ]; then
    cmake --build --preset release --target refract planted_opt planted_recordings planted_originals planted_variants \
      reductions dedup_quality refract_bench >/dev/null || exit 1
  fi
  echo '## The optimiser without bugs'
  echo
  part originals build/release/tests/planted_originals --references references --donors donors
  part variants build/release/tests/planted_variants --references references --count "${COUNT:-5000}"
  echo
  echo '## Recordings that show the bugs'
  echo
  part recordings build/release/tests/planted_recordings --optimiser $optimiser --references references \
    --count "${RECORDINGS:-16000}" --each "$each" --write "$state/recordings.tsv"
  echo
  echo '## Reductions'
  part reductions build/release/tests/reductions --optimiser $optimiser --recordings "$state/recordings.tsv" \
    --each "$each" --most-steps 20 --seconds "$seconds" --state "$state/reductions.tsv" --folders "$state/folders"
  part plain build/release/tests/reductions --optimiser $optimiser --recordings "$state/recordings.tsv" \
    --each "$each" --plain 1 --seconds "$seconds" --state "$state/plain.tsv"
  part jobs same_with_jobs "$(((each + 2) / 3))"
  echo
  echo '## Smallest modules for crashes, compared with spirv-reduce'
  echo
  part smallest tests/measure/smallest.py --refract build/release/refract --optimiser $optimiser "$state/folders"
  echo
  echo '## Smallest modules for wrong outputs'
  echo
  part wrong_outputs tests/measure/smallest_wrong_outputs.py --refract build/release/refract \
    --optimiser $optimiser "$state/folders"
  echo
  echo '## Smallest modules for wrong outputs of drivers and tools'
  echo
  part real_outputs tests/measure/smallest_wrong_outputs.py --refract build/release/refract --bugs
  echo
  echo '## Dedup'
  echo
  echo '```'
  part dedup build/release/tests/dedup_quality "$state/folders" --least-covered 80 --most-duplicates 10
  echo '```'
  echo
  echo '## Time outside the interestingness test'
  echo
  echo '```'
  part bench tools/bench.sh --benchmark_filter=ReduceLong
  echo '```'
}

# Dedup on reduced tests of real bugs. Needs no targets: tests/measure/dedup_real has what dedup compares.
dedup() {
  [ -n "${BUILT:-}" ] || cmake --build --preset release --target dedup_real >/dev/null || exit 1
  echo '[dedup.md](../dedup.md#real-bugs) says how the tests were made and what the columns are. In the paper'
  echo '(Donaldson et al., PLDI 2021, table 4), types alone covered 41 of 78 crash signatures (52.6 %), and 8 of 49'
  echo 'reports (16.3 %) were duplicates. The paper has no miscompilations.'
  echo
  echo '## All tests'
  echo
  echo '```'
  part all build/release/tests/dedup_real tests/measure/dedup_real/tests.jsonl --least-covered 85 \
    --most-duplicates 10
  echo '```'
  echo
  echo '## Tests whose cause a newer version or a correction of the tool proves'
  echo
  echo '```'
  part proved build/release/tests/dedup_real tests/measure/dedup_real/tests.jsonl --proved
  echo '```'
}

# Known crashes of tools, reduced without a recording, compared with spirv-reduce.
reduce_module() {
  [ -n "${BUILT:-}" ] || cmake --build --preset release --target refract refract_shared >/dev/null || exit 1
  echo '## Modules without a recording'
  echo
  part reductions tests/measure/reduce_module.py --refract build/release/refract --steps "${STEPS:-1000}"
}

# Which planted bugs a campaign finds, without a driver and on all cores.
campaign_planted() {
  part planted build/release/tests/planted_campaigns --refract build/release/refract \
    --optimiser build/release/tests/planted_opt --references references --donors donors --out "$state/planted" \
    --tests "${TESTS:-3000}" --least "${LEAST:-26}"
}

# Tests a second on each target, and how much of their time Refract itself takes.
campaign_throughput() {
  part throughput tests/measure/campaign_throughput.py --refract build/release/refract --out "$state/throughput" \
    --seconds "${EACH:-60}"
}

# How soon a new campaign has a test and a finding, with all targets. Nothing else may run on the machine.
first_minute() {
  [ -n "${BUILT:-}" ] || cmake --build --preset release --target refract >/dev/null || exit 1
  echo '## First test and first finding'
  echo
  part first tests/measure/first_minute.py --refract build/release/refract --seeds "${SEEDS:-20}"
}

# Lines that run after equal processor time, by the source of the tests. OPT, CROSS and RADV are folders of `refract
# coverage build`, and CTS is a checkout of VK-GL-CTS; FOLDERS are further sources of tests: "other=DIR another=DIR".
coverage_time() {
  if [ -z "${OPT:-}${CROSS:-}${RADV:-}" ]; then
    echo 'soak: pass OPT=DIR, CROSS=DIR or RADV=DIR: folders of `refract coverage build` of spirv-opt, spirv-cross, radv' >&2
    exit 2
  fi
  [ -n "${BUILT:-}" ] || cmake --build --preset release --target refract >/dev/null || exit 1
  more=
  for folder in ${FOLDERS:-}; do more="$more --folder $folder"; done
  if [ -n "${CTS:-}" ]; then
    if [ ! -f "$state/suite/imported.json" ]; then
      build/release/refract import "$CTS/external/vulkancts/data/vulkan/amber/graphicsfuzz" -o "$state/suite" \
        >"$state/suite.log" 2>&1 || exit 1
    fi
    more="$more --folder suite=$state/suite"
  fi
  for target in "spirv-opt-O ${OPT:-}" "spirv-cross-glsl ${CROSS:-}" "radv ${RADV:-}"; do
    build=${target#* }
    target=${target%% *}
    [ -n "$build" ] || continue
    echo "## Lines of $target"
    echo
    options="--target $target"
    [ "$target" != radv ] || options='--under src/amd/compiler'
    # shellcheck disable=SC2086  # several arguments
    part "$target" tests/measure/coverage_time.py --refract build/release/refract --build "$build" $options \
      --state "$state/$target" --seconds "${EACH:-3600}" --every "${EVERY:-600}" --seeds "${SEEDS:-3}" $more \
      --jobs "$(nproc)" --plot "$state/$target.svg"
    echo
  done
}

# A campaign that is killed, whose disk is full, or whose targets misbehave; several machines.
campaign() {
  if [ -z "${BUILT:-}" ]; then
    cmake --build --preset release --target refract planted_opt planted_campaigns >/dev/null || exit 1
  fi
  given="--refract build/release/refract --optimiser build/release/tests/planted_opt --references references"
  echo '## Interruptions, full disks, bad targets'
  echo
  part kills tests/measure/campaign_soak.py kills --kills "${KILLS:-100}" $given --state "$state/kills"
  echo
  part disk tests/measure/campaign_soak.py disk $given --state "$state/disk"
  echo
  part faults tests/measure/campaign_soak.py faults $given --state "$state/faults"
  echo
  echo '## Wrong command lines'
  echo
  part starts tests/measure/campaign_soak.py starts $given --donors donors --state "$state/starts"
  echo
  echo '## Slurm'
  echo
  part slurm tests/measure/campaign_slurm.py $given --state "$state/slurm"
  echo
  echo '## Planted bugs'
  echo
  campaign_planted
  echo
  echo '## Throughput'
  echo
  campaign_throughput
}

# Control-flow programs on the interpreter, on drivers, and through the optimiser.
fleshing() {
  if [ -z "${BUILT:-}" ]; then
    cmake --build --preset release --target flesh_programs refract_bench >/dev/null || exit 1
  fi
  echo '## On the interpreter'
  echo
  part interp build/release/tests/flesh_programs --count "${COUNT:-100000}" --seconds "$seconds" \
    --state "$state/interp.txt" --keep "$state/kept"
  for driver in lavapipe swiftshader radv-aco radv-llvm; do
    echo
    echo "## On $driver"
    echo
    part $driver build/release/tests/flesh_programs --count "${RUNS:-20000}" --targets $driver \
      --limit 3 --seconds "$seconds" --state "$state/$driver.txt" --keep "$state/kept"
  done
  # If possible, the output of a tool runs on the interpreter, without a driver. HLSL changes the layout on
  # the way back, and MSL cannot be converted back.
  for tool in spirv-opt-O@interp spirv-opt-Os@interp spirv-opt-passes@interp spirv-cross-glsl@interp \
    spirv-cross-hlsl spirv-cross-msl; do
    echo
    echo "## Through $tool"
    echo
    part "$tool" build/release/tests/flesh_programs --count "${THROUGH:-3000}" --targets "$tool" \
      --limit 3 --seconds "$seconds" --state "$state/$tool.txt" --keep "$state/kept"
  done
  echo
  echo '## Speed'
  echo
  echo '```'
  part bench tools/bench.sh --benchmark_filter=Flesh
  echo '```'
}

# The comparison rules on float shaders: 60 shaders, at least 100 variants of each on each driver, and 12,000
# faults. One process on each core makes its own share of the runs; the last command only prints the tables.
images() {
  if [ -z "${BUILT:-}" ]; then
    cmake --build --preset release --target image_rules >/dev/null || exit 1
  fi
  runs=${COUNT:-15000}
  cores=$(nproc)
  share=$((runs / cores + 1))
  running=
  for core in $(seq 0 $((cores - 1))); do
    build/release/tests/image_rules --references references --shaders 60 --faults 6000 \
      --first $((core * share)) --count "$share" --seconds "$seconds" \
      --state "$state/images.$core" >"$state/images.$core.txt" 2>&1 &
    running="$running $!"
  done
  for process in $running; do wait "$process"; done
  cat "$state"/images.*[0-9] >"$state/images"
  part images build/release/tests/image_rules --references references --shaders 60 --faults 6000 \
    --count "$runs" --seconds 0 --state "$state/images"
}

# Generated programs: with the interpreter, how often each construct is drawn, on drivers and through tools.
generate() {
  if [ -z "${BUILT:-}" ]; then
    cmake --build --preset release --target generate_programs generate_planted planted_opt refract_bench \
      >/dev/null || exit 1
  fi
  optimiser=build/release/tests/planted_opt
  echo '## Validity, definedness and classes'
  echo
  part interp build/release/tests/generate_programs --count "${COUNT:-100000}" --constructs 10000 \
    --keep "$state/kept"
  part types build/release/tests/generate_programs --count "${COUNT:-100000}" --constructs 10000 \
    --types int16,int64,float16,float64 --keep "$state/kept"
  part bounded build/release/tests/generate_programs --count "${COUNT:-100000}" --constructs 10000 \
    --floats bounded --keep "$state/kept"
  part images build/release/tests/generate_programs --count "${COUNT:-100000}" --constructs 10000 \
    --storage-images 20 --keep "$state/kept"
  for target in lavapipe swiftshader radv-aco radv-llvm spirv-opt-O@interp spirv-opt-passes@interp \
    spirv-cross-glsl@interp; do
    echo
    echo "## On $target"
    echo
    part "$target" build/release/tests/generate_programs --count "${RUNS:-20000}" --targets "$target" \
      --limit 5 --keep "$state/kept"
  done
  echo
  echo '## Planted bugs that need divergence'
  echo
  part planted build/release/tests/generate_planted --optimiser $optimiser --count 20000 --uniform 1000 \
    --seconds "$seconds" --keep "$state/planted" --state "$state/planted.tsv"
  echo
  echo '## Without classes, and without longer live ranges'
  echo
  part ablation build/release/tests/generate_planted --optimiser $optimiser \
    --ablation "${ABLATION:-1200}" --seeds 5 --state "$state/ablation.tsv"
  echo
  echo '## Speed'
  echo
  echo '```'
  part bench tools/bench.sh --benchmark_filter=Generate
  echo '```'
}

# Shaders in folders that the user names: FOREIGN="dir dir". If shards ran on other machines, copy them into
# $state first (docs/testing.md); the page covers all of them.
foreign() {
  if [ ! -f "$state/corpus.tar.xz" ] && [ -z "${FOREIGN:-}" ]; then
    echo 'soak: set FOREIGN="folder folder" to the folders of the shaders' >&2
    exit 2
  fi
  echo 'Made by `tools/foreign.sh` on the folders that were named ([testing.md](../testing.md)).'
  echo
  # FOREIGN is split into words: the folders.
  # shellcheck disable=SC2086
  part foreign tools/foreign.sh --state "$state" --count "${COUNT:-100000}" --jobs "$(nproc)" \
    --seconds "$seconds" ${FOREIGN:-}
}

# Tests for and from a checkout of the Vulkan conformance suite: CTS=DIR. AMBER=FILE also runs Amber, on the
# drivers of DRIVERS="NAME=ICD NAME=ICD".
cts() {
  [ -n "${CTS:-}" ] || { echo 'soak: set CTS to a checkout of VK-GL-CTS' >&2; exit 2; }
  [ -n "${BUILT:-}" ] || cmake --build --preset release --target refract >/dev/null || exit 1
  drivers=
  for driver in ${DRIVERS:-}; do drivers="$drivers --driver $driver"; done
  echo '## Exported tests'
  echo
  # $drivers is split into words.
  # shellcheck disable=SC2086
  part export tests/measure/cts_export.py --refract build/release/refract --cts "$CTS" \
    ${AMBER:+--amber "$AMBER"} $drivers
  echo
  echo '## The tests of the suite on the interpreter'
  echo
  part suite tests/measure/cts_suite.py --refract build/release/refract --jobs "$(nproc)" \
    --state "$state/suite.jsonl" "$CTS/external/vulkancts/data/vulkan/amber/graphicsfuzz"
}

# Variants with float identities: on drivers, under the interpreter's control, and planted bugs with floats.
float() {
  optimiser=build/release/tests/planted_opt
  passes=float,add_no_contraction,synonym,replace_constant_with_uniform
  if [ -z "${BUILT:-}" ]; then
    cmake --build --preset release --target self_checks measure_variants planted_opt planted_variants \
      planted_recordings planted_originals >/dev/null || exit 1
  fi
  echo '## On drivers, with few other transformations'
  echo
  part alone build/release/tests/measure_variants --references references --count "${COUNT:-2000}" \
    --passes "$passes" --seconds "$seconds" --state "$state/alone.jsonl"
  echo
  echo '## On drivers, with the transformations that the seed draws'
  echo
  part together build/release/tests/measure_variants --references references --count "${COUNT:-2000}" \
    --float 1 --seconds "$seconds" --state "$state/together.jsonl"
  echo
  echo '## Self-checked runs'
  echo
  part checked build/release/tests/self_checks --references references --count "${SELF_CHECKS:-1000}" \
    --limit 300 --passes float,value,synonym,constant,control_flow --seconds "$seconds" --state "$state/checked.tsv"
  echo
  echo '## The optimiser without bugs'
  echo
  part originals build/release/tests/planted_originals --references references --donors donors
  part variants build/release/tests/planted_variants --references references --float 1 --count "${COUNT:-2000}"
  echo
  echo '## Planted bugs with floats'
  echo
  part with build/release/tests/planted_recordings --optimiser $optimiser --float 1 --references references \
    --count "${RECORDINGS:-2000}" --each 20 --least 2
  echo
  echo 'The same without float identities:'
  echo
  part without build/release/tests/planted_recordings --optimiser $optimiser --references references \
    --count "${RECORDINGS:-2000}" --each 1 --met-only 1
}

# The mutator for other fuzzers: speed, and whether what it makes is valid and replays.
mutator() {
  if [ -z "${BUILT:-}" ]; then
    cmake --build --preset release --target api_test refract_bench >/dev/null || exit 1
  fi
  part speed build/release/tools/bench/refract_bench --benchmark_color=false \
    --benchmark_filter='Mutate|StepsInMemory'
  tests/abi/write_seeds.sh "$state"
  seeds=$(echo "$state"/*.spv)
  part mutations build/release/tests/api_test "${COUNT:-10000000}" 1 $seeds
}

case $name in
  first-light) page=first_light ;;
  machinery) page=machinery ;;
  interpreter) page=interpreter ;;
  corpus) page=corpus ;;
  control-flow) page=control_flow ;;
  values) page=values ;;
  functions) page=functions ;;
  reduce) page=reduce ;;
  dedup) page=dedup ;;
  reduce_module) page=reduce_module ;;
  campaign) page=campaign ;;
  first_minute) page=first_minute ;;
  fleshing) page=fleshing ;;
  float) page=float ;;
  generate) page=generate ;;
  foreign) page=foreign ;;
  images) page=images ;;
  cts) page=cts ;;
  mutator) page=mutator ;;
  coverage_time) page=coverage_time ;;
  *) echo "soak: OF=NAME, one of: first-light, machinery, interpreter, corpus, control-flow, values, functions, reduce, reduce_module, dedup, campaign, first_minute, fleshing, float, generate, foreign, images, cts, mutator, coverage_time" >&2; exit 2 ;;
esac
mkdir -p "$state" docs/measurements
{
  echo "# $name"
  echo
  echo "\`make soak OF=$name\` wrote this page on $(date -u +%Y-%m-%d) at commit"
  echo "$(git rev-parse --short=12 HEAD)$(git diff --quiet HEAD || echo -dirty), on $(nproc) x $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)."
  echo
  $page
} >"$state/page.md"
cp "$state/page.md" "docs/measurements/$name.md.tmp" && mv "docs/measurements/$name.md.tmp" "docs/measurements/$name.md"
echo "docs/measurements/$name.md is written"
[ "$reached" -eq 0 ]
