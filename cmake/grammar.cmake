# SPDX-License-Identifier: Apache-2.0
# Generates the tables of ir/grammar/grammar.h at build time from the grammar files of SPIRV-Headers.
find_package(Python3 COMPONENTS Interpreter REQUIRED)
find_path(SPIRV_GRAMMAR_DIR spirv/unified1/spirv.core.grammar.json REQUIRED)
set(grammar_files
  ${SPIRV_GRAMMAR_DIR}/spirv/unified1/spirv.core.grammar.json
  ${SPIRV_GRAMMAR_DIR}/spirv/unified1/extinst.glsl.std.450.grammar.json)
set(grammar_data ${PROJECT_BINARY_DIR}/generated/grammar_data.cpp)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated)
add_custom_command(
  OUTPUT ${grammar_data}
  COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/gen_grammar.py ${grammar_files}
          ${grammar_data}
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/gen_grammar.py ${grammar_files}
  COMMENT "Generating grammar_data.cpp")
target_sources(ir PRIVATE ${grammar_data})
target_include_directories(ir SYSTEM PUBLIC ${SPIRV_GRAMMAR_DIR})
