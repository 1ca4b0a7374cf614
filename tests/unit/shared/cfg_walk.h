// SPDX-License-Identifier: Apache-2.0
// Executes the function of a test::Cfg: transformations of control flow must not change the result.
// Branches on %choice and %pick follow pseudo-random answers that depend on the name of the branch
// and on how often it was executed; everything else is computed.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "ir/branches.h"
#include "ir/types.h"

namespace refract::test {

class CfgWalk {
 public:
  /// The names and values of the original instructions in order of execution, up to `limit`.
  using Trace = std::vector<std::pair<Name, uint32_t>>;

  CfgWalk(const Module& module, uint64_t seed) : module_(module), seed_(seed) {}

  Trace Run(Function function, size_t limit) {
    Block block = module_[function].first;
    // Blocks without original instructions count as well: an endless loop of such blocks is a bug.
    for (size_t entered = 0; block != Block::kNone && entered < 100 * limit; ++entered) {
      if (!ExecuteBlock(block, limit)) return trace_;
      const Block next = Successor(module_.Terminator(block));
      previous_ = block;
      block = next;
    }
    EXPECT_EQ(block, Block::kNone) << "the walk does not come to an end";
    return trace_;
  }

 private:
  bool ExecuteBlock(Block block, size_t limit) {
    std::map<Id, uint32_t> phis;
    for (Inst inst = module_.First(block); inst != Inst::kNone; inst = module_.Next(inst)) {
      const Id result = module_.Result(inst);
      switch (module_.Opcode(inst)) {
        case spv::Op::OpPhi:
          if (IsBool(module_, module_.Type(inst))) {
            conditions_[result] = PhiInput(inst);
          } else {
            phis[result] = Value(PhiInput(inst));
          }
          continue;
        case spv::Op::OpIAdd:
          for (const auto& [id, value] : phis) values_[id] = value;
          values_[result] = Value(module_.IdAt(inst, 0)) + Value(module_.IdAt(inst, 1));
          break;
        case spv::Op::OpCopyObject:
          for (const auto& [id, value] : phis) values_[id] = value;
          values_[result] = Value(module_.IdAt(inst, 0));
          continue;
        default:
          continue;
      }
      const Name name = OriginalName(inst);
      if (name.step != 0) continue;
      trace_.emplace_back(name, values_[result]);
      if (trace_.size() == limit) return false;
    }
    for (const auto& [id, value] : phis) values_[id] = value;
    return true;
  }

  // If a step moved a value and a phi replaces it, the name stays with the instruction that
  // computes the value.
  Name OriginalName(Inst inst) const {
    while (module_[inst].copy_of != Inst::kNone) inst = module_[inst].copy_of;
    return module_.NameOf(inst);
  }

  uint32_t Value(Id id) const {
    if (const auto literal = LiteralValue(module_, id)) return static_cast<uint32_t>(*literal);
    const auto found = values_.find(id);
    EXPECT_NE(found, values_.end()) << "a value is used that was never computed";
    return found == values_.end() ? 0 : found->second;
  }

  Id PhiInput(Inst phi) const {
    for (uint32_t i = 0; i < module_.OperandCount(phi); i += 2) {
      if (module_.IdAt(phi, i + 1) == module_.LabelId(previous_)) return module_.IdAt(phi, i);
    }
    ADD_FAILURE() << "a phi has no input for the edge";
    return module_.IdAt(phi, 0);
  }

  bool Condition(Id id, uint64_t oracle) const {
    switch (module_.OpcodeOf(id)) {
      case spv::Op::OpConstantTrue:
        return true;
      case spv::Op::OpConstantFalse:
        return false;
      case spv::Op::OpConstantNull:
        return false;
      case spv::Op::OpPhi:
        return Condition(conditions_.at(id), oracle);
      case spv::Op::OpLogicalNot:
        return !Condition(module_.IdAt(module_.Definition(id), 0), oracle);
      default:
        return (oracle & 1) != 0;
    }
  }

  Block Successor(Inst branch) {
    const uint64_t oracle = Mix(Mix(seed_, module_.NameOf(branch)), visits_[branch]++);
    std::vector<Block> targets;
    ForEachTarget(module_, branch, [&](uint32_t operand) {
      targets.push_back(module_.BlockOfLabel(module_.IdAt(branch, operand)));
    });
    if (targets.empty()) return Block::kNone;
    if (module_.Opcode(branch) == spv::Op::OpBranchConditional) {
      return targets[Condition(module_.IdAt(branch, 0), oracle) ? 0 : 1];
    }
    return targets[oracle % targets.size()];
  }

  const Module& module_;
  uint64_t seed_;
  Block previous_ = Block::kNone;
  std::map<Id, uint32_t> values_;
  std::map<Id, Id> conditions_;  // for phis: the input that was taken
  std::map<Inst, uint64_t> visits_;
  Trace trace_;
};

}  // namespace refract::test
