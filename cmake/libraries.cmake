# SPDX-License-Identifier: Apache-2.0
# One library for each folder under src/, made from all sources in it. The first argument is the
# library and the others are the libraries that it may use. tools/check_libraries checks the includes
# against this table.

# Only standard headers are precompiled, so that each file shows which headers of Refract it uses.
file(WRITE ${PROJECT_BINARY_DIR}/std_headers.cpp.new "")
file(COPY_FILE ${PROJECT_BINARY_DIR}/std_headers.cpp.new ${PROJECT_BINARY_DIR}/std_headers.cpp
     ONLY_IF_DIFFERENT)
add_library(std_headers OBJECT ${PROJECT_BINARY_DIR}/std_headers.cpp)
set(std_headers
  <algorithm> <array> <cstdint> <cstdio> <cstring> <functional> <map> <memory> <optional> <span>
  <string> <string_view> <tuple> <utility> <variant> <vector>)
target_precompile_headers(std_headers PRIVATE ${std_headers})

# With REFRACT_GROUPS, up to 24 files of a library are compiled as one, because most of the time goes to headers. So two
# files of a library may not give one name to different local things; CI compiles groups, and fails. Three files are
# compiled alone. png.cpp and cached_original_check.cpp need PNG, which the public library (abi.cmake) cannot link; the files
# of reduce that need them are a group of their own. apply_step.cpp is replaced in the test `refusals`.
set_property(SOURCE src/image/png.cpp src/target/cached_original_check.cpp src/engine/apply_step.cpp
             PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
set(reduce_with_png exact_output failing_interestingness interestingness script_interestingness self_check_buffers
                    self_check_code self_check_colours self_checking smallest_pair smallest_wrong_output
                    target_interestingness)

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
    if(REFRACT_GROUPS)
      set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 24)
      if(name STREQUAL "reduce")
        set_target_properties(reduce PROPERTIES UNITY_BUILD_MODE GROUP)
        foreach(source IN LISTS sources)
          get_filename_component(stem ${source} NAME_WE)
          set_property(SOURCE ${source} PROPERTY UNITY_GROUP plain)
          if(stem IN_LIST reduce_with_png)
            set_property(SOURCE ${source} PROPERTY UNITY_GROUP png)
          endif()
        endforeach()
      endif()
      if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # g++ collects garbage later, which takes a tenth off the build and a quarter more memory: 1.3 GB for the largest
        # group.
        target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=2000000>)
        # g++ 12 warns wrongly in groups.
        target_compile_options(${name} PRIVATE -Wno-array-bounds -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow)
      endif()
    endif()
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
library(interp ir input image)
library(amber glsl interp)
library(cfg ir input)
library(flesh cfg)
library(generate interp)
library(facts ir input)
library(message base)
library(rules facts message)
library(donate rules)
library(transform donate)
library(wire message protobuf::libprotobuf nlohmann_json::nlohmann_json)
library(files wire glsl donate)
library(engine transform wire interp)
library(mutate engine)
library(shrink engine)
library(crash base)
library(signature crash)
library(driver signature image input ${CMAKE_DL_LIBS})
library(target driver interp glsl)
library(reduce engine shrink target)
library(abi mutate reduce)
library(folder engine target amber nlohmann_json::nlohmann_json ZLIB::ZLIB)
library(dedup folder)
library(coverage reduce folder)
library(cts folder)
library(campaign flesh generate reduce folder dedup coverage SQLite::SQLite3)
library(cli amber files engine flesh generate mutate shrink target reduce folder dedup coverage cts campaign CLI11::CLI11)

# Loops that the compiler turns into vector instructions (src/interp/ops/float_lanes.h). The flags do
# not change results, because the code reads neither floating-point exceptions nor errno. The AVX2
# code is chosen at run time. Its file must not include headers with inline functions that other
# files use too, because the linker could choose the AVX2 versions of them.
set_property(SOURCE src/interp/ops/float_lanes.cpp src/interp/ops/float_lanes_avx2.cpp APPEND PROPERTY
             COMPILE_OPTIONS -O3 -fno-trapping-math -fno-math-errno)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_property(SOURCE src/interp/ops/float_lanes_avx2.cpp APPEND PROPERTY COMPILE_OPTIONS -mavx2)
endif()
set_property(SOURCE src/interp/ops/float_lanes.cpp src/interp/ops/float_lanes_avx2.cpp PROPERTY
             SKIP_PRECOMPILE_HEADERS ON)

target_sources(base PRIVATE ${PROJECT_BINARY_DIR}/version.cpp)
set_property(SOURCE ${PROJECT_BINARY_DIR}/version.cpp PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
if(REFRACT_SANITIZE)
  set_property(SOURCE src/base/child_call.cpp APPEND PROPERTY COMPILE_DEFINITIONS REFRACT_SANITIZE)
endif()
add_dependencies(base version)
set_property(SOURCE src/cli/versions.cpp APPEND PROPERTY
             COMPILE_DEFINITIONS REFRACT_PROTOBUF_VERSION="${Protobuf_VERSION}")

# The public headers.
target_include_directories(abi PUBLIC ${PROJECT_SOURCE_DIR}/include)

# The generated code (cmake/messages.cmake). Only library wire may use protobuf's headers.
target_include_directories(message PUBLIC ${message_dir})
target_include_directories(wire PRIVATE ${codec_dir})
add_dependencies(message generate_messages)
add_dependencies(wire generate_messages)
# They have code for each transformation, which is simple: -O2 takes a third more time than -O1.
target_compile_options(message PRIVATE -O1)
target_compile_options(wire PRIVATE -O1)
add_executable(transformations_page tools/transformations_page.cpp)
target_link_libraries(transformations_page PRIVATE transform)
