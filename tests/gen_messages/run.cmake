# SPDX-License-Identifier: Apache-2.0
# Golden test of tools/gen_messages: good/ gives what is in expected/, each file of bad/ is refused
# with the text of its ERROR line. With BLESS=1 in the environment expected/ is written anew.
# Called with -DPROTOC= -DGEN= -DOUT= (a scratch folder).
set(here ${CMAKE_CURRENT_LIST_DIR})
file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT})

function(run_protoc folder)
  execute_process(COMMAND ${PROTOC} -I ${folder} --include_source_info
                          --descriptor_set_out=${OUT}/protos.binpb ${ARGN}
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run_protoc(${here}/good ${here}/good/proto/shared.proto ${here}/good/proto/transformation.proto)
execute_process(COMMAND ${GEN} ${OUT}/protos.binpb ${OUT}/written ${OUT}/written
                COMMAND_ERROR_IS_FATAL ANY)
if(DEFINED ENV{BLESS})
  file(REMOVE_RECURSE ${here}/expected)
  file(COPY ${OUT}/written/ DESTINATION ${here}/expected)
endif()
file(GLOB_RECURSE written RELATIVE ${OUT}/written ${OUT}/written/*)
file(GLOB_RECURSE expected RELATIVE ${here}/expected ${here}/expected/*)
if(NOT written STREQUAL expected)
  message(SEND_ERROR "written: ${written}\nexpected: ${expected}")
endif()
foreach(name IN LISTS written)
  execute_process(COMMAND diff -u ${here}/expected/${name} ${OUT}/written/${name}
                  RESULT_VARIABLE differs)
  if(differs)
    message(SEND_ERROR "${name} differs; BLESS=1 accepts it")
  endif()
endforeach()

# A second run with the same descriptors touches nothing: what depends on it is not rebuilt.
file(TIMESTAMP ${OUT}/written/message/all.h before "%s")
execute_process(COMMAND ${CMAKE_COMMAND} -E sleep 1.1)
execute_process(COMMAND ${GEN} ${OUT}/protos.binpb ${OUT}/written ${OUT}/written
                COMMAND_ERROR_IS_FATAL ANY)
file(TIMESTAMP ${OUT}/written/message/all.h after "%s")
if(NOT before STREQUAL after)
  message(SEND_ERROR "message/all.h was written again though nothing changed")
endif()

file(GLOB bad ${here}/bad/*.proto)
foreach(proto IN LISTS bad)
  file(STRINGS ${proto} first REGEX "^// ERROR: ")
  string(REPLACE "// ERROR: " "gen_messages: " wanted "${first}")
  run_protoc(${here}/bad ${proto})
  execute_process(COMMAND ${GEN} ${OUT}/protos.binpb ${OUT}/bad ${OUT}/bad RESULT_VARIABLE result
                  ERROR_VARIABLE error ERROR_STRIP_TRAILING_WHITESPACE)
  if(NOT result EQUAL 1 OR NOT error STREQUAL wanted)
    message(SEND_ERROR "${proto}: exit ${result}\n  says:   ${error}\n  wanted: ${wanted}")
  endif()
endforeach()
list(LENGTH bad count)
if(count EQUAL 0)
  message(SEND_ERROR "no file in ${here}/bad")
endif()
