// SPDX-License-Identifier: Apache-2.0
// Eliminates common subexpressions along the dominator tree.
#include <algorithm>

#include "planted/flow.h"
#include "planted/passes.h"

namespace refract::planted {
namespace {

// Identifies what an instruction computes: equal keys mean equal values.
struct Key {
  spv::Op op;
  uint32_t type;
  std::vector<Operand> in;
  std::vector<std::vector<Operand>> decorations;
  auto operator<=>(const Key&) const = default;
};

class Reuse {
  struct Value {
    uint32_t block = 0, id = 0;
  };

 public:
  explicit Reuse(Program* program) : program_(*program), definitions_(*program) {
    for (const Instruction& decoration : program->annotations) {
      if (decoration.op == spv::Op::OpGroupDecorate) {
        for (size_t i = 1; i < decoration.in.size(); ++i) grouped_[decoration.Id(i)] = true;
      } else if (!decoration.in.empty() && decoration.in[0].is_id) {
        decorations_[decoration.Id(0)].emplace_back(decoration.in.begin() + 1, decoration.in.end());
      }
    }
    for (auto& [id, list] : decorations_) std::sort(list.begin(), list.end());
  }

  void Run(Function* function) {
    const Flow flow(*function);
    std::map<Key, std::vector<Value>> known;
    for (const uint32_t block : flow.dominators.Preorder()) {
      for (Instruction& instruction : function->blocks[block].code) {
        for (Operand& operand : instruction.in) {
          if (operand.is_id) operand.word = replaced_.Find(operand.word);
        }
        if (!MayReuse(instruction)) continue;
        std::vector<Value>& values = known[KeyOf(instruction)];
        const uint32_t earlier = Find(flow, values, block);
        if (earlier == 0) {
          values.push_back({block, instruction.result});
        } else {
          replaced_.Set(instruction.result, earlier);
          instruction.Remove();
        }
      }
    }
  }

  void Finish() { replaced_.Apply(&program_); }

 private:
  bool MayReuse(const Instruction& instruction) const {
    if (instruction.result == 0 || instruction.type == 0) return false;
    const Properties& properties = program_.PropertiesOf(instruction);
    if (!properties.pure || properties.convergent || !properties.deterministic ||
        properties.result_stays_in_block || grouped_.count(instruction.result) != 0) {
      return false;
    }
    switch (instruction.op) {
      case spv::Op::OpPhi:
      case spv::Op::OpUndef:
      case spv::Op::OpImage:
      case spv::Op::OpImageTexelPointer:
        return false;
      default:
        return true;
    }
  }

  // Whether the operands are equal, as in x & x.
  static bool Same(const Instruction& instruction) {
    const bool is_one =
        instruction.op == spv::Op::OpBitwiseAnd || instruction.op == spv::Op::OpBitwiseOr ||
        instruction.op == spv::Op::OpLogicalAnd || instruction.op == spv::Op::OpLogicalOr;
    return is_one && instruction.Id(0) == instruction.Id(1);
  }

  bool IsLocal(uint32_t pointer) const {
    const Instruction* variable = definitions_[pointer];
    return variable != nullptr && variable->op == spv::Op::OpVariable &&
           variable->Word(0) == static_cast<uint32_t>(spv::StorageClass::Function);
  }

  Key KeyOf(const Instruction& instruction) const {
    Key key{instruction.op, instruction.type, instruction.in, {}};
    if (program_.PropertiesOf(instruction).commutes) {
      if (Same(instruction) && instruction.op == spv::Op::OpLogicalAnd &&
          program_.bugs.At(Bug::kSameOperands)) {
        RankOf(instruction, false);
      }
      const size_t first = instruction.op == spv::Op::OpExtInst ? 2 : 0;
      if (key.in[first + 1] < key.in[first]) std::swap(key.in[first], key.in[first + 1]);
    }
    if (instruction.op == spv::Op::OpInBoundsAccessChain && instruction.in.size() > 1 &&
        IsLocal(instruction.Id(0)) && program_.bugs.At(Bug::kInBoundsReuse)) {
      key.in.pop_back();
    }
    const auto found = decorations_.find(instruction.result);
    if (found != decorations_.end()) key.decorations = found->second;
    return key;
  }

  static uint32_t Find(const Flow& flow, const std::vector<Value>& values, uint32_t block) {
    for (const Value& value : values) {
      if (flow.dominators.Dominates(value.block, block)) return value.id;
    }
    return 0;
  }

  Program& program_;
  Definitions definitions_;
  Replacements replaced_;
  std::map<uint32_t, std::vector<std::vector<Operand>>> decorations_;
  std::map<uint32_t, bool> grouped_;
};

}  // namespace

void ReuseExpressions(Program* program) {
  Reuse reuse(program);
  for (Function& function : program->functions) {
    if (!function.blocks.empty()) reuse.Run(&function);
  }
  reuse.Finish();
}

}  // namespace refract::planted
