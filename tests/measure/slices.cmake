# SPDX-License-Identifier: Apache-2.0
# The measurements: `make test` runs a slice with fixed seeds, and tools/soak.sh all of it. They are not built
# with sanitisers, where the fixtures, the unit tests, the self-checked runs and the command line execute the
# same code in a tenth of the time.

# Variants on the drivers. Their seeds do not trigger the bugs of drivers in docs/bugs.md.
test_program(measure_variants measure/measure_variants.cpp LINK measure)
add_test(NAME variants_slice
         COMMAND measure_variants --references ${PROJECT_SOURCE_DIR}/references --first 170 --count 12)
add_test(NAME command_targets_slice
         COMMAND measure_variants --references ${PROJECT_SOURCE_DIR}/references --count 4 --all-passes 1
                 --targets spirv-opt-O,spirv-opt-Os,spirv-cross-glsl
                 --known-bad spirv-cross-glsl)

# Runs that the interpreter checks, with some passes.
add_test(NAME control_flow_slice
         COMMAND self_checks --references ${PROJECT_SOURCE_DIR}/references --count 8 --first 40
                 --passes control_flow,dead_code,control)
add_test(NAME values_slice
         COMMAND self_checks --references ${PROJECT_SOURCE_DIR}/references --count 8 --first 60
                 --passes value,memory,composite,synonym,constant,input)
add_test(NAME functions_slice
         COMMAND self_checks --references ${PROJECT_SOURCE_DIR}/references --count 10 --first 80
                 --limit 2000)
add_test(NAME fragment_checks_slice
         COMMAND self_checks --references ${PROJECT_SOURCE_DIR}/references --count 8 --first 100
                 --passes add_fragment,function,dead_code)

# Control-flow programs, on the interpreter; --count 100000 gives the full numbers.
test_program(flesh_programs measure/flesh_programs.cpp LINK flesh target)
add_test(NAME flesh_slice COMMAND flesh_programs --count 600)

# Generated programs: validity, definedness, classes, and how often each construct is drawn.
test_program(generate_programs measure/generate_programs.cpp LINK generated_checks)
add_test(NAME generate_slice COMMAND generate_programs --count 400 --constructs 3000)
add_test(NAME generate_options_slice
         COMMAND generate_programs --first 500 --count 100 --types int16,int64,float16,float64
                 --floats bounded --storage-images 20 --constructs 2000)

# Whether an optimiser removes steps that keep values alive or read what nothing needs.
test_program(survival measure/survival.cpp LINK measure)
add_test(NAME survival_slice
         COMMAND survival --references ${PROJECT_SOURCE_DIR}/references --count 14 --each 3 --least 25)

# Structural shrinking of references. --compare also runs spirv-reduce.
test_program(shrink_references measure/shrink.cpp LINK measure)
add_test(NAME shrink_slice
         COMMAND shrink_references --references ${PROJECT_SOURCE_DIR}/references --every 24)

# The same for reduced recordings.
test_program(shrink_recordings measure/shrink_recordings.cpp LINK measure)
add_test(NAME shrink_recordings_slice
         COMMAND shrink_recordings --references ${PROJECT_SOURCE_DIR}/references --count 4)

# Tests that some reference uses each donor.
test_program(donor_uses measure/donor_uses.cpp LINK measure)
add_test(NAME donor_uses
         COMMAND donor_uses --references ${PROJECT_SOURCE_DIR}/references --count 150)

# Counts the fragments of the donors, and in variants (tools/soak.sh).
test_program(fragments measure/fragments.cpp LINK measure)

# Measures how good dedup is on tests of known bugs.
test_program(dedup_quality measure/dedup_quality.cpp LINK dedup)
add_test(NAME dedup_quality_sample
         COMMAND dedup_quality ${CMAKE_CURRENT_SOURCE_DIR}/measure/dedup_sample --least-covered 75
                 --most-duplicates 0)

# The same on real bugs, with the tuning redone on half of the bugs. The goal of 10 % duplicates is not reached
# (docs/measurements/dedup.md).
test_program(dedup_real measure/dedup_real.cpp measure/dedup_data.cpp measure/dedup_tuning.cpp
             LINK dedup nlohmann_json::nlohmann_json)
add_test(NAME dedup_real_slice
         COMMAND dedup_real ${CMAKE_CURRENT_SOURCE_DIR}/measure/dedup_real/tests.jsonl --splits 20
                 --least-covered 85 --most-duplicates 12)

# The corpus of references and donors; the full measurement is part of tools/soak.sh.
test_program(corpus measure/corpus.cpp measure/corpus_page.cpp measure/donor_table.cpp LINK measure)
add_test(NAME corpus_slice
         COMMAND corpus --references ${PROJECT_SOURCE_DIR}/references --targets none --faults 10
                 --faults-every 16)
# Compares drivers on the optimised modules; the soak does this for the others.
add_test(NAME corpus_drivers
         COMMAND corpus --references ${PROJECT_SOURCE_DIR}/references --faults 0 --optimised
                 --targets lavapipe,swiftshader --every 10)
set_tests_properties(corpus_drivers PROPERTIES WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})

# Checks random graphs with the rules, the parser and spirv-val. --count 100000 gives the full numbers.
test_program(cfg_graphs measure/cfg_graphs.cpp LINK measure cfg)
add_test(NAME cfg_graphs_slice COMMAND cfg_graphs --count 4000)

# Tests that the optimiser is correct with no bug enabled; tools/soak.sh has the full test.
test_library(planted_campaign planted/sample.cpp planted/optimiser_runner.cpp LINK measure planted)
test_program(planted_variants measure/planted_variants.cpp LINK planted_campaign)
add_test(NAME planted_slice
         COMMAND planted_variants --references ${PROJECT_SOURCE_DIR}/references --count 60)

# Variants with float identities: they draw what the original draws, they show the bugs with floats, and other
# variants do not reach these bugs (planted_bugs_slice).
add_test(NAME float_slice
         COMMAND measure_variants --references ${PROJECT_SOURCE_DIR}/references --first 300 --count 6
                 --passes float,add_no_contraction,synonym,replace_constant_with_uniform)
add_test(NAME float_checks_slice
         COMMAND self_checks --references ${PROJECT_SOURCE_DIR}/references --count 4 --first 20
                 --limit 300 --passes float,value,synonym,constant,control_flow)

# Tests that no planted bug shows in unchanged modules, and which variants show which bug.
test_program(planted_originals measure/planted_originals.cpp LINK measure planted)
add_test(NAME planted_originals
         COMMAND planted_originals --references ${PROJECT_SOURCE_DIR}/references
                 --donors ${PROJECT_SOURCE_DIR}/donors)
test_program(planted_recordings measure/planted_recordings.cpp LINK planted_campaign)
add_test(NAME planted_bugs_slice
         COMMAND planted_recordings --optimiser $<TARGET_FILE:planted_opt>
                 --references ${PROJECT_SOURCE_DIR}/references --count 300 --each 1 --least 24
                 --write ${CMAKE_CURRENT_BINARY_DIR}/planted_recordings.tsv)
set_tests_properties(planted_bugs_slice PROPERTIES FIXTURES_SETUP planted_recordings)
add_test(NAME planted_floats_slice
         COMMAND planted_recordings --optimiser $<TARGET_FILE:planted_opt> --float 1
                 --references ${PROJECT_SOURCE_DIR}/references --count 100 --max-steps 300 --each 1 --least 2)

# How often the comparison rules are wrong about images of float shaders. The first 30 shaders are made, so the
# slice need not look for those references and donors that are not exact.
test_program(image_rules measure/images/image_rules.cpp measure/images/image_faults.cpp
             measure/images/float_shaders.cpp LINK measure)
add_test(NAME image_rules_slice
         COMMAND image_rules --references ${PROJECT_SOURCE_DIR}/references --shaders 45 --count 6)

# Counts which of the bugs campaigns find.
test_program(planted_campaigns measure/planted_campaigns.cpp LINK campaign planted)

# Which generated programs show the bugs that need divergence, and how small these programs get.
test_program(generate_planted measure/generated/generate_planted.cpp measure/generated/generate_ablation.cpp
               measure/generated/planted_targets.cpp LINK measure campaign planted)
add_test(NAME generate_planted_slice
         COMMAND generate_planted --optimiser $<TARGET_FILE:planted_opt> --count 45
                 --only sunk_store,first_count,uniform_atomic)
add_test(NAME generate_ablation_slice
         COMMAND generate_planted --optimiser $<TARGET_FILE:planted_opt> --ablation 1 --seeds 1)

# Reduces such variants.
test_program(reductions measure/reductions.cpp measure/planted_folder.cpp LINK planted_campaign)
add_test(NAME reductions_slice
         COMMAND reductions --optimiser $<TARGET_FILE:planted_opt>
                 --references ${PROJECT_SOURCE_DIR}/references
                 --recordings ${CMAKE_CURRENT_BINARY_DIR}/planted_recordings.tsv
                 --each 1 --without hang --most-steps 24 --again-with-jobs 4 --again-every 4)
set_tests_properties(reductions_slice PROPERTIES FIXTURES_REQUIRED planted_recordings)

# Two tests for the conformance suite pass, and fail when an operation of their module is changed.
add_test(NAME cts_export_slice
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/measure/cts_export.py
                 --refract $<TARGET_FILE:refract> --only spirv_opt_smod --only spirv_cross_switch_continue)

# Makes a large module with a known wrong output of a tool small.
add_test(NAME smallest_real_outputs_slice
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/measure/smallest_wrong_outputs.py
                 --refract $<TARGET_FILE:refract> --bugs --steps 60 --only spirv_opt_smod)

# Reduces variants of a few known crashes without their recordings, and compares with spirv-reduce.
if(TARGET refract_shared)
  add_test(NAME reduce_module_slice
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/measure/reduce_module.py
                   --refract $<TARGET_FILE:refract> --steps 60 --only null_matrix --only robust_null)
endif()

# Measures how well names survive when steps are removed.
test_program(names measure/names.cpp measure/trace.cpp LINK ${libraries} test_modules)
add_test(NAME names_slice COMMAND names --count 8)

# Disables the refusals of checks one at a time. The program has copies of the sources that refuse, in which
# each refusal can be disabled. The linker takes all other code from the libraries. Their files can be compiled in
# groups, so the program has copies of all sources of three libraries; apply_step.cpp is in no group.
file(GLOB_RECURSE refusing CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/rules/*.cpp
     ${PROJECT_SOURCE_DIR}/src/donate/*.cpp ${PROJECT_SOURCE_DIR}/src/transform/*.cpp)
list(APPEND refusing ${PROJECT_SOURCE_DIR}/src/engine/apply_step.cpp)
set(open_sources)
set(open_dir ${PROJECT_BINARY_DIR}/generated/open)
foreach(source IN LISTS refusing)
  get_filename_component(name ${source} NAME)
  list(APPEND open_sources ${open_dir}/${name})
endforeach()
file(MAKE_DIRECTORY ${open_dir})
add_custom_command(
  OUTPUT ${open_sources} ${open_dir}/refusals.inc
  COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/open_refusals.py ${PROJECT_SOURCE_DIR}
          ${open_dir} ${refusing}
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/open_refusals.py ${refusing}
  COMMENT "Refusals that can be left out" VERBATIM)
# With assertions, so that access to a missing value crashes; the precompiled headers were made without them.
# The copies are never edited, so 16 of them are compiled as one.
add_library(open_checks OBJECT ${open_sources})
target_link_libraries(open_checks PRIVATE fixtures)
target_include_directories(open_checks PRIVATE ${open_dir})
target_compile_definitions(open_checks PRIVATE _GLIBCXX_ASSERTIONS)
set_target_properties(open_checks PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
set_source_files_properties(${open_dir}/apply_step.cpp ${open_dir}/identities.cpp
                            PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
test_program(refusals measure/refusals.cpp measure/mutant_run.cpp LINK fixtures open_checks)
target_include_directories(refusals PRIVATE ${open_dir})
# Tests the REJECT messages of every sixth fixture with their refusal disabled; tools/soak.sh tests all.
add_test(NAME refusals_slice COMMAND refusals --count 0 --fixtures 6 --least 40)

# Tests how campaigns survive kills, full disks and misbehaving targets; tools/soak.sh has the full test.
foreach(part "kills --kills 2 --longest 6" "disk --tests 8 --fillings 3" "faults --tests 3 --seed 2")
  separate_arguments(arguments UNIX_COMMAND "${part}")
  list(GET arguments 0 name)
  add_test(NAME campaign_${name}_slice
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/measure/campaign_soak.py
                   ${arguments} --refract $<TARGET_FILE:refract>
                   --optimiser $<TARGET_FILE:planted_opt>
                   --references ${PROJECT_SOURCE_DIR}/references)
endforeach()

# Tests that a new campaign with all references soon makes a test, without drivers.
add_test(NAME first_minute_slice
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/measure/first_minute.py
                 --refract $<TARGET_FILE:refract> --seeds 1 --jobs 1 --limit 60 --only test
                 --targets spirv-opt-O,spirv-cross-msl,interp
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})

set_tests_properties(planted_bugs_slice reductions_slice refusals_slice campaign_faults_slice
                     PROPERTIES COST 1000)
