// SPDX-License-Identifier: Apache-2.0
// Broadcasts uniform values from the first invocation of each subgroup, as compilers do that keep
// such values once for all invocations. That changes nothing if the values are uniform. Only for
// compute shaders, where the invocations of a subgroup are known.
#include "planted/passes.h"
#include "planted/uniformity.h"

namespace refract::planted {
namespace {

using spv::Op;

bool IsComparison(Op op) {
  return op == Op::OpSLessThan || op == Op::OpULessThan || op == Op::OpSLessThanEqual ||
         op == Op::OpULessThanEqual;
}

bool IsAtomic(Op op) {
  return op == Op::OpAtomicIAdd || op == Op::OpAtomicOr || op == Op::OpAtomicXor ||
         op == Op::OpAtomicAnd || op == Op::OpAtomicUMax || op == Op::OpAtomicUMin;
}

class Sharer {
 public:
  explicit Sharer(Program* program)
      : program_(*program), definitions_(*program), uniformity_(program) {}

  void Run() {
    const auto capability = [](spv::Capability one) {
      return Instruction{Op::OpCapability, 0, 0, {Literal(static_cast<uint32_t>(one))}};
    };
    // First all places are found: the code of a block must not move before that.
    for (size_t i = 0; i < program_.functions.size(); ++i) FindPlaces(i);
    for (size_t i = 0; i < program_.functions.size(); ++i) Insert(&program_.functions[i]);
    if (!inserted_) return;
    for (const spv::Capability one :
         {spv::Capability::GroupNonUniformBallot, spv::Capability::GroupNonUniform}) {
      if (!program_.HasCapability(one)) {
        program_.head.insert(program_.head.begin(), capability(one));
      }
    }
  }

 private:
  void FindPlaces(size_t number) {
    Function& function = program_.functions[number];
    for (uint32_t block = 0; block < function.blocks.size(); ++block) {
      if (!uniformity_.FlowOf(number).Reachable(block)) continue;
      FindCount(number, block);
      for (Instruction& instruction : function.blocks[block].code) {
        if (uniformity_.IsDivergentBlock(number, block)) break;
        if (IsShared(instruction)) shared_[instruction.result] = true;
        // The first invocation could also do the operation of all. The value must be uniform.
        if (IsAtomic(instruction.op) && uniformity_.IsDivergent(instruction.Id(3)) &&
            program_.bugs.At(Bug::kUniformAtomic)) {
          Broadcast(&instruction, 3);
        }
      }
    }
  }

  // The end of a counted loop, if it is a value from before the loop. Then the first invocation
  // decides how often all invocations of the subgroup execute the loop. It must be uniform.
  void FindCount(size_t number, uint32_t block) {
    const Flow& flow = uniformity_.FlowOf(number);
    Function& function = program_.functions[number];
    const Instruction& end = function.blocks[block].End();
    if (end.op != Op::OpBranchConditional) return;
    for (uint32_t header = 0; header < flow.merge.size(); ++header) {
      if (flow.continue_target[header] == Flow::kNone) continue;
      const uint32_t merge = function.blocks[flow.merge[header]].label;
      if (end.Id(1) != merge && end.Id(2) != merge) continue;
      for (Instruction& test : function.blocks[block].code) {
        if (test.result != end.Id(0) || !IsComparison(test.op)) continue;
        if (!uniformity_.IsDivergent(test.Id(1)) || !IsFromBefore(number, test.Id(1), header)) {
          continue;
        }
        if (program_.bugs.At(Bug::kFirstCount)) Broadcast(&test, 1);
      }
    }
  }

  bool IsFromBefore(size_t number, uint32_t id, uint32_t header) const {
    const Flow& flow = uniformity_.FlowOf(number);
    const Function& function = program_.functions[number];
    for (uint32_t block = 0; block < function.blocks.size(); ++block) {
      for (const Instruction& instruction : function.blocks[block].code) {
        if (instruction.result != id) continue;
        return block != header && flow.dominators.Dominates(block, header) &&
               IsShareable(instruction.type);
      }
    }
    return false;
  }

  // The operand becomes the value of the first invocation where it is defined.
  void Broadcast(Instruction* user, size_t operand) {
    if (!IsShareable(definitions_.TypeOf(user->Id(operand)))) return;
    uint32_t& copy = copies_[user->Id(operand)];
    if (copy == 0) copy = program_.NewId();
    user->in[operand].word = copy;
  }

  bool IsShareable(uint32_t type) const {
    const Instruction* of = definitions_[type];
    if (of != nullptr && of->op == Op::OpTypeVector) of = definitions_[of->Id(0)];
    if (of == nullptr) return false;
    const bool is_number = of->op == Op::OpTypeInt || of->op == Op::OpTypeFloat;
    return of->op == Op::OpTypeBool || (is_number && of->Word(0) == 32);
  }

  bool IsShared(const Instruction& instruction) const {
    switch (instruction.op) {
      case Op::OpLoad:
        if (uniformity_.VariableOf(instruction.Id(0)) == 0) return false;
        break;
      case Op::OpSelect:
      case Op::OpFunctionCall:
      case Op::OpGroupNonUniformInverseBallot:
        break;
      default:
        return false;
    }
    return !uniformity_.IsDivergent(instruction.result) && IsShareable(instruction.type);
  }

  uint32_t SubgroupScope() {
    uint32_t type = 0;
    for (const Instruction& one : program_.declarations) {
      if (one.op == Op::OpTypeInt && one.Word(0) == 32 && one.Word(1) == 0) type = one.result;
    }
    if (type == 0) {
      type = program_.NewId();
      program_.declarations.push_back({Op::OpTypeInt, 0, type, {Literal(32), Literal(0)}});
    }
    return program_.IntConstant(type, static_cast<uint32_t>(spv::Scope::Subgroup));
  }

  void Insert(Function* function) {
    for (Block& block : function->blocks) {
      std::vector<Instruction> code;
      for (Instruction& instruction : block.code) {
        const uint32_t id = instruction.result, type = instruction.type;
        code.push_back(std::move(instruction));
        const auto add = [&](uint32_t result, uint32_t value) {
          inserted_ = true;
          code.push_back({Op::OpGroupNonUniformBroadcastFirst,
                          type,
                          result,
                          {IdOperand(SubgroupScope()), IdOperand(value)}});
        };
        uint32_t value = id;
        if (id != 0 && shared_.count(id) != 0) {
          // All uses get the broadcast, because it takes over the id.
          value = code.back().result = program_.NewId();
          add(id, value);
        }
        if (const auto copy = copies_.find(id); id != 0 && copy != copies_.end()) {
          add(copy->second, value);
        }
      }
      block.code = std::move(code);
    }
  }

  Program& program_;
  const Definitions definitions_;
  const Uniformity uniformity_;
  std::map<uint32_t, bool> shared_;
  std::map<uint32_t, uint32_t> copies_;  // by id: the id of its broadcast
  bool inserted_ = false;
};

bool IsCompute(const Program& program) {
  int entries = 0, compute = 0;
  for (const Instruction& instruction : program.head) {
    if (instruction.op != Op::OpEntryPoint) continue;
    ++entries;
    compute += instruction.Word(0) == static_cast<uint32_t>(spv::ExecutionModel::GLCompute);
  }
  return entries == 1 && compute == 1;
}

}  // namespace

void ShareValues(Program* program) {
  constexpr uint32_t kSubgroups = 0x00010300;  // SPIR-V 1.3 has the operations of subgroups
  if (program->version >= kSubgroups && IsCompute(*program)) Sharer(program).Run();
}

}  // namespace refract::planted
