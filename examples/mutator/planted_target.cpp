// SPDX-License-Identifier: Apache-2.0
// A fuzz target with a planted bug, for trying the mutator: a small analysis of SPIR-V. It aborts
// on a function that has an OpPhi, an OpSelect, and a call with three or more arguments.
#include <refract/refract.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

namespace {

struct Function {
  size_t parameters = 0;
  bool has_phi = false, has_select = false, has_large_call = false;
};

bool Analyse(const std::vector<uint32_t>& words) {
  if (words.size() < 5 || words[0] != 0x07230203) return false;
  std::map<uint32_t, Function> functions;
  Function* current = nullptr;
  for (size_t at = 5; at < words.size();) {
    const uint32_t opcode = words[at] & 0xffff, count = words[at] >> 16;
    if (count == 0 || count > words.size() - at) return false;
    if (opcode == 54 && count >= 5) {  // OpFunction
      current = &functions[words[at + 2]];
    } else if (opcode == 55 && current != nullptr) {  // OpFunctionParameter
      ++current->parameters;
    } else if (opcode == 245 && current != nullptr) {  // OpPhi
      if (count < 5) return false;
      current->has_phi = true;
    } else if (opcode == 169 && current != nullptr) {  // OpSelect
      if (count != 6) return false;
      current->has_select = true;
    } else if (opcode == 57 && current != nullptr) {  // OpFunctionCall
      if (count < 4) return false;
      if (count - 4 >= 3) current->has_large_call = true;
    }
    at += count;
  }
  for (const auto& [id, function] : functions) {
    if (!function.has_phi) continue;
    if (!function.has_select) continue;
    if (function.has_large_call) std::abort();  // the planted bug
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // The trailer is not for the code under test.
  const size_t module = refract_mutated_module_size(data, size);
  if (module % 4 != 0) return 0;
  std::vector<uint32_t> words(module / 4);
  if (!words.empty()) std::memcpy(words.data(), data, module);
  Analyse(words);
  return 0;
}
