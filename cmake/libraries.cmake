# SPDX-License-Identifier: Apache-2.0
# One library per room (a folder under src/), its sources found by name. The second argument on is
# what the room may use; tools/check_libraries holds the includes to the same table.

# Precompiled: standard headers only, so that what a file uses of ours stays visible in the file.
file(WRITE ${PROJECT_BINARY_DIR}/std_headers.cpp.new "")
file(COPY_FILE ${PROJECT_BINARY_DIR}/std_headers.cpp.new ${PROJECT_BINARY_DIR}/std_headers.cpp
     ONLY_IF_DIFFERENT)
add_library(std_headers OBJECT ${PROJECT_BINARY_DIR}/std_headers.cpp)
target_precompile_headers(std_headers PRIVATE
  <algorithm> <array> <cstdint> <cstdio> <cstring> <functional> <map> <memory> <optional> <span>
  <string> <string_view> <tuple> <utility> <variant> <vector>)

function(library name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  list(APPEND sources ${${name}_generated})
  list(REMOVE_DUPLICATES sources)
  if(sources)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${name} PUBLIC ${ARGN})
    target_precompile_headers(${name} REUSE_FROM std_headers)
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${name} INTERFACE ${ARGN})
  endif()
  set_property(GLOBAL APPEND PROPERTY REFRACT_LIBRARIES ${name})
endfunction()

library(base Threads::Threads)
library(ir base SPIRV-Tools-opt SPIRV-Tools-static)
library(input ir nlohmann_json::nlohmann_json)
library(glsl input glslang::glslang glslang::SPIRV glslang::glslang-default-resource-limits)
library(image base PNG::PNG)
library(interp ir input)
library(cfg ir input)
library(flesh cfg)
library(facts ir input)
library(message base)
library(rules facts message)
library(donate rules)
library(transform donate)
library(wire message protobuf::libprotobuf nlohmann_json::nlohmann_json)
library(engine transform wire interp)
library(shrink engine)
library(crash base)
library(signature crash)
library(driver signature image input ${CMAKE_DL_LIBS})
library(target driver interp glsl)
library(reduce engine shrink target)
library(folder engine target nlohmann_json::nlohmann_json)
library(dedup folder)
library(campaign flesh reduce folder dedup SQLite::SQLite3)
library(cli engine flesh shrink target reduce folder dedup campaign CLI11::CLI11)

# Loops that become vector instructions (src/interp/ops/float_lanes.h). The flags change no result:
# nobody looks at floating-point exceptions or errno. AVX2 code is chosen where it runs, so its file
# must not see headers whose functions other files may get from it.
set_property(SOURCE src/interp/ops/float_lanes.cpp src/interp/ops/float_lanes_avx2.cpp APPEND PROPERTY
             COMPILE_OPTIONS -O3 -fno-trapping-math -fno-math-errno)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_property(SOURCE src/interp/ops/float_lanes_avx2.cpp APPEND PROPERTY COMPILE_OPTIONS -mavx2)
endif()
set_property(SOURCE src/interp/ops/float_lanes.cpp src/interp/ops/float_lanes_avx2.cpp PROPERTY
             SKIP_PRECOMPILE_HEADERS ON)

target_sources(base PRIVATE ${PROJECT_BINARY_DIR}/version.cpp)
add_dependencies(base version)
set_property(SOURCE src/cli/versions.cpp APPEND PROPERTY
             COMPILE_DEFINITIONS REFRACT_PROTOBUF_VERSION="${Protobuf_VERSION}")

# What tools/gen_messages writes (cmake/messages.cmake); protobuf's headers are for library wire alone.
target_include_directories(message PUBLIC ${message_dir})
target_include_directories(wire PRIVATE ${codec_dir})
add_dependencies(message generate_messages)
add_dependencies(wire generate_messages)
add_executable(transformations_page tools/transformations_page.cpp)
target_link_libraries(transformations_page PRIVATE transform)
