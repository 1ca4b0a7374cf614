// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/replaceable_variables.h"

#include <algorithm>

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/legality/memory.h"
#include "rules/values.h"

namespace refract {
inline namespace rules {
namespace {

uint32_t Word(spv::Decoration decoration) {
  return static_cast<uint32_t>(decoration);
}

// Ignores debug names, decorations and interfaces, which change along with the variable.
bool IsUsedInFunctionsOnly(const Module& module, Id variable) {
  bool only = true;
  ForEachUse(module, variable, [&](Use use) {
    const Inst user = module.User(use);
    const Block block = module.BlockOf(user);
    only &= module.FunctionOf(user) != Function::kNone ||
            block == Module::SectionBlock(Section::kDebug) ||
            block == Module::SectionBlock(Section::kAnnotations) ||
            block == Module::SectionBlock(Section::kEntryPoints);
  });
  return only;
}

}  // namespace

CheckResult IsReplaceableVariable(const View& view, Id variable) {
  const Module& module = view.module();
  const Inst inst = variable == Id::kNone ? Inst::kNone : module.Definition(variable);
  if (inst == Inst::kNone || module.Opcode(inst) != spv::Op::OpVariable) {
    return No("the variable does not exist");
  }
  // In a kernel, the address of a variable may be observable.
  if (!HasCapability(module, spv::Capability::Shader) ||
      HasCapability(module, spv::Capability::Addresses)) {
    return No("the module is a kernel or uses physical addressing");
  }
  const auto storage = static_cast<spv::StorageClass>(module.Word(inst, 0));
  if (storage != spv::StorageClass::Function && storage != spv::StorageClass::Private) {
    return No("the storage class is not Function or Private");
  }
  if (!MayBeVariable(module, PointeeOf(module, variable))) {
    return No("the type of the variable is not supported");
  }
  if (!IsTouchable(module, variable)) return No("a decoration on the variable forbids the change");
  if (!IsUsedInFunctionsOnly(module, variable)) {
    return No("an instruction outside functions uses the variable");
  }
  return Yes();
}

std::vector<PointerUse> UsesInFunctions(const Module& module, Id variable) {
  std::vector<PointerUse> uses;
  ForEachUse(module, variable, [&](Use use) {
    const Inst user = module.User(use);
    if (module.FunctionOf(user) == Function::kNone) return;
    uses.push_back({user, module.OperandIndex(use)});
  });
  std::sort(uses.begin(), uses.end(), [](const PointerUse& a, const PointerUse& b) {
    return std::pair(Index(a.user), a.operand) < std::pair(Index(b.user), b.operand);
  });
  return uses;
}

void ReplaceInInterfaces(ContextEditor& editor, Id variable, const std::vector<Id>& others) {
  const Module& module = editor.module();
  std::vector<Inst> entries;
  ForEachUse(module, variable, [&](Use use) {
    if (module.Opcode(module.User(use)) == spv::Op::OpEntryPoint) {
      entries.push_back(module.User(use));
    }
  });
  for (Inst entry : entries) {
    Args args;
    std::vector<Id> left = others;
    for (uint32_t i = 0; i < module.OperandCount(entry); ++i) {
      if (!module.IsId(entry, i)) {
        args.push_back(module.Word(entry, i));
      } else if (const Id id = module.IdAt(entry, i); id != variable) {
        left.erase(std::remove(left.begin(), left.end(), id), left.end());
        args.push_back(id);
      }
    }
    args.insert(args.end(), left.begin(), left.end());
    editor.SetOperands(entry, args);
  }
}

Inst AfterVariables(const Module& module, Function function) {
  const Inst label = module.Label(module[function].first);
  Inst last = label;
  for (Inst inst = module.Next(label); inst != Inst::kNone; inst = module.Next(inst)) {
    if (module.Opcode(inst) == spv::Op::OpVariable) last = inst;
  }
  return module.Next(last);
}

bool HasRelaxedPrecision(const Module& module, Id id) {
  return FindDecoration(module, id, spv::Decoration::RelaxedPrecision) != Inst::kNone;
}

void AddRelaxedPrecision(ContextEditor& editor, Id id, uint64_t role) {
  editor.AppendPlain(Module::SectionBlock(Section::kAnnotations), spv::Op::OpDecorate,
                     editor.Made(role, editor.module().NameOf(id)),
                     {id, Word(spv::Decoration::RelaxedPrecision)});
}

void AddRelaxedPrecision(ContextEditor& editor, Id type, uint32_t member, uint64_t role) {
  editor.AppendPlain(Module::SectionBlock(Section::kAnnotations), spv::Op::OpMemberDecorate,
                     editor.Made(role, uint64_t{member}),
                     {type, member, Word(spv::Decoration::RelaxedPrecision)});
}

}  // namespace rules
}  // namespace refract
