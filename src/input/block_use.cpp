// SPDX-License-Identifier: Apache-2.0
#include "input/block_use.h"

#include <algorithm>

#include "ir/call_graph.h"
#include "ir/decorations.h"
#include "ir/types.h"

namespace refract {
inline namespace input {
namespace {

bool IsCopy(spv::Op opcode) {
  return opcode == spv::Op::OpCopyObject;
}

// True if the instruction only writes through the pointer that is its first operand.
bool IsWrite(spv::Op opcode) {
  return opcode == spv::Op::OpStore || opcode == spv::Op::OpCopyMemory;
}

// True if an instruction uses the pointer, or a pointer derived from it, in any way except storing
// through it.
bool IsRead(const Module& module, Id pointer) {
  std::vector<Id> pending{pointer};
  while (!pending.empty()) {
    const Id next = pending.back();
    pending.pop_back();
    bool read = false;
    ForEachUse(module, next, [&](Use use) {
      const Inst user = module.User(use);
      if (module.FunctionOf(user) == Function::kNone) return;  // a name or a decoration
      const bool is_base = module.OperandIndex(use) == 0;
      const spv::Op opcode = module.Opcode(user);
      if (is_base && (IsAccessChain(opcode) || IsCopy(opcode))) {
        pending.push_back(module.Result(user));
      } else if (!is_base || !IsWrite(opcode)) {
        read = true;
      }
    });
    if (read) return true;
  }
  return false;
}

// Adds to `result` what `functions` do through `pointer`, which points to a whole block or, if
// `in_array` is set, to an array of blocks.
void AddUses(const Module& module, Id pointer, bool in_array, const std::vector<bool>& functions,
             VariableUse* result) {
  ForEachUse(module, pointer, [&](Use use) {
    const Inst user = module.User(use);
    const Function function = module.FunctionOf(user);
    if (function == Function::kNone || !functions[Index(function)]) return;
    result->used = true;
    const spv::Op opcode = module.Opcode(user);
    const bool is_pointer = module.OperandIndex(use) == 0;
    if (is_pointer && IsWrite(opcode)) return;
    if (is_pointer && opcode == spv::Op::OpArrayLength) {
      result->reads_length = true;
      return;
    }
    if (is_pointer && IsCopy(opcode)) {
      AddUses(module, module.Result(user), in_array, functions, result);
      return;
    }
    const uint32_t before_member = in_array ? 2 : 1;
    if (in_array && is_pointer && IsAccessChain(opcode) &&
        module.OperandCount(user) == before_member) {
      AddUses(module, module.Result(user), false, functions, result);
      return;
    }
    if (is_pointer && IsAccessChain(opcode) && module.OperandCount(user) > before_member) {
      if (!IsRead(module, module.Result(user))) return;
      if (const auto member = LiteralValue(module, module.IdAt(user, before_member))) {
        result->reads.push_back(static_cast<uint32_t>(*member));
        return;
      }
    }
    result->reads_all = true;
  });
}

}  // namespace

bool VariableUse::Reads(uint32_t member) const {
  return reads_all || std::binary_search(reads.begin(), reads.end(), member);
}

Id WithoutArrays(const Module& module, Id type) {
  while (TypeOpcode(module, type) == spv::Op::OpTypeArray ||
         TypeOpcode(module, type) == spv::Op::OpTypeRuntimeArray) {
    type = ElementType(module, type);
  }
  return type;
}

bool IsBlockArray(const Module& module, Id variable) {
  const Id pointer = module.TypeOf(variable);
  const spv::StorageClass storage = StorageClassOf(module, pointer);
  if (storage != spv::StorageClass::Uniform && storage != spv::StorageClass::StorageBuffer) {
    return false;
  }
  const Id type = ElementType(module, pointer);
  return WithoutArrays(module, type) != type;
}

std::vector<bool> ReachedFlags(const Module& module, Function entry) {
  std::vector<bool> flags(module.function_slots());
  for (const Function function : Reached(module, entry)) flags[Index(function)] = true;
  return flags;
}

VariableUse UseOf(const Module& module, Id variable, const std::vector<bool>& functions) {
  VariableUse result;
  const bool in_array = IsBlockArray(module, variable) ||
                        IsArrayOfBlocks(module, ElementType(module, module.TypeOf(variable)));
  AddUses(module, variable, in_array, functions, &result);
  std::sort(result.reads.begin(), result.reads.end());
  return result;
}

}  // namespace input
}  // namespace refract
