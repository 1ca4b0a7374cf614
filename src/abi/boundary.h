// SPDX-License-Identifier: Apache-2.0
// What the functions of include/refract/refract.h have in common: errors become a status and a
// text, exceptions end here, and structs of other versions are read and written.
#pragma once

#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "engine/original.h"
#include "input/inputs.h"
#include "refract/refract.h"

struct refract_module {
  refract::Original original;
};

struct refract_variant {
  std::vector<uint32_t> words;
  std::string recording;
  std::string inputs;  // the text of shader.json; used if has_inputs
  bool has_inputs = false;
  size_t steps = 0, skipped = 0;
};

namespace refract {
inline namespace abi {

/// A text that the caller frees with refract_text_free; null if there is no memory.
char* NewText(std::string_view text);
/// Stores the message of the error and returns its status.
refract_status Fail(const Error& error, char** message);
/// REFRACT_BAD_ARGUMENT with this message.
refract_status BadArgument(const char* what, char** message);

/// Calls `work`, which returns a refract_status, and turns exceptions into REFRACT_FAULT.
template <class Work>
refract_status Guarded(char** message, Work work) noexcept {
  if (message != nullptr) *message = nullptr;
  try {
    return work();
  } catch (const std::exception& error) {
    // Only std::bad_alloc is expected: Refract throws nothing.
    if (message != nullptr) *message = NewText(error.what());
  } catch (...) {
    if (message != nullptr) *message = NewText("unknown exception");
  }
  return REFRACT_FAULT;
}

/// Copies a struct of the caller, which may be of another version: fields that it lacks are zero.
/// null stands for defaults. False if the size makes no sense, or if a field that this version does
/// not know is not zero.
template <class Struct>
bool ReadStruct(const Struct* given, Struct* read) {
  static_assert(std::is_trivially_copyable_v<Struct>);
  *read = Struct();
  if (given == nullptr) return true;
  const size_t size = given->struct_size;
  if (size < sizeof(size_t)) return false;
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  for (size_t i = sizeof(Struct); i < size; ++i) {
    if (bytes[i] != 0) return false;
  }
  std::memcpy(read, given, size < sizeof(Struct) ? size : sizeof(Struct));
  return true;
}

/// Writes a result to a struct of the caller, as far as it has the fields. False if the size makes
/// no sense.
template <class Struct>
bool WriteStruct(Struct made, Struct* given) {
  static_assert(std::is_trivially_copyable_v<Struct>);
  const size_t size = given->struct_size;
  if (size < sizeof(size_t)) return false;
  made.struct_size = size;
  std::memcpy(given, &made, size < sizeof(Struct) ? size : sizeof(Struct));
  return true;
}

/// The words of a binary in memory; an error if `bytes` is null or its size is not that of a
/// module.
Result<std::vector<uint32_t>> ReadWords(const void* bytes, size_t size, const char* name);
/// Parses the text of shader.json; null gives null.
Result<std::shared_ptr<const Inputs>> ReadInputs(const char* text, const char* name);

}  // namespace abi
}  // namespace refract
