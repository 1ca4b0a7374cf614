# SPDX-License-Identifier: Apache-2.0
# Takes out of what protoc wrote (FILES) the line that registers all descriptors before main: a
# fifth of what `refract --version` takes. Protobuf registers them itself when the first is asked
# for, and most runs ask for none. Without such a line, in another version, nothing changes.
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  string(REGEX REPLACE "[^\n]*AddDescriptorsRunner dynamic_init_dummy_[^\n]*\n" "" text "${text}")
  file(WRITE ${file} "${text}")
endforeach()
