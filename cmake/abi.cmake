# SPDX-License-Identifier: Apache-2.0
# The public library (include/refract/), of the same objects as the executable: librefract.so and librefract.a.
# Only refract_* is visible in them. Programs built with sanitisers link the library `abi` instead.
if(REFRACT_SANITIZE OR REFRACT_SANITIZE_THREADS)
  return()
endif()
set(REFRACT_ABI 1)  # as in refract.h; a test compares them

# Debian's static protobuf, SQLite, PNG and zlib are not position-independent. Nothing in the library uses the
# last three, and protobuf is linked dynamically: it comes before the libraries that would link it statically.
find_library(PROTOBUF_SHARED NAMES libprotobuf.so REQUIRED)
add_library(refract_shared SHARED $<TARGET_OBJECTS:abi>)
target_link_libraries(refract_shared PRIVATE ${PROTOBUF_SHARED} mutate reduce)
set_target_properties(refract_shared PROPERTIES
  OUTPUT_NAME refract LINKER_LANGUAGE CXX VERSION ${REFRACT_ABI}.${PROJECT_VERSION} SOVERSION ${REFRACT_ABI}
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/abi.map
  # In place of the options of the executable, which contains its C++ runtime.
  LINK_OPTIONS "-Wl,--gc-sections;-Wl,--no-undefined;-Wl,--build-id;-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/abi.map;$<$<BOOL:${LLD}>:-fuse-ld=lld>")

# What programs that link the static library link too.
set(REFRACT_STATIC_LIBRARIES SPIRV-Tools-opt SPIRV-Tools protobuf pthread dl)
list(TRANSFORM REFRACT_STATIC_LIBRARIES PREPEND "-l" OUTPUT_VARIABLE REFRACT_STATIC_FLAGS)
list(JOIN REFRACT_STATIC_FLAGS " " REFRACT_STATIC_FLAGS)
string(APPEND REFRACT_STATIC_FLAGS " -lstdc++ -lm")

# The static library is one object, in which all other symbols are local.
find_program(LD_BFD ld.bfd)
if(LD_BFD)
  set(parts mutate reduce shrink engine wire transform donate rules message facts target driver signature crash
            glsl interp image input ir base)
  list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE part_files)
  set(static_library ${PROJECT_BINARY_DIR}/librefract.a)
  add_custom_command(
    OUTPUT ${static_library}
    COMMAND ${LD_BFD} -r --force-group-allocation -o librefract.o --whole-archive $<TARGET_FILE:abi>
            --no-whole-archive --start-group ${part_files} --end-group
    # objcopy makes weak symbols local, but not unique ones: static and inline variables of headers. References
    # to other libraries must stay strong.
    COMMAND ${CMAKE_OBJCOPY} --wildcard "--weaken-symbol=_ZZ*" "--weaken-symbol=_ZGV*"
            "--weaken-symbol=_ZN7refract*" "--weaken-symbol=_ZN3fmt*"
            --weaken-symbol=_ZSt19piecewise_construct librefract.o
    COMMAND ${CMAKE_OBJCOPY} --wildcard "--keep-global-symbol=refract_*" librefract.o
    COMMAND ${CMAKE_COMMAND} -E rm -f ${static_library}
    COMMAND ${CMAKE_AR} rcs ${static_library} librefract.o
    COMMAND ${CMAKE_COMMAND} -E rm -f librefract.o
    DEPENDS abi ${parts} WORKING_DIRECTORY ${PROJECT_BINARY_DIR} COMMENT "Making librefract.a" VERBATIM)
  add_custom_target(refract_static ALL DEPENDS ${static_library})
endif()
