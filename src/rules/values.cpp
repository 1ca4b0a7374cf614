// SPDX-License-Identifier: Apache-2.0
#include "rules/values.h"

#include <algorithm>

#include "ir/availability.h"
#include "ir/call_graph.h"
#include "ir/decorations.h"
#include "ir/grammar/grammar.h"
#include "ir/grammar/properties.h"
#include "ir/types.h"
#include "rules/build/declare.h"

namespace refract {
inline namespace rules {
namespace {

using Kind = message::Type::Kind;

bool Implies(spv::Capability declared, spv::Capability wanted, int depth = 0) {
  if (declared == wanted) return true;
  static const EnumGrammar* const kCapabilities = FindEnum("Capability");
  const Enumerant* row = FindEnumerant(*kCapabilities, static_cast<uint32_t>(declared));
  if (row == nullptr || depth > 16) return false;
  return std::any_of(row->capabilities.begin(), row->capabilities.end(),
                     [&](spv::Capability next) { return Implies(next, wanted, depth + 1); });
}

bool HasArithmetic(const Module& module, bool is_float, uint32_t width) {
  if (width >= 32) return true;
  if (is_float) return HasCapability(module, spv::Capability::Float16);
  return HasCapability(module, width == 8 ? spv::Capability::Int8 : spv::Capability::Int16);
}

bool HasArithmetic(const Module& module, Id type) {
  switch (TypeOpcode(module, type)) {
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
      return HasArithmetic(module, IsFloat(module, type), Width(module, type));
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
    case spv::Op::OpTypeArray:
      return HasArithmetic(module, ElementType(module, type));
    case spv::Op::OpTypeStruct:
      for (uint32_t i = 0; i < module.OperandCount(module.Definition(type)); ++i) {
        if (IsRepeatedMember(module, type, i)) continue;
        if (!HasArithmetic(module, PartType(module, type, i))) return false;
      }
      return true;
    default:
      return true;
  }
}

}  // namespace

uint64_t ScalarCount(const Module& module, Id type) {
  constexpr uint64_t kMaxScalarCount = uint64_t{1} << 60;
  const std::optional<uint32_t> parts = PartCount(module, type);
  if (!parts) return 1;
  if (*parts > kMaxScalars) return *parts;
  if (TypeOpcode(module, type) != spv::Op::OpTypeStruct) {
    return *parts * std::min<uint64_t>(ScalarCount(module, ElementType(module, type)), 1u << 20);
  }
  uint64_t sum = 0;
  uint64_t part = 0;
  for (uint32_t i = 0; i < *parts; ++i) {
    if (!IsRepeatedMember(module, type, i)) part = ScalarCount(module, PartType(module, type, i));
    sum = std::min(sum + part, kMaxScalarCount);
  }
  return sum;
}

namespace {

// RelaxedPrecision on members does not restrict where the type is used.
bool IsPlain(const Module& module, Id type) {
  const spv::Op opcode = TypeOpcode(module, type);
  if (opcode != spv::Op::OpTypeArray && opcode != spv::Op::OpTypeStruct) return true;
  for (Use use = module.FirstDecoration(type); use != Use::kNone; use = module.NextUse(use)) {
    const Inst user = module.User(use);
    const bool is_member = module.Opcode(user) == spv::Op::OpMemberDecorate;
    if (!is_member ||
        module.Word(user, 2) != static_cast<uint32_t>(spv::Decoration::RelaxedPrecision)) {
      return false;
    }
  }
  for (uint32_t i = 0; i < PartCount(module, type).value_or(0); ++i) {
    if (IsRepeatedMember(module, type, i)) continue;
    if (!IsPlain(module, PartType(module, type, i))) return false;
    if (opcode == spv::Op::OpTypeArray) break;
  }
  return true;
}

bool IsDebugLine(spv::Op opcode) {
  return PropertiesOf(opcode).is_debug_line;
}

}  // namespace

bool HasCapability(const Module& module, spv::Capability capability) {
  for (Inst inst = module.First(Module::SectionBlock(Section::kCapabilities)); inst != Inst::kNone;
       inst = module.Next(inst)) {
    if (Implies(static_cast<spv::Capability>(module.Word(inst, 0)), capability)) return true;
  }
  return false;
}

bool HasExtension(const Module& module, std::string_view name) {
  bool found = false;
  ForEachInstruction(module, Module::SectionBlock(Section::kExtensions),
                     [&](Inst inst) { found = found || StringOperand(module, inst, 0) == name; });
  return found;
}

bool IsOrdinary(const Module& module, Id type) {
  return IsStorable(module, type) && HasArithmetic(module, type);
}

bool MayBeVariable(const Module& module, Id type) {
  return IsOrdinary(module, type) && ScalarCount(module, type) <= kMaxScalars &&
         IsPlain(module, type);
}

namespace {

// True if the module supports arithmetic on all numbers in the type. The type is declarable, so its
// depth is bounded.
bool HasArithmetic(const Module& module, const message::Type& type) {
  if (type.kind == Kind::kInt || type.kind == Kind::kFloat) {
    return HasArithmetic(module, type.kind == Kind::kFloat, type.width);
  }
  return std::all_of(type.parts.begin(), type.parts.end(),
                     [&](const message::Type& part) { return HasArithmetic(module, part); });
}

bool IsMadeOfOrdinary(const Module& module, const message::Type& type) {
  if (const Id found = FindType(module, type); found != Id::kNone) {
    return MayBeVariable(module, found);
  }
  return type.kind != Kind::kPointer && HasArithmetic(module, type) &&
         std::all_of(type.parts.begin(), type.parts.end(),
                     [&](const message::Type& part) { return IsMadeOfOrdinary(module, part); });
}

uint64_t ScalarCount(const Module& module, const message::Type& type) {
  if (type.declared) return ScalarCount(module, FindType(module, type));
  if (type.parts.empty()) return 1;
  uint64_t sum = 0;
  for (const message::Type& part : type.parts) {
    sum = std::min<uint64_t>(sum + ScalarCount(module, part), 1u << 20);
  }
  return type.kind == Kind::kStruct ? sum : std::min<uint64_t>(sum * type.count, 1u << 20);
}

}  // namespace

bool MayBeVariable(const Module& module, const message::Type& type) {
  if (!IsDeclarableHere(module, type)) return false;
  if (const Id found = FindType(module, type); found != Id::kNone) {
    return MayBeVariable(module, found);
  }
  return IsMadeOfOrdinary(module, type) && ScalarCount(module, type) <= kMaxScalars;
}

bool MayHaveVariables(const Module& module, uint32_t storage) {
  if (storage == static_cast<uint32_t>(spv::StorageClass::Function)) return true;
  return storage == static_cast<uint32_t>(spv::StorageClass::Private) &&
         HasCapability(module, spv::Capability::Shader);
}

bool MayHaveVariables(const View& view, uint32_t storage, Function function) {
  const Module& module = view.module();
  return MayHaveVariables(module, storage) &&
         (storage == static_cast<uint32_t>(spv::StorageClass::Function) ||
          view.facts().LiveSafe(module.FunctionId(function)) == nullptr);
}

bool IsDeclarableHere(const Module& module, const message::Type& type) {
  if (!IsDeclarable(module, type)) return false;
  if (FindType(module, type) != Id::kNone) return true;
  if (type.kind == Kind::kMatrix && !HasCapability(module, spv::Capability::Matrix)) return false;
  // SPIR-V 2.16.3: ints have signedness 0 in kernels.
  if (type.kind == Kind::kInt && type.is_signed && HasCapability(module, spv::Capability::Kernel)) {
    return false;
  }
  return std::all_of(type.parts.begin(), type.parts.end(),
                     [&](const message::Type& part) { return IsDeclarableHere(module, part); });
}

bool IsDeclarableHere(const Module& module, const message::Constant& constant) {
  if (!IsDeclarable(module, constant) || !IsDeclarableHere(module, constant.type)) return false;
  const Id type = FindType(module, constant.type);
  if (type != Id::kNone) return IsOrdinary(module, type);
  return HasArithmetic(module, constant.type);
}

CheckResult MayHaveSynonym(const View& view, Id value) {
  const Module& module = view.module();
  const Id type = module.TypeOf(value);
  if (!IsOrdinary(module, type) || ScalarCount(module, type) > kMaxScalars) {
    return No("copying values of this type is not supported");
  }
  if (module.OpcodeOf(value) == spv::Op::OpUndef) return No("the value is an OpUndef");
  if (view.facts().Irrelevant(value) != nullptr) return No("the value is marked as irrelevant");
  if (!IsFreelyCopyable(module, value)) return No("a decoration on the value forbids the change");
  return Yes();
}

Id DeclarePointer(Editor& editor, spv::StorageClass storage, Id pointee) {
  return editor.Declare(spv::Op::OpTypePointer, Id::kNone,
                        {static_cast<uint32_t>(storage), pointee});
}

Id AddVariable(Editor& editor, spv::StorageClass storage, Function function, Id pointee, Name name,
               Id initializer) {
  const Module& module = editor.module();
  const Id type = DeclarePointer(editor, storage, pointee);
  Args args{static_cast<uint32_t>(storage)};
  if (initializer != Id::kNone) args.push_back(initializer);
  if (storage != spv::StorageClass::Function) {
    return editor.AppendValue(Module::SectionBlock(Section::kDeclarations), spv::Op::OpVariable,
                              type, name, args);
  }
  const Inst first = module.Next(module.Label(module[function].first));
  return editor.InsertValue(first, spv::Op::OpVariable, type, name, args);
}

namespace {

// How many instructions ValuesNear examines.
constexpr size_t kInstructionsNear = 48;

void AddNear(const Module& module, Id id, std::vector<Id>* near) {
  const Id type = module.TypeOf(id);
  const spv::Op opcode = module.OpcodeOf(id);
  if (type == Id::kNone || opcode == spv::Op::OpFunction || opcode == spv::Op::OpUndef) return;
  if (IsPointer(module, type) || !IsOrdinary(module, type)) return;
  if (std::find(near->begin(), near->end(), id) == near->end()) near->push_back(id);
}

}  // namespace

std::vector<Id> ValuesNear(const Module& module, Inst where, size_t limit) {
  std::vector<Id> near;
  const ControlFlow& flow = module.Flow(module.FunctionOf(where));
  Block block = module.BlockOf(where);
  Inst inst = where;
  for (size_t seen = 0; seen < kInstructionsNear && near.size() < limit; ++seen) {
    const spv::Op opcode = module.Opcode(inst);
    if (inst != where && module.Result(inst) != Id::kNone) {
      AddNear(module, module.Result(inst), &near);
    }
    // The operands of a phi need not be available after it.
    if (opcode != spv::Op::OpPhi && !IsDebugLine(opcode)) {
      for (uint32_t i = 0; i < module.OperandCount(inst) && near.size() < limit; ++i) {
        if (module.IsId(inst, i)) AddNear(module, module.IdAt(inst, i), &near);
      }
    }
    inst = module.Prev(inst);
    if (inst != Inst::kNone) continue;
    block = flow.ImmediateDominator(block);
    if (block == Block::kNone) break;
    inst = module.Terminator(block);
  }
  return near;
}

Inst OldestInsertionPoint(const Module& module, spv::Op opcode, Inst where) {
  constexpr int kPlaces = 8;
  constexpr int kMost = 256;
  Inst oldest = where;
  Inst inst = where;
  int places = 0;
  for (int i = 0; i < kMost && places < kPlaces && module.NameOf(oldest).step != 0; ++i) {
    const uint32_t step = module.NameOf(inst).step;
    inst = module.Next(inst);
    if (inst == Inst::kNone) break;
    // All adjacent instructions of one step count as one place.
    if (module.NameOf(inst).step != step || step == 0) ++places;
    if (module.NameOf(inst).step < module.NameOf(oldest).step &&
        MayInsertBefore(module, opcode, inst)) {
      oldest = inst;
    }
  }
  return oldest;
}

bool IsInLongSequence(const Module& module, Inst inst) {
  constexpr int kAround = 8;  // the last instructions of a sequence compute its result
  const uint32_t step = module.NameOf(inst).step;
  // A block that the step itself made (a copy, a donated function) does not count as a sequence.
  if (step == 0 || module.NameOf(module.Label(module.BlockOf(inst))).step == step) return false;
  Inst before = inst, after = inst;
  for (int i = 0; i < kAround; ++i) {
    before = module.Prev(before);
    after = module.Next(after);
    if (before == Inst::kNone || module.NameOf(before).step != step) return false;
    if (after == Inst::kNone || module.NameOf(after).step != step) return false;
  }
  return true;
}

bool IsUsedByEntriesReaching(const Module& module, Id variable, Function function) {
  std::vector<Function> users;
  ForEachUse(module, variable, [&](Use use) {
    const Function user = module.FunctionOf(module.User(use));
    if (user != Function::kNone && std::find(users.begin(), users.end(), user) == users.end()) {
      users.push_back(user);
    }
  });
  if (std::find(users.begin(), users.end(), function) != users.end()) return true;
  std::vector<Inst> using_entries;
  for (Function user : users) {
    const std::vector<Inst> entries = EntryPointsReaching(module, user);
    using_entries.insert(using_entries.end(), entries.begin(), entries.end());
  }
  const std::vector<Inst> entries = EntryPointsReaching(module, function);
  return std::all_of(entries.begin(), entries.end(), [&](Inst entry) {
    return std::find(using_entries.begin(), using_entries.end(), entry) != using_entries.end();
  });
}

}  // namespace rules
}  // namespace refract
