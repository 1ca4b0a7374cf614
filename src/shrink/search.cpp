// SPDX-License-Identifier: Apache-2.0
#include "shrink/search.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/branches.h"
#include "ir/types.h"
#include "shrink/plain_values.h"
#include "shrink/repair.h"

namespace refract {
inline namespace shrink {
namespace {

constexpr ShrinkPass kPasses[] = {
    {"remove entry points", RemoveEntryPoints, false},
    {"empty functions", EmptyFunctions},
    {"move entry points", MoveEntryPoints, false},
    {"remove unused", RemoveUnused},
    {"end functions earlier", EndFunctionsEarlier},
    {"skip constructs", SkipConstructs},
    {"remove instructions", RemoveInstructions},
    {"take one side", TakeOneSide},
    {"open loops", OpenLoops},
    {"redirect edges", RedirectEdges},
    {"remove cases", RemoveCases},
    {"merge blocks", MergeBlocks},
    {"forward operands", ForwardOperands},
    {"plain operands", PlainOperands},
    {"older operands", OlderOperands},
    {"remove parameters", RemoveParameters},
    {"return nothing", ReturnNothing},
    {"remove members", RemoveMembers, false},
    {"shorten arrays", ShortenArrays, false},
    {"plain constants", PlainConstants, false},
    {"plain literals", PlainLiterals},
};

// Weights of operands for Weight::operands: a local value weighs more the later it is defined.
class OperandWeights {
 public:
  explicit OperandWeights(const Module& module)
      : module_(module), weights_(module.instruction_slots(), 0) {
    uint64_t next = kFirst;
    ForEachFunction(module, [&](Function function) {
      next = kFirst;
      ForEachInstruction(module, module[function].head, [&](Inst inst) { At(inst) = next; });
      ForEachBlock(module, function, [&](Block block) {
        ForEachInstruction(module, block, [&](Inst inst) {
          At(inst) = module.Opcode(inst) == spv::Op::OpVariable ? kFirst : next++;
        });
      });
    });
  }

  uint64_t WeightOf(Id id) const {
    const Inst definition = module_.Definition(id);
    if (definition == Inst::kNone || module_.Type(definition) == Id::kNone) return 0;
    if (weights_[Index(definition)] != 0) return weights_[Index(definition)];
    if (!IsConstant(module_.Opcode(definition))) return 3;
    return static_cast<uint64_t>(Plainness(module_, definition));
  }

 private:
  static constexpr uint64_t kFirst = 4;
  uint64_t& At(Inst inst) { return weights_[Index(inst)]; }
  const Module& module_;
  std::vector<uint64_t> weights_;
};

uint64_t LiteralWeight(const Module& module, Inst inst) {
  const auto of = [&](uint32_t operand) -> uint64_t {
    if (operand >= module.OperandCount(inst) || module.IsId(inst, operand)) return 0;
    return std::min<uint64_t>(module.Word(inst, operand), 2);
  };
  switch (module.Opcode(inst)) {
    case spv::Op::OpConstant:
      return static_cast<uint64_t>(Plainness(module, inst));
    case spv::Op::OpSpecConstant:
    case spv::Op::OpSpecConstantTrue:
    case spv::Op::OpSpecConstantFalse:
      return 3;
    case spv::Op::OpExecutionMode:
      return of(2) + of(3) + of(4);
    case spv::Op::OpTypeArray:
      return LiteralValue(module, module.IdAt(inst, 1)) == std::optional<uint64_t>(1) ? 0 : 2;
    case spv::Op::OpFunction:
      return of(0);
    case spv::Op::OpSelectionMerge:
      return of(1);
    case spv::Op::OpLoopMerge:
      return of(2);
    default:
      return 0;
  }
}

// A parameter weighs more than a variable, and a result more than no result.
uint64_t FunctionTypeWeight(const Module& module, Inst inst) {
  if (module.Opcode(inst) == spv::Op::OpFunctionParameter) return 2;
  if (module.Opcode(inst) != spv::Op::OpFunction) return 0;
  return module.OpcodeOf(module.Type(inst)) == spv::Op::OpTypeVoid ? 0 : 2;
}

class Searcher {
 public:
  Searcher(Module start, Function only, const Ask& ask)
      : best_(std::move(start)), weight_(WeightOf(best_)), only_(only), ask_(ask) {}

  Module Run() {
    for (bool again = true; again && !stopped_;) {
      again = false;
      for (const ShrinkPass& pass : ShrinkPasses()) {
        if (stopped_ || (only_ != Function::kNone && !pass.for_functions)) continue;
        again |= RunPass(pass);
      }
    }
    return std::move(best_);
  }

 private:
  // Returns true if a change was accepted.
  bool RunPass(const ShrinkPass& pass) {
    std::vector<Edit> edits = pass.find(best_, only_);
    bool taken = false;
    for (size_t chunk = edits.size(); chunk > 0 && !stopped_; chunk /= 2) {
      for (size_t begin = 0; begin < edits.size() && !stopped_;) {
        const size_t end = std::min(begin + chunk, edits.size());
        const auto first = edits.begin() + static_cast<ptrdiff_t>(begin);
        const auto last = edits.begin() + static_cast<ptrdiff_t>(end);
        if (TryChunk(pass, {first, last})) {
          taken = true;
          edits.erase(first, last);
        } else {
          begin = end;
        }
      }
    }
    return taken && !stopped_;
  }

  bool TryChunk(const ShrinkPass& pass, std::span<const Edit> edits) {
    std::optional<Module> candidate = Apply(edits);
    if (!candidate) return false;
    const Weight weight = WeightOf(*candidate);
    if (!(weight < weight_)) return false;
    const Answer answer = ask_(*candidate, pass.name);
    stopped_ = answer == Answer::kStop;
    if (answer != Answer::kYes) return false;
    best_ = std::move(*candidate);
    weight_ = weight;
    return true;
  }

  std::optional<Module> Apply(std::span<const Edit> edits) const {
    Module module = best_;
    Editor editor(module, Name::kDeclaredStep);
    bool changed = false;
    for (const Edit& edit : edits) changed |= edit(editor);
    if (!changed) return std::nullopt;
    std::vector<Function> functions;
    ForEachFunctionOf(module, only_, [&](Function function) { functions.push_back(function); });
    for (Function function : functions) {
      if (!Repair(editor, function)) return std::nullopt;
    }
    return module;
  }

  Module best_;
  Weight weight_;
  const Function only_;
  const Ask& ask_;
  bool stopped_ = false;
};

}  // namespace

std::span<const ShrinkPass> ShrinkPasses() {
  return kPasses;
}

Weight WeightOf(const Module& module) {
  Weight weight;
  const OperandWeights operand_weights(module);
  weight.words = module.word_count();
  const auto count = [&](Block list, bool in_body) {
    ForEachInstruction(module, list, [&](Inst inst) {
      ++weight.instructions;
      weight.literals += LiteralWeight(module, inst);
      weight.operands += FunctionTypeWeight(module, inst);
      if (!in_body) return;
      ++weight.body;
      for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
        if (module.IsId(inst, i)) weight.operands += operand_weights.WeightOf(module.IdAt(inst, i));
      }
    });
  };
  for (uint32_t s = 1; s <= Index(Section::kCount); ++s) count(static_cast<Block>(s), false);
  ForEachFunction(module, [&](Function function) {
    count(module[function].head, false);
    ForEachInstruction(module, module[function].head, [&](Inst inst) {
      if (module.Opcode(inst) == spv::Op::OpFunctionParameter) ++weight.body;
    });
    ForEachBlock(module, function, [&](Block block) { count(block, true); });
    count(module[function].tail, false);
  });
  return weight;
}

Module SearchSmaller(Module start, Function only, const Ask& ask) {
  return Searcher(std::move(start), only, ask).Run();
}

}  // namespace shrink
}  // namespace refract
