// SPDX-License-Identifier: Apache-2.0
#include "measure/faults.h"

#include <algorithm>
#include <bit>
#include <string>

#include "base/hash.h"
#include "ir/availability.h"
#include "ir/binary.h"
#include "ir/edit/editor.h"
#include "ir/grammar/operand_rules.h"
#include "ir/tools.h"
#include "ir/types.h"
#include "ir/validity/validity.h"

namespace refract::measure {
namespace {

constexpr int kTries = 400;   // until a module counts as exhausted
constexpr int kChoices = 16;  // for one operand

// Whether code uses the id. Names and decorations do not count.
bool HasUse(const Module& module, Id id) {
  bool used = false;
  ForEachUse(module, id, [&](Use use) {
    used = used || module.FunctionOf(module.User(use)) != Function::kNone;
  });
  return used;
}

// Whether another value of the same type can replace the operand. For a pointer, the fault then
// reads or writes another variable.
bool IsReplaceable(const Module& module, Inst inst, uint32_t operand) {
  if (!module.IsId(inst, operand)) return false;
  const OperandRule rule = RuleOfOperand(module, inst, operand);
  return rule.role == OperandRole::kValue || rule.role == OperandRole::kArgument ||
         rule.role == OperandRole::kPointer;
}

bool IsLiteralConstant(const Module& module, Id id) {
  const spv::Op opcode = module.OpcodeOf(id);
  return IsConstant(opcode) && !IsSpecConstant(opcode);
}

// Whether two ids surely have the same value, so that replacing one with the other is not a fault:
// a variable loaded twice, or the same computation twice.
bool LooksEqual(const Module& module, Id a, Id b, int depth = 3) {
  if (a == b) return true;
  const Inst x = module.Definition(a), y = module.Definition(b);
  if (depth == 0 || module.Opcode(x) != module.Opcode(y) || module.Type(x) != module.Type(y) ||
      module.OperandCount(x) != module.OperandCount(y) || module.OperandCount(x) == 0 ||
      module.Opcode(x) == spv::Op::OpVariable || module.Opcode(x) == spv::Op::OpPhi ||
      module.Opcode(x) == spv::Op::OpFunctionCall) {
    return false;
  }
  for (uint32_t i = 0; i < module.OperandCount(x); ++i) {
    if (module.IsId(x, i) != module.IsId(y, i)) return false;
    const bool same = module.IsId(x, i)
                          ? LooksEqual(module, module.IdAt(x, i), module.IdAt(y, i), depth - 1)
                          : module.Word(x, i) == module.Word(y, i);
    if (!same) return false;
  }
  return true;
}

Args ArgsOf(const Module& module, Inst inst) {
  Args args;
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    module.IsId(inst, i) ? args.emplace_back(module.IdAt(inst, i))
                         : args.emplace_back(module.Word(inst, i));
  }
  return args;
}

bool IsValid(const Module& module, const std::vector<uint32_t>& words) {
  return CheckModule(module) && Validate(words, UniversalEnvironment(module.version()));
}

}  // namespace

std::string_view FaultKindName(FaultKind kind) {
  switch (kind) {
    case FaultKind::kOperand:
      return "operand";
    case FaultKind::kConstant:
      return "constant";
    case FaultKind::kBranch:
      return "branch";
    default:
      return "loop step";
  }
}

FaultInjector::FaultInjector(const Module& module, const std::vector<BlockCount>& ran,
                             uint64_t seed)
    : module_(module), random_(seed) {
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    if (module.Type(inst) != Id::kNone) of_type_[module.Type(inst)].push_back(module.Result(inst));
  });
  ForEachFunction(module, [&](Function function) {
    const auto add = [&](Inst inst) {
      if (module.Type(inst) != Id::kNone && module.Opcode(inst) != spv::Op::OpFunction) {
        of_type_[module.Type(inst)].push_back(module.Result(inst));
      }
    };
    ForEachInstruction(module, module[function].head, add);
    ForEachBlock(module, function, [&](Block block) { ForEachInstruction(module, block, add); });
  });
  for (const BlockCount& block : ran) {
    if (block.invocations == 0) continue;
    ForEachInstruction(module, module.BlockOfLabel(block.label),
                       [&](Inst inst) { AddPlace(inst); });
  }
}

void FaultInjector::AddPlace(Inst inst) {
  const Properties& properties = PropertiesOf(module_, inst);
  if (IsDebugInstruction(module_, inst) || properties.is_merge) return;
  const Id result = module_.Result(inst);
  if (result != Id::kNone && properties.removable_if_unused() && !HasUse(module_, result)) return;
  const spv::Op opcode = module_.Opcode(inst);
  bool possible = opcode == spv::Op::OpBranchConditional || opcode == spv::Op::OpSwitch;
  for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
    possible = possible || IsReplaceable(module_, inst, i) ||
               (module_.IsId(inst, i) && IsLiteralConstant(module_, module_.IdAt(inst, i)) &&
                RuleOfOperand(module_, inst, i).role == OperandRole::kConstant);
  }
  if (possible) places_.push_back(inst);
}

std::optional<InjectedFault> FaultInjector::Draw() {
  for (int i = 0; i < kTries && !places_.empty(); ++i) {
    const Inst inst = places_[random_.Below(places_.size())];
    InjectedFault fault;
    fault.place = inst;
    bool made = false;
    // Tries the kinds in random order, so that all places are equally likely, whatever is possible
    // there.
    std::array<FaultKind, 4> kinds = kFaultKinds;
    for (size_t k = 0; k < kinds.size() && !made; ++k) {
      std::swap(kinds[k], kinds[k + random_.Below(kinds.size() - k)]);
      fault.kind = kinds[k];
      fault.module = module_;
      made = fault.kind == FaultKind::kOperand    ? MakeOperand(inst, &fault.module)
             : fault.kind == FaultKind::kConstant ? MakeConstant(inst, &fault.module)
             : fault.kind == FaultKind::kBranch   ? MakeBranch(inst, &fault.module)
                                                  : MakeLoopStep(inst, &fault.module);
    }
    if (!made) continue;
    const std::vector<uint32_t> words = WriteModule(fault.module);
    const uint64_t hash =
        Hash64({reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t)});
    if (!drawn_.insert(hash).second || !IsValid(fault.module, words)) continue;
    return fault;
  }
  return std::nullopt;
}

// Another value for an operand, or Id::kNone.
Id FaultInjector::Other(Inst inst, uint32_t operand) {
  const Id now = module_.IdAt(inst, operand);
  const std::vector<Id>& all = of_type_[module_.TypeOf(now)];
  for (int i = 0; i < kChoices && !all.empty(); ++i) {
    const Id id = all[random_.Below(all.size())];
    if (!LooksEqual(module_, id, now) && IsAvailableAtUse(module_, id, inst, operand)) return id;
  }
  return Id::kNone;
}

bool FaultInjector::MakeOperand(Inst inst, Module* module) {
  const Properties& properties = PropertiesOf(module_, inst);
  std::vector<uint32_t> operands;
  for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
    // A fault of kind kConstant changes the value of a constant. Here only the id changes.
    if (IsReplaceable(module_, inst, i)) operands.push_back(i);
  }
  if (operands.empty()) return false;
  const uint32_t first = operands[random_.Below(operands.size())];
  const Id id = module_.IdAt(inst, first);
  std::vector<uint32_t> partners;
  for (const uint32_t i : operands) {
    const Id other = module_.IdAt(inst, i);
    if (module_.Opcode(inst) == spv::Op::OpPhi || LooksEqual(module_, id, other) ||
        module_.TypeOf(id) != module_.TypeOf(other)) {
      continue;
    }
    const bool commutes = properties.commutes && i < operands[0] + 2 && first < operands[0] + 2;
    if (!commutes) partners.push_back(i);
  }
  Editor editor(*module, 1);
  if (!partners.empty() && random_.Percent(50)) {
    const uint32_t second = partners[random_.Below(partners.size())];
    const Id other = module_.IdAt(inst, second);
    editor.SetOperand(inst, first, other);
    editor.SetOperand(inst, second, id);
    return true;
  }
  if (IsLiteralConstant(module_, id)) return false;
  const Id other = Other(inst, first);
  if (other == Id::kNone) return false;
  editor.SetOperand(inst, first, other);
  return true;
}

// Changes one scalar of the constant by one, or inverts a boolean. Returns nothing if there is none
// to change.
Id FaultInjector::OffByOne(Module* module, Id constant) {
  const Inst inst = module->Definition(constant);
  const Id type = module->Type(inst);
  Editor editor(*module, 1);
  if (module->Opcode(inst) == spv::Op::OpConstantComposite) {
    const uint32_t part =
        static_cast<uint32_t>(random_.Below(std::max(1u, module->OperandCount(inst))));
    if (part >= module->OperandCount(inst)) return Id::kNone;
    Args args = ArgsOf(*module, inst);
    const Id changed = OffByOne(module, module->IdAt(inst, part));
    if (changed == Id::kNone) return Id::kNone;
    args[part] = changed;
    return editor.Declare(spv::Op::OpConstantComposite, type, args);
  }
  if (const std::optional<bool> truth = LiteralBool(*module, constant)) {
    return editor.Declare(*truth ? spv::Op::OpConstantFalse : spv::Op::OpConstantTrue, type, {});
  }
  const std::optional<uint64_t> value = LiteralValue(*module, constant);
  if (!value) return Id::kNone;
  const bool up = random_.Percent(50);
  uint64_t changed = up ? *value + 1 : *value - 1;
  if (IsFloat(*module, type)) {
    if (Width(*module, type) == 32) {
      const float number = std::bit_cast<float>(static_cast<uint32_t>(*value));
      changed = std::bit_cast<uint32_t>(up ? number + 1.0f : number - 1.0f);
    } else if (Width(*module, type) == 64) {
      const double number = std::bit_cast<double>(*value);
      changed = std::bit_cast<uint64_t>(up ? number + 1.0 : number - 1.0);
    } else {
      return Id::kNone;
    }
  }
  Args args;
  for (const uint32_t word : LiteralWords(*module, type, changed)) args.emplace_back(word);
  return editor.Declare(spv::Op::OpConstant, type, args);
}

bool FaultInjector::MakeConstant(Inst inst, Module* module) {
  std::vector<uint32_t> operands;
  for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
    if (!module_.IsId(inst, i) || !IsLiteralConstant(module_, module_.IdAt(inst, i))) continue;
    // Of the operands that must be constants, only indices are values; scopes and the like are not.
    const OperandRole role = RuleOfOperand(module_, inst, i).role;
    const bool is_index =
        role == OperandRole::kConstant && (module_.Opcode(inst) == spv::Op::OpAccessChain ||
                                           module_.Opcode(inst) == spv::Op::OpInBoundsAccessChain);
    if (role == OperandRole::kValue || is_index) operands.push_back(i);
  }
  if (operands.empty()) return false;
  const uint32_t operand = operands[random_.Below(operands.size())];
  const Id changed = OffByOne(module, module->IdAt(inst, operand));
  if (changed == Id::kNone || changed == module->IdAt(inst, operand)) return false;
  Editor(*module, 1).SetOperand(inst, operand, changed);
  return true;
}

bool FaultInjector::MakeBranch(Inst inst, Module* module) {
  const spv::Op opcode = module_.Opcode(inst);
  if (opcode != spv::Op::OpBranchConditional && opcode != spv::Op::OpSwitch) return false;
  std::vector<uint32_t> targets;
  for (uint32_t i = 1; i < module_.OperandCount(inst); ++i) {
    if (module_.IsId(inst, i)) targets.push_back(i);
  }
  const uint32_t first = targets[random_.Below(targets.size())];
  std::erase_if(targets,
                [&](uint32_t i) { return module_.Word(inst, i) == module_.Word(inst, first); });
  if (targets.empty()) return false;
  const uint32_t second = targets[random_.Below(targets.size())];
  Args args = ArgsOf(module_, inst);
  std::swap(args[first], args[second]);
  Editor(*module, 1).SetTerminator(module->BlockOf(inst), opcode, args);
  return true;
}

bool FaultInjector::MakeLoopStep(Inst inst, Module* module) {
  const Block block = module_.BlockOf(inst);
  const ControlFlow& flow = module_.Flow(module_.FunctionOf(inst));
  if (flow.InnermostLoop(block) == nullptr && !flow.InContinueConstruct(block)) return false;
  Editor editor(*module, 1);
  if (module_.Opcode(inst) == spv::Op::OpStore) {
    const Inst step = module_.Definition(module_.IdAt(inst, 1));
    if (!PropertiesOf(module_, step).pure) return false;
    for (uint32_t i = 0; i < module_.OperandCount(step); ++i) {
      if (!module_.IsId(step, i)) continue;
      const Id before = module_.IdAt(step, i);
      const Inst load = module_.Definition(before);
      if (module_.Opcode(load) != spv::Op::OpLoad || module_.Type(load) != module_.Type(step) ||
          !LooksEqual(module_, module_.IdAt(load, 0), module_.IdAt(inst, 0))) {
        continue;
      }
      editor.SetOperand(inst, 1, before);
      return true;
    }
    return false;
  }
  if (module_.Opcode(inst) != spv::Op::OpPhi || module_.MergeInstruction(block) == Inst::kNone ||
      module_.Opcode(module_.MergeInstruction(block)) != spv::Op::OpLoopMerge) {
    return false;
  }
  for (uint32_t i = 0; i < module_.OperandCount(inst); i += 2) {
    const Inst step = module_.Definition(module_.IdAt(inst, i));
    if (step == inst || !PropertiesOf(module_, step).pure) continue;
    for (uint32_t k = 0; k < module_.OperandCount(step); ++k) {
      if (!module_.IsId(step, k) || module_.IdAt(step, k) != module_.Result(inst)) continue;
      editor.SetOperand(inst, i, module_.Result(inst));
      return true;
    }
  }
  return false;
}

}  // namespace refract::measure
