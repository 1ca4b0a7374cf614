// SPDX-License-Identifier: Apache-2.0
#include "target/module_names.h"

#include <cstring>
#include <spirv/unified1/spirv.hpp11>

#include "signature/signature.h"

namespace refract {
inline namespace target {
namespace {

/// The number of words before the name in an instruction; 0 if it has no name.
size_t WordsBeforeName(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpName:
      return 2;
    case spv::Op::OpMemberName:
    case spv::Op::OpEntryPoint:
      return 3;
    default:
      return 0;
  }
}

}  // namespace

std::vector<std::string> NamesOfModule(const std::vector<uint32_t>& words) {
  std::vector<std::string> names;
  for (size_t at = 5; at < words.size();) {
    const size_t length = words[at] >> 16;
    const spv::Op opcode = static_cast<spv::Op>(words[at] & 0xffff);
    if (length == 0 || length > words.size() - at || opcode == spv::Op::OpFunction) break;
    const size_t before = WordsBeforeName(opcode);
    if (before != 0 && before < length) {
      const char* name = reinterpret_cast<const char*>(&words[at + before]);
      names.emplace_back(name, ::strnlen(name, 4 * (length - before)));
    }
    at += length;
  }
  return names;
}

void AddNames(const std::vector<uint32_t>& words, RunResult* result) {
  if (result->verdict == RunOutcome::kOk) return;
  result->names = NamesIn(FactsOf(*result), NamesOfModule(words));
}

}  // namespace target
}  // namespace refract
