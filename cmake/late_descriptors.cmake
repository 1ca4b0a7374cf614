# SPDX-License-Identifier: Apache-2.0
# Removes from the files that protoc wrote (FILES) the line that registers all descriptors before
# main. That takes a fifth of the time of `refract --version`. Protobuf registers the descriptors
# itself at their first use, and most runs do not use them. If another version of protoc writes no
# such line, nothing changes.
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  string(REGEX REPLACE "[^\n]*AddDescriptorsRunner dynamic_init_dummy_[^\n]*\n" "" text "${text}")
  file(WRITE ${file} "${text}")
endforeach()
