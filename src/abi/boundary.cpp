// SPDX-License-Identifier: Apache-2.0
#include "abi/boundary.h"

#include <cstdlib>

#include "base/text.h"
#include "base/version.h"

namespace refract {
inline namespace abi {

char* NewText(std::string_view text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) return nullptr;
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

refract_status Fail(const Error& error, char** message) {
  if (message != nullptr) *message = NewText(error.message);
  switch (error.kind) {
    case ErrorKind::kBadInput:
      return REFRACT_BAD_INPUT;
    case ErrorKind::kUsage:
      return REFRACT_BAD_ARGUMENT;
    case ErrorKind::kUnavailable:
      return REFRACT_UNAVAILABLE;
    case ErrorKind::kFailed:
      break;
  }
  return REFRACT_FAULT;
}

refract_status BadArgument(const char* what, char** message) {
  return Fail(Error{what, ErrorKind::kUsage}, message);
}

Result<std::vector<uint32_t>> ReadWords(const void* bytes, size_t size, const char* name) {
  if (bytes == nullptr) return Error{format("{}: null bytes", name), ErrorKind::kUsage};
  if (size < 20 || size % 4 != 0) {
    return Error{format("{}: {} bytes are not a SPIR-V binary", name, size)};
  }
  std::vector<uint32_t> words(size / 4);
  std::memcpy(words.data(), bytes, size);
  return words;
}

Result<std::shared_ptr<const Inputs>> ReadInputs(const char* text, const char* name) {
  if (text == nullptr) return std::shared_ptr<const Inputs>();
  Result<Inputs> inputs = ParseInputs(format("{}.json", name), text);
  if (!inputs) return inputs.error();
  return std::shared_ptr<const Inputs>(std::make_shared<const Inputs>(std::move(*inputs)));
}

}  // namespace abi
}  // namespace refract

const char* refract_version(void) {
  return refract::ToolVersion();
}

uint32_t refract_abi(void) {
  return REFRACT_ABI;
}

const char* refract_status_name(refract_status status) {
  switch (status) {
    case REFRACT_OK:
      return "ok";
    case REFRACT_BAD_INPUT:
      return "bad input";
    case REFRACT_BAD_ARGUMENT:
      return "bad argument";
    case REFRACT_UNAVAILABLE:
      return "unavailable";
    case REFRACT_FAULT:
      return "fault";
    case REFRACT_NOT_INTERESTING:
      return "not interesting";
    case REFRACT_STOPPED:
      return "stopped";
    default:
      return "unknown status";
  }
}

void refract_text_free(char* text) {
  std::free(text);
}
