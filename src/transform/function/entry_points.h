// SPDX-License-Identifier: Apache-2.0
// Functions on entry points: their names, and the variables in their interfaces.
#pragma once

#include <optional>
#include <string>

#include "ir/call_graph.h"
#include "rules/rule.h"

namespace refract {
inline namespace transform {

/// Checks that a new entry point may have this name: a short sequence of letters, digits and
/// underscores that no other entry point has.
CheckResult CheckEntryName(const Module& module, const std::string& name);
/// Appends a literal string as words (SPIR-V 2.2.1), with at least one zero byte at its end.
void AppendString(const std::string& text, Args* args);

/// The first OpEntryPoint of the function; kNone if not found.
Inst EntryOf(const Module& module, Function function);
/// The entry point of this function; nullopt if there are several or none.
std::optional<EntryPoint> OnlyEntryOf(const View& view, Name function);

bool IsInInterface(const EntryPoint& entry, Id variable);
/// True if an instruction that the entry point reaches names the variable.
bool EntryUses(const Module& module, const EntryPoint& entry, Id variable);
/// AddToInterface appends the variable to the interface; RemoveFromInterface removes it.
void AddToInterface(Editor& editor, Inst entry, Id variable);
void RemoveFromInterface(Editor& editor, Inst entry, Id variable);

/// True if the variable is this built-in, or is a block that has it as a member.
bool IsBuiltIn(const Module& module, Id variable, spv::BuiltIn built_in);

}  // namespace transform
}  // namespace refract
