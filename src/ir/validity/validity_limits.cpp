// SPDX-License-Identifier: Apache-2.0
// Universal limits (SPIR-V 2.17). Every consumer supports these, so no edit may exceed them.
#include <map>

#include "base/text.h"
#include "ir/binary.h"
#include "ir/branches.h"
#include "ir/validity/validity.h"
#include "ir/validity/validity_report.h"

namespace refract {
inline namespace ir {
namespace {

using validity::Violation;

constexpr uint32_t kMaxParameters = 255;
constexpr uint32_t kMaxIndexes = 255;
constexpr uint32_t kMaxMembers = 16383;
constexpr uint32_t kMaxStructDepth = 255;
constexpr uint32_t kMaxCases = 16383;
constexpr uint32_t kMaxLocals = 524287;
constexpr uint32_t kMaxGlobals = 65535;
constexpr size_t kMaxWords = 65535;  // of one instruction (2.3)

Status CheckOne(const Module& module, Inst inst) {
  const uint32_t count = module.OperandCount(inst);
  if (count + 3 > kMaxWords) {
    return Violation("limit-words", "the instruction has too many words", module, inst);
  }
  switch (module.Opcode(inst)) {
    case spv::Op::OpTypeFunction:
      if (count > kMaxParameters + 1) {
        return Violation("limit-parameters", "the function has more than 255 parameters", module,
                         inst);
      }
      break;
    case spv::Op::OpTypeStruct:
      if (count > kMaxMembers) {
        return Violation("limit-members", "the struct has more than 16383 members", module, inst);
      }
      break;
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
    case spv::Op::OpPtrAccessChain:
    case spv::Op::OpInBoundsPtrAccessChain:
    case spv::Op::OpCompositeExtract:
      if (count > kMaxIndexes + 1) {
        return Violation("limit-indexes", "the instruction has more than 255 indexes", module,
                         inst);
      }
      break;
    case spv::Op::OpCompositeInsert:
      if (count > kMaxIndexes + 2) {
        return Violation("limit-indexes", "the instruction has more than 255 indexes", module,
                         inst);
      }
      break;
    case spv::Op::OpSwitch: {
      uint32_t targets = 0;
      ForEachTarget(module, inst, [&](uint32_t) { ++targets; });
      if (targets > kMaxCases + 1) {
        return Violation("limit-cases", "the OpSwitch has more than 16383 cases", module, inst);
      }
      break;
    }
    default:
      break;
  }
  return {};
}

// Checks the nesting depth of structs; pointers do not add to it.
Status CheckStructDepth(const Module& module) {
  std::map<Id, uint32_t> depths;  // types are declared before their uses, so one walk is enough
  Status status;
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    const spv::Op opcode = module.Opcode(inst);
    const bool is_struct = opcode == spv::Op::OpTypeStruct;
    if (!is_struct && opcode != spv::Op::OpTypeArray && opcode != spv::Op::OpTypeRuntimeArray) {
      return;
    }
    uint32_t depth = 0;
    for (uint32_t i = 0; i < (is_struct ? module.OperandCount(inst) : 1); ++i) {
      const auto found = depths.find(module.IdAt(inst, i));
      if (found != depths.end()) depth = std::max(depth, found->second);
    }
    depth += is_struct;
    depths[module.Result(inst)] = depth;
    if (status && depth > kMaxStructDepth) {
      status = Violation("limit-struct-depth", "structs are nested deeper than 255 levels", module,
                         inst);
    }
  });
  return status;
}

}  // namespace

Status CheckLimits(const Module& module) {
  if (module.bound() > kMaxIdBound) {
    return Violation("limit-bound",
                     format("the id bound {} exceeds {}", module.bound(), kMaxIdBound));
  }
  uint32_t locals = 0, globals = 0;
  Status status = validity::ForEachUntilError(module, [&](Inst inst) {
    if (module.Opcode(inst) == spv::Op::OpVariable) {
      // Like the validator, counts the local variables of all functions together.
      const bool local = module.FunctionOf(inst) != Function::kNone;
      const uint32_t count = local ? ++locals : ++globals;
      if (count > (local ? kMaxLocals : kMaxGlobals)) {
        return Status(Violation(local ? "limit-locals" : "limit-globals",
                                "there are too many variables", module, inst));
      }
    }
    return CheckOne(module, inst);
  });
  return status ? CheckStructDepth(module) : status;
}

}  // namespace ir
}  // namespace refract
