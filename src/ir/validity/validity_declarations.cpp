// SPDX-License-Identifier: Apache-2.0
// Declarations that must be unique (SPIR-V 2.8), and interfaces of entry points.
#include <map>
#include <tuple>
#include <vector>

#include "base/text.h"
#include "ir/call_graph.h"
#include "ir/grammar/operand_rules.h"
#include "ir/validity/validity.h"
#include "ir/validity/validity_report.h"

namespace refract {
inline namespace ir {
namespace {

using validity::Violation;

// SPIR-V 2.8: two non-aggregate, non-pointer types with the same content are not allowed.
Status CheckUniqueTypes(const Module& module) {
  std::map<std::tuple<spv::Op, std::vector<uint32_t>>, Inst> types;
  Status status;
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    switch (module.Opcode(inst)) {
      case spv::Op::OpTypeVoid:
      case spv::Op::OpTypeBool:
      case spv::Op::OpTypeInt:
      case spv::Op::OpTypeFloat:
      case spv::Op::OpTypeVector:
      case spv::Op::OpTypeMatrix:
      case spv::Op::OpTypeSampler:
      case spv::Op::OpTypeSampledImage:
      case spv::Op::OpTypeFunction:
        break;
      default:
        return;
    }
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < module.OperandCount(inst); ++i) words.push_back(module.Word(inst, i));
    if (!types.emplace(std::make_tuple(module.Opcode(inst), std::move(words)), inst).second) {
      status = Violation("type-once", "the same type is declared twice", module, inst);
    }
  });
  return status;
}

// From SPIR-V 1.4 on, the interface lists every global variable that the functions of the entry
// point use, once. Before, it lists inputs and outputs only.
Status CheckInterfaces(const Module& module) {
  for (const EntryPoint& entry : EntryPoints(module)) {
    std::map<Id, bool> listed;
    for (Id id : entry.interface) {
      if (module.OpcodeOf(id) != spv::Op::OpVariable) {
        return Violation("interface", "the interface lists an id that is not a variable", module,
                         entry.instruction);
      }
      const auto storage = static_cast<spv::StorageClass>(module.Word(module.Definition(id), 0));
      if (module.version() < 0x00010400) {
        if (storage != spv::StorageClass::Input && storage != spv::StorageClass::Output) {
          return Violation("interface",
                           "before SPIR-V 1.4, an interface can list only inputs and outputs",
                           module, entry.instruction);
        }
      } else if (!listed.emplace(id, true).second) {
        return Violation("interface", "the interface lists a variable twice", module,
                         entry.instruction);
      }
    }
    if (module.version() < 0x00010400 || entry.function == Function::kNone) continue;
    for (Function function : Reached(module, entry.function)) {
      Status status;
      ForEachBlock(module, function, [&](Block block) {
        ForEachInstruction(module, block, [&](Inst inst) {
          for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
            if (!module.IsId(inst, i)) continue;
            const Inst used = module.Definition(module.IdAt(inst, i));
            if (module.Opcode(used) != spv::Op::OpVariable ||
                module.FunctionOf(used) != Function::kNone || listed.count(module.Result(used))) {
              continue;
            }
            if (IsDebugInstruction(module, inst)) continue;
            status = Violation(
                "interface",
                format(
                    "%{} is used, but the interface of the entry point does not list the variable",
                    module.FileId(module.Result(used))),
                module, inst);
          }
        });
      });
      if (!status) return status;
    }
  }
  return {};
}

}  // namespace

Status CheckDeclarations(const Module& module) {
  const Status status = CheckUniqueTypes(module);
  return status ? CheckInterfaces(module) : status;
}

}  // namespace ir
}  // namespace refract
