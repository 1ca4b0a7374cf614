// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/live_range.h"

#include <utility>

#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/values.h"

namespace refract {
inline namespace rules {
namespace {

// True for instructions across which values are kept in registers or saved: calls and barriers.
bool IsCrossed(const Module& module, Inst inst) {
  return module.Opcode(inst) == spv::Op::OpFunctionCall || PropertiesOf(module, inst).orders_memory;
}

}  // namespace

ValuesAbove FindValuesAbove(const Module& module, Inst where, size_t most_instructions) {
  ValuesAbove above;
  bool is_far = false;
  const ControlFlow& flow = module.Flow(module.FunctionOf(where));
  Block block = module.BlockOf(where);
  Inst inst = module.Prev(where);
  for (size_t seen = 0; seen < most_instructions; ++seen) {
    if (inst == Inst::kNone) {
      const Construct* loop = flow.InnermostLoop(block);
      is_far |= flow.IsMergeBlock(block) || (loop != nullptr && loop->header == block);
      block = flow.ImmediateDominator(block);
      if (block == Block::kNone) break;
      inst = module.Terminator(block);
      continue;
    }
    const Id type = module.Type(inst);
    if (type != Id::kNone && module.Opcode(inst) != spv::Op::OpUndef && IsOrdinary(module, type)) {
      above.values.push_back(module.Result(inst));
    }
    // The result of a call is not alive across the call.
    is_far |= IsCrossed(module, inst);
    if (!is_far) above.far = above.values.size();
    inst = module.Prev(inst);
  }
  return above;
}

Id LoadOfOverwritten(const Module& module, Inst before) {
  constexpr int kLookedAt = 8;
  if (module.Opcode(before) != spv::Op::OpStore) return Id::kNone;
  Inst inst = before;
  for (int i = 0; i < kLookedAt && inst != Inst::kNone; ++i, inst = module.Prev(inst)) {
    if (module.Opcode(inst) == spv::Op::OpLoad && module.IdAt(inst, 0) == module.IdAt(before, 0)) {
      return module.Result(inst);
    }
  }
  return Id::kNone;
}

std::vector<Id> NearOrFar(Proposer& proposer, Inst where, std::vector<Id> near) {
  constexpr size_t kLookedAt = 128;
  if (proposer.Pick(2) != 0) return near;
  ValuesAbove above = FindValuesAbove(proposer.module(), where, kLookedAt);
  if (above.far == above.values.size()) return near;
  above.values.erase(above.values.begin(),
                     above.values.begin() + static_cast<ptrdiff_t>(above.far));
  return std::move(above.values);
}

}  // namespace rules
}  // namespace refract
