// SPDX-License-Identifier: Apache-2.0
// Removes copies, and extractions from composites that were just built.
#include "planted/flow.h"
#include "planted/passes.h"

namespace refract::planted {
namespace {

class Copies {
 public:
  explicit Copies(Program* program) : program_(*program), definitions_(*program) {
    for (const Instruction& decoration : program->annotations) {
      const bool matters =
          decoration.op != spv::Op::OpDecorate ||
          decoration.Word(1) != static_cast<uint32_t>(spv::Decoration::RelaxedPrecision);
      for (const Operand& operand : decoration.in) {
        if (matters && operand.is_id) decorated_[operand.word] = true;
      }
    }
  }

  void Run() {
    for (Function& function : program_.functions) {
      if (function.blocks.empty()) continue;
      const Flow flow(function);
      flow_ = &flow;
      for (uint32_t i = 0; i < function.blocks.size(); ++i) {
        if (!flow.Reachable(i)) continue;
        block_ = function.blocks[i].label;
        for (Instruction& instruction : function.blocks[i].code) Visit(instruction);
      }
    }
    replaced_.Apply(&program_);
  }

 private:
  // The current replacement of the operand.
  uint32_t At(const Instruction& instruction, size_t i) const {
    return replaced_.Find(instruction.Id(i));
  }

  bool IsCopied(const Instruction& instruction, size_t i) const {
    return At(instruction, i) != instruction.Id(i);
  }

  // Whether an OpCopyMemory copies a struct, which one of the references does.
  bool IsOfStruct(const Instruction& copy) const {
    const Instruction* pointer = definitions_[definitions_.TypeOf(At(copy, 0))];
    return definitions_.Op(pointer->Id(1)) == spv::Op::OpTypeStruct;
  }

  void Visit(Instruction& instruction) {
    const bool masked = (instruction.op == spv::Op::OpLoad && instruction.in.size() > 1) ||
                        (instruction.op == spv::Op::OpStore && instruction.in.size() > 2);
    const bool copies = instruction.op == spv::Op::OpCopyMemory && !IsOfStruct(instruction);
    if ((masked || copies) && (IsCopied(instruction, 0) || (copies && IsCopied(instruction, 1))) &&
        program_.bugs.At(Bug::kCopiedPointer)) {
      PLANTED_ASSERT(instruction.in.size() <= 1);
    }
    if (instruction.result == 0 || decorated_.count(instruction.result) != 0) return;
    const uint32_t source = SourceOf(instruction);
    if (source == 0 || definitions_.TypeOf(source) != instruction.type) return;
    // An OpSampledImage must be used in its block.
    if (definitions_.Op(source) == spv::Op::OpSampledImage) return;
    replaced_.Set(instruction.result, source);
    instruction.Remove();
  }

  // The value that an instruction copies; 0 if it is not a copy.
  uint32_t SourceOf(const Instruction& instruction) const {
    switch (instruction.op) {
      case spv::Op::OpCopyObject:
        if (definitions_.Op(instruction.type) == spv::Op::OpTypePointer &&
            program_.bugs.At(Bug::kPointerCopy)) {
          return WidthOfChain(definitions_[0]);
        }
        return At(instruction, 0);
      case spv::Op::OpPhi:
        return SourceOfPhi(instruction);
      case spv::Op::OpSelect:
        return At(instruction, 1) == At(instruction, 2) ? At(instruction, 1) : 0;
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
        return instruction.in.size() == 1 ? At(instruction, 0) : 0;
      case spv::Op::OpCompositeExtract:
        return SourceOfExtract(instruction);
      case spv::Op::OpVectorExtractDynamic:
        return SourceOfDynamic(instruction);
      case spv::Op::OpVectorShuffle:
        return SourceOfShuffle(instruction);
      default:
        return 0;
    }
  }

  // The same as an extract with a literal index.
  uint32_t SourceOfDynamic(const Instruction& extract) const {
    uint32_t index = 0;
    if (!definitions_.IntValue(At(extract, 1), &index)) return 0;
    if (program_.bugs.At(Bug::kDynamicConstant)) PLANTED_ASSERT(extract.in.size() == 3);
    const Instruction* made = definitions_[At(extract, 0)];
    if (made == nullptr || made->op != spv::Op::OpCompositeConstruct) return 0;
    const bool by_part = made->in.size() == definitions_[made->type]->Word(1);
    return by_part && index < made->in.size() ? At(*made, index) : 0;
  }

  // A phi whose inputs are one value, or the phi itself.
  uint32_t SourceOfPhi(const Instruction& phi) const {
    uint32_t source = 0;
    for (size_t i = 0; i < phi.in.size(); i += 2) {
      const uint32_t value = At(phi, i);
      if (i == 0 && phi.in.size() == 4 && IsFloating(phi.type) &&
          flow_->dominators.Dominates(flow_->Index(block_), flow_->Index(phi.Id(1))) &&
          program_.bugs.At(Bug::kBackEdgeFirst)) {
        continue;
      }
      if (value == phi.result || value == source) continue;
      if (source != 0) return 0;
      source = value;
    }
    // Each use of an undefined value may have another value.
    return definitions_.Op(source) == spv::Op::OpUndef ? 0 : source;
  }

  // For an extract of a part whose value is known, in whichever way the composite was made.
  uint32_t SourceOfExtract(const Instruction& extract) const {
    uint32_t composite = At(extract, 0);
    size_t next = 1;  // the next index
    while (next < extract.in.size()) {
      const Instruction* made = definitions_[composite];
      if (made == nullptr) return 0;
      if (made->op == spv::Op::OpCompositeConstruct || made->op == spv::Op::OpConstantComposite) {
        // A vector can be made from vectors.
        if (definitions_.Op(made->type) == spv::Op::OpTypeVector &&
            made->in.size() != definitions_[made->type]->Word(1)) {
          return 0;
        }
        if (extract.Word(next) >= made->in.size()) return 0;
        const uint32_t part = extract.Word(next);
        composite = replaced_.Find(made->Id(part));
        ++next;
      } else if (made->op == spv::Op::OpCompositeInsert) {
        const size_t depth = made->in.size() - 2, left = extract.in.size() - next;
        size_t common = 0;
        while (common < depth && common < left &&
               made->Word(2 + common) == extract.Word(next + common)) {
          ++common;
        }
        if (common == depth) {  // the inserted value, or a part of it
          composite = At(*made, 0);
          next += depth;
        } else if (common < left) {  // another part
          composite = At(*made, 1);
        } else {
          return 0;
        }
      } else {
        return 0;
      }
    }
    return composite;
  }

  bool IsFloating(uint32_t type) const {
    const spv::Op op = definitions_.Op(type);
    return op == spv::Op::OpTypeFloat || op == spv::Op::OpTypeVector;
  }

  // For a shuffle that returns a vector unchanged.
  uint32_t SourceOfShuffle(const Instruction& shuffle) const {
    const Instruction* second = definitions_[At(shuffle, 1)];
    if (second != nullptr && second->type == shuffle.type &&
        definitions_[At(shuffle, 0)] != nullptr) {
      const uint32_t first_type = definitions_[At(shuffle, 0)]->type;
      const uint32_t count = definitions_[first_type]->Word(1);
      bool is_second = true;
      for (size_t i = 2; i < shuffle.in.size(); ++i) {
        is_second = is_second && shuffle.Word(i) == i - 2 + count;
      }
      if (is_second) return At(shuffle, 1);
    }
    for (size_t i = 2; i < shuffle.in.size(); ++i) {
      if (shuffle.Word(i) != i - 2) return 0;
    }
    return At(shuffle, 0);  // with as many components, else the types would differ
  }

  Program& program_;
  Definitions definitions_;
  Replacements replaced_;
  std::map<uint32_t, bool> decorated_;
  const Flow* flow_ = nullptr;  // of the function that contains it
  uint32_t block_ = 0;          // its label
};

}  // namespace

void PropagateCopies(Program* program) {
  Copies(program).Run();
}

}  // namespace refract::planted
