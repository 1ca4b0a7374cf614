// SPDX-License-Identifier: Apache-2.0
#include "measure/register_pressure.h"

#include <algorithm>
#include <map>
#include <vector>

#include "rules/values.h"

namespace refract::measure {
namespace {

// Liveness of SSA values, computed backwards by block until nothing changes.
class Liveness {
 public:
  Liveness(const Module& module, Function function)
      : module_(module), flow_(module.Flow(function)) {
    ForEachBlock(module, function, [&](Block block) {
      blocks_.push_back(block);
      ForEachInstruction(module, block, [&](Inst inst) {
        const Id id = module.Result(inst);
        if (id != Id::kNone && module.Type(inst) != Id::kNone &&
            IsOrdinary(module, module.Type(inst))) {
          numbers_.emplace(id, numbers_.size());
          weights_.push_back(ScalarCount(module, module.Type(inst)));
        }
      });
    });
    for (Block block : blocks_) alive_before_[block].assign(numbers_.size(), false);
  }

  uint64_t Most() {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
        std::vector<bool> alive = Walk(*block);
        if (alive == alive_before_[*block]) continue;
        alive_before_[*block] = std::move(alive);
        changed = true;
      }
    }
    return most_;
  }

 private:
  using Alive = std::vector<bool>;

  void Use(Id id, Alive* alive) const {
    if (const auto number = numbers_.find(id); number != numbers_.end()) {
      (*alive)[number->second] = true;
    }
  }

  // Returns what is alive before the block. Raises most_ to the most that is alive at once in it.
  Alive Walk(Block block) {
    Alive alive(numbers_.size(), false);
    for (Block next : flow_.Successors(block)) {
      const Alive& before = alive_before_[next];
      for (size_t i = 0; i < alive.size(); ++i) alive[i] = alive[i] || before[i];
      UsePhisOf(next, block, &alive);
    }
    Count(alive);
    for (Inst inst = module_.Last(block); inst != Inst::kNone; inst = module_.Prev(inst)) {
      if (const auto number = numbers_.find(module_.Result(inst)); number != numbers_.end()) {
        alive[number->second] = false;
      }
      if (module_.Opcode(inst) == spv::Op::OpPhi) continue;
      for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
        if (module_.IsId(inst, i)) Use(module_.IdAt(inst, i), &alive);
      }
      Count(alive);
    }
    return alive;
  }

  // The inputs of phis are used at the end of the predecessor that they come from.
  void UsePhisOf(Block next, Block from, Alive* alive) const {
    ForEachInstruction(module_, next, [&](Inst inst) {
      if (module_.Opcode(inst) != spv::Op::OpPhi) return;
      for (uint32_t i = 0; i + 1 < module_.OperandCount(inst); i += 2) {
        if (module_.IdAt(inst, i + 1) == module_.LabelId(from)) Use(module_.IdAt(inst, i), alive);
      }
    });
  }

  void Count(const Alive& alive) {
    uint64_t sum = 0;
    for (size_t i = 0; i < alive.size(); ++i) sum += alive[i] ? weights_[i] : 0;
    most_ = std::max(most_, sum);
  }

  const Module& module_;
  const ControlFlow& flow_;
  std::vector<Block> blocks_;
  std::map<Id, size_t> numbers_;
  std::vector<uint64_t> weights_;  // scalars in the value with that number
  std::map<Block, Alive> alive_before_;
  uint64_t most_ = 0;
};

}  // namespace

uint64_t MaxLiveScalars(const Module& module) {
  uint64_t most = 0;
  ForEachFunction(module, [&](Function function) {
    if (module[function].first != Block::kNone) {
      most = std::max(most, Liveness(module, function).Most());
    }
  });
  return most;
}

}  // namespace refract::measure
