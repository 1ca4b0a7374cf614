// SPDX-License-Identifier: Apache-2.0
#include "measure/shape_interestingness.h"

#include "ir/binary.h"
#include "ir/branches.h"
#include "ir/tools.h"
#include "ir/types.h"

namespace refract::measure {
namespace {

// Whether any instruction of a function fulfils the predicate.
template <class Predicate>
bool Any(std::span<const uint32_t> words, Predicate predicate) {
  const Result<Module> module = ReadModule(words, "candidate");
  if (!module) return false;
  bool any = false;
  ForEachFunction(*module, [&](Function function) {
    ForEachBlock(*module, function, [&](Block block) {
      ForEachInstruction(*module, block, [&](Inst inst) { any = any || predicate(*module, inst); });
    });
  });
  return any;
}

spv::Op OperandOpcode(const Module& module, Inst inst, uint32_t operand) {
  if (operand >= module.OperandCount(inst) || !module.IsId(inst, operand)) return spv::Op::OpNop;
  return module.OpcodeOf(module.IdAt(inst, operand));
}

bool HasLoop(std::span<const uint32_t> words) {
  return Any(words, [](const Module& module, Inst inst) {
    return module.Opcode(inst) == spv::Op::OpLoopMerge;
  });
}

bool HasNestedLoop(std::span<const uint32_t> words) {
  return Any(words, [](const Module& module, Inst inst) {
    if (module.Opcode(inst) != spv::Op::OpLoopMerge) return false;
    const Block block = module.BlockOf(inst);
    const ControlFlow& flow = module.Flow(module.FunctionOf(inst));
    if (!flow.Reachable(block)) return false;
    const uint32_t inner = flow.InnermostConstruct(block);
    if (inner == Construct::kNone) return false;
    for (uint32_t at = flow.constructs[inner].parent; at != Construct::kNone;
         at = flow.constructs[at].parent) {
      const Construct& outer = flow.constructs[at];
      if (outer.kind == ConstructKind::kLoop && outer.header != block) return true;
    }
    return false;
  });
}

bool HasSwitch(std::span<const uint32_t> words) {
  return Any(words, [](const Module& module, Inst inst) {
    if (module.Opcode(inst) != spv::Op::OpSwitch) return false;
    return module.OperandCount(inst) >= 6 && !IsConstant(OperandOpcode(module, inst, 0));
  });
}

// Whether a loop carries a value that is computed from itself.
bool HasRecurrence(std::span<const uint32_t> words) {
  return Any(words, [](const Module& module, Inst inst) {
    if (module.Opcode(inst) != spv::Op::OpPhi) return false;
    for (uint32_t i = 0; i + 1 < module.OperandCount(inst); i += 2) {
      const Inst step = module.Definition(module.IdAt(inst, i));
      for (uint32_t k = 0; k < module.OperandCount(step); ++k) {
        const bool is_self = module.IsId(step, k) && module.IdAt(step, k) == module.Result(inst);
        if (is_self && module.Opcode(step) != spv::Op::OpPhi) return true;
      }
    }
    return false;
  });
}

bool HasCallWithLoad(std::span<const uint32_t> words) {
  return Any(words, [](const Module& module, Inst inst) {
    if (module.Opcode(inst) != spv::Op::OpFunctionCall) return false;
    bool loaded = false;
    for (uint32_t i = 1; i < module.OperandCount(inst); ++i) {
      const Id root = RootOfPointer(module, module.IdAt(inst, i));
      loaded |= OperandOpcode(module, inst, i) == spv::Op::OpLoad || root != Id::kNone;
    }
    return loaded;
  });
}

bool HasIndexedLoad(std::span<const uint32_t> words) {
  return Any(words, [](const Module& module, Inst inst) {
    if (module.Opcode(inst) != spv::Op::OpLoad) return false;
    const Inst chain = module.Definition(module.IdAt(inst, 0));
    if (!IsAccessChain(module.Opcode(chain))) return false;
    for (uint32_t i = 1; i < module.OperandCount(chain); ++i) {
      if (!IsConstant(OperandOpcode(module, chain, i))) return true;
    }
    return false;
  });
}

bool HasStoredProduct(std::span<const uint32_t> words) {
  return Any(words, [](const Module& module, Inst inst) {
    if (module.Opcode(inst) != spv::Op::OpStore) return false;
    const Inst value = module.Definition(module.IdAt(inst, 1));
    for (uint32_t i = 0; i < module.OperandCount(value); ++i) {
      const spv::Op from = OperandOpcode(module, value, i);
      if (from == spv::Op::OpExtInst || from == spv::Op::OpFMul || from == spv::Op::OpIMul)
        return true;
    }
    return false;
  });
}

// Only what an optimiser keeps counts. This does not run all of -O, because folding a constant into
// a null composite ends this process (docs/bugs.md).
bool HasLiveLoop(std::span<const uint32_t> words) {
  const auto optimised =
      Optimize(words,
               {"--inline-entry-points-exhaustive", "--eliminate-dead-branches",
                "--eliminate-dead-code-aggressive", "--eliminate-dead-functions"},
               UniversalEnvironment(words[1]));
  return optimised && HasLoop(*optimised);
}

constexpr ShapeTest kJudges[] = {
    {"loop", HasLoop},
    {"nested-loop", HasNestedLoop},
    {"switch", HasSwitch},
    {"recurrence", HasRecurrence},
    {"call", HasCallWithLoad},
    {"indexed-load", HasIndexedLoad},
    {"stored-product", HasStoredProduct},
    {"live-loop", HasLiveLoop},
};

}  // namespace

std::span<const ShapeTest> AllShapeTests() {
  return kJudges;
}

}  // namespace refract::measure
