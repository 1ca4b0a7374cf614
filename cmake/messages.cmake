# SPDX-License-Identifier: Apache-2.0
# Generates plain structs (library message) and the codec (library wire) from proto/, with protoc and
# tools/gen_messages. The oneof in proto/transformation.proto is the only list of transformations: CMake fails
# if one of its lines has no src/transform/FAMILY/NAME.cpp.
set(protos values transformation recording)
set(message_dir ${PROJECT_BINARY_DIR}/generated/structs)
set(codec_dir ${PROJECT_BINARY_DIR}/generated/codec)

list(TRANSFORM protos PREPEND ${PROJECT_SOURCE_DIR}/proto/ OUTPUT_VARIABLE proto_files)
list(TRANSFORM proto_files APPEND .proto)
set(transformation_proto ${PROJECT_SOURCE_DIR}/proto/transformation.proto)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${transformation_proto})
file(READ ${transformation_proto} text)
string(REGEX MATCH "oneof kind {[^}]*}" oneof "${text}")
string(REGEX MATCHALL "[a-z0-9_]+ = [0-9]+;" lines "${oneof}")
set(TRANSFORMATIONS)
foreach(line IN LISTS lines)
  string(REGEX REPLACE " .*" "" name "${line}")
  list(APPEND TRANSFORMATIONS ${name})
endforeach()
foreach(name IN LISTS TRANSFORMATIONS)
  file(GLOB source CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/transform/*/${name}.cpp)
  if(NOT source)
    message(FATAL_ERROR "proto/transformation.proto: ${name} has no src/transform/FAMILY/${name}.cpp")
  endif()
endforeach()

# It runs once, so it is not optimised: that halves the time to compile it.
add_executable(gen_messages ${PROJECT_SOURCE_DIR}/tools/gen_messages.cpp)
target_compile_options(gen_messages PRIVATE -O0)
target_link_libraries(gen_messages PRIVATE protobuf::libprotobuf fmt::fmt-header-only)

# The headers that the generator writes from `protos`; each transformation has its own header.
set(headers ${TRANSFORMATIONS} ${protos} all)
list(REMOVE_ITEM headers transformation)
list(TRANSFORM headers PREPEND ${message_dir}/message/)
list(TRANSFORM headers APPEND .h)
set(message_generated ${headers} ${message_dir}/message/transformations.def
    ${message_dir}/message/names.cpp ${message_dir}/message/info.cpp
    ${message_dir}/message/visits.def)
set(wire_generated ${codec_dir}/wire/convert.h ${codec_dir}/wire/convert.cpp)

set(descriptors ${PROJECT_BINARY_DIR}/generated/protos.binpb)
list(TRANSFORM protos PREPEND ${codec_dir}/proto/ OUTPUT_VARIABLE pb)
list(TRANSFORM pb APPEND .pb.cc OUTPUT_VARIABLE pb_sources)
list(TRANSFORM pb APPEND .pb.h OUTPUT_VARIABLE pb_headers)
file(MAKE_DIRECTORY ${message_dir}/message ${codec_dir}/wire)
add_custom_command(
  OUTPUT ${descriptors} ${pb_sources} ${pb_headers}
  COMMAND protobuf::protoc -I ${PROJECT_SOURCE_DIR} --cpp_out=${codec_dir} --include_source_info
          --descriptor_set_out=${descriptors} ${proto_files}
  COMMAND ${CMAKE_COMMAND} "-DFILES=${pb_sources}" -P ${PROJECT_SOURCE_DIR}/cmake/late_descriptors.cmake
  DEPENDS ${proto_files} ${PROJECT_SOURCE_DIR}/cmake/late_descriptors.cmake
  COMMENT "protoc" VERBATIM)
add_custom_command(
  OUTPUT ${message_generated} ${wire_generated}
  COMMAND gen_messages ${descriptors} ${message_dir} ${codec_dir}
  DEPENDS gen_messages ${descriptors}
  COMMENT "Structs and codec of proto/" VERBATIM)
list(APPEND wire_generated ${pb_sources} ${pb_headers})
# Generated code: no warnings, and optimised a little in release builds: -O2 takes twice the time. The precompiled
# headers were made with other options.
set_source_files_properties(${pb_sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS
                            "-w;$<IF:$<CONFIG:Release>,-O1,-O0>")
# The two libraries share one run of the generator: without this each would start its own.
add_custom_target(generate_messages DEPENDS ${message_generated} ${wire_generated})
