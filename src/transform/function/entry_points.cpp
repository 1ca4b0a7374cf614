// SPDX-License-Identifier: Apache-2.0
#include "transform/function/entry_points.h"

#include <algorithm>

#include "input/block_use.h"
#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/context_editor.h"

namespace refract {
inline namespace transform {

CheckResult CheckEntryName(const Module& module, const std::string& name) {
  constexpr size_t kLongestName = 64;
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (name.empty() || name.size() > kLongestName ||
      !std::all_of(name.begin(), name.end(), is_plain)) {
    return No("the name of the entry point is empty, too long or has unsupported characters");
  }
  for (const EntryPoint& entry : EntryPoints(module)) {
    if (entry.name == name) return No("an entry point already has this name");
  }
  return Yes();
}

void AppendString(const std::string& text, Args* args) {
  for (size_t i = 0; i <= text.size(); i += 4) {
    uint32_t word = 0;
    for (size_t j = i; j < std::min(i + 4, text.size()); ++j) {
      word |= static_cast<uint32_t>(static_cast<unsigned char>(text[j])) << (8 * (j - i));
    }
    args->push_back(word);
  }
}

Inst EntryOf(const Module& module, Function function) {
  for (const EntryPoint& entry : EntryPoints(module)) {
    if (entry.function == function) return entry.instruction;
  }
  return Inst::kNone;
}

std::optional<EntryPoint> OnlyEntryOf(const View& view, Name name) {
  const Function function = view.FunctionNamed(name);
  std::optional<EntryPoint> only;
  if (function == Function::kNone) return only;
  for (EntryPoint& entry : EntryPoints(view.module())) {
    if (entry.function != function) continue;
    if (only) return std::nullopt;
    only = std::move(entry);
  }
  return only;
}

bool IsInInterface(const EntryPoint& entry, Id variable) {
  return std::find(entry.interface.begin(), entry.interface.end(), variable) !=
         entry.interface.end();
}

bool EntryUses(const Module& module, const EntryPoint& entry, Id variable) {
  return UseOf(module, variable, ReachedFlags(module, entry.function)).used;
}

namespace {

Args OperandsWithout(const Module& module, Inst entry, Id variable) {
  Args args;
  for (uint32_t i = 0; i < module.OperandCount(entry); ++i) {
    if (!module.IsId(entry, i)) {
      args.push_back(module.Word(entry, i));
    } else if (module.IdAt(entry, i) != variable) {
      args.push_back(module.IdAt(entry, i));
    }
  }
  return args;
}

}  // namespace

void AddToInterface(Editor& editor, Inst entry, Id variable) {
  Args args = OperandsWithout(editor.module(), entry, Id::kNone);
  args.push_back(variable);
  editor.SetOperands(entry, args);
}

void RemoveFromInterface(Editor& editor, Inst entry, Id variable) {
  editor.SetOperands(entry, OperandsWithout(editor.module(), entry, variable));
}

bool IsBuiltIn(const Module& module, Id variable, spv::BuiltIn built_in) {
  const auto is = [&](Inst decoration, uint32_t operand) {
    return decoration != Inst::kNone &&
           module.Word(decoration, operand) == static_cast<uint32_t>(built_in);
  };
  if (is(FindDecoration(module, variable, spv::Decoration::BuiltIn), 2)) return true;
  Id type = ElementType(module, module.TypeOf(variable));
  while (TypeOpcode(module, type) == spv::Op::OpTypeArray) type = ElementType(module, type);
  if (TypeOpcode(module, type) != spv::Op::OpTypeStruct) return false;
  for (uint32_t i = 0; i < PartCount(module, type).value_or(0); ++i) {
    if (is(FindMemberDecoration(module, type, i, spv::Decoration::BuiltIn), 3)) return true;
  }
  return false;
}

}  // namespace transform
}  // namespace refract
