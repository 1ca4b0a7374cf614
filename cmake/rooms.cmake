# SPDX-License-Identifier: Apache-2.0
# One library per room (a folder under src/), its sources found by name. The second argument on is
# what the room may use; tools/check_rooms holds the includes to the same table.
function(room name)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  if(sources)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${name} PUBLIC ${ARGN})
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${name} INTERFACE ${ARGN})
  endif()
endfunction()

room(base Threads::Threads)
room(ir base SPIRV-Tools-opt SPIRV-Tools-static)
room(input ir)
room(glsl input glslang::glslang glslang::SPIRV glslang::glslang-default-resource-limits)
room(image base PNG::PNG)
room(facts ir input)
