// SPDX-License-Identifier: Apache-2.0
// Looks at sums of floats that other optimisers would contract or rearrange. It leaves all of them
// as they are, because its output is compared bit for bit. Only its bugs change them.
#include <spirv/unified1/GLSL.std.450.h>

#include <set>
#include <utility>

#include "planted/passes.h"

namespace refract::planted {
namespace {

using spv::Op;

class FloatRules {
 public:
  explicit FloatRules(Program* program) : program_(*program), definitions_(*program) {
    for (const Instruction& decoration : program->annotations) {
      if (decoration.op == Op::OpDecorate &&
          decoration.Word(1) == static_cast<uint32_t>(spv::Decoration::NoContraction)) {
        not_contracted_.insert(decoration.Id(0));
      }
    }
    for (const auto& [id, set] : program->imports) {
      if (set == ExtInstSet::kGlsl) glsl_ = id;
    }
  }

  void Run() {
    std::vector<std::pair<Block*, std::vector<Instruction>>> made;
    for (Function& function : program_.functions) {
      for (Block& block : function.blocks) {
        std::vector<Instruction> code;
        for (const Instruction& instruction : block.code) Visit(instruction, &code);
        made.emplace_back(&block, std::move(code));
      }
    }
    // Definitions refer to the old code until all of it is visited.
    for (auto& [block, code] : made) block->code = std::move(code);
  }

 private:
  bool IsExactly(const Instruction* instruction, Op op) const {
    return instruction != nullptr && instruction->op == op &&
           not_contracted_.count(instruction->result) != 0;
  }

  // Appends the instruction to `code`, or what a bug makes of it.
  void Visit(Instruction instruction, std::vector<Instruction>* code) {
    if (IsExactly(&instruction, Op::OpFSub)) Contract(&instruction);
    if (IsExactly(&instruction, Op::OpFAdd)) Rearrange(&instruction, code);
    code->push_back(std::move(instruction));
  }

  // The product in x * a - x is contracted although it has NoContraction, and the sign is lost.
  void Contract(Instruction* difference) {
    const Instruction* product = definitions_[difference->Id(0)];
    if (!IsExactly(product, Op::OpFMul) || product->Id(0) != difference->Id(1) || glsl_ == 0 ||
        !program_.bugs.At(Bug::kContracted)) {
      return;
    }
    difference->op = Op::OpExtInst;
    difference->in = {IdOperand(glsl_), Literal(GLSLstd450Fma), IdOperand(product->Id(0)),
                      IdOperand(product->Id(1)), IdOperand(difference->Id(1))};
  }

  // (c - c) + x becomes c - (c - x) although it has NoContraction: x is rounded away.
  void Rearrange(Instruction* sum, std::vector<Instruction>* code) {
    const Instruction* zero = definitions_[sum->Id(0)];
    if (!IsExactly(zero, Op::OpFSub) || zero->Id(0) != zero->Id(1) ||
        !program_.bugs.At(Bug::kRearranged)) {
      return;
    }
    Instruction inner{
        Op::OpFSub, sum->type, program_.NewId(), {IdOperand(zero->Id(0)), IdOperand(sum->Id(1))}};
    sum->op = Op::OpFSub;
    sum->in = {IdOperand(zero->Id(0)), IdOperand(inner.result)};
    code->push_back(std::move(inner));
  }

  Program& program_;
  Definitions definitions_;
  std::set<uint32_t> not_contracted_;
  uint32_t glsl_ = 0;
};

}  // namespace

void ReassociateFloats(Program* program) {
  FloatRules(program).Run();
}

}  // namespace refract::planted
