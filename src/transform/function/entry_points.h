// SPDX-License-Identifier: Apache-2.0
// Entry points as steps change them: their names, and the variables in their interfaces.
#pragma once

#include <optional>
#include <string>

#include "ir/call_graph.h"
#include "rules/rule.h"

namespace refract::inline transform {

/// Whether a new entry point may have the name: letters, digits and underscores, few of them, and
/// no other entry point's.
Verdict CheckEntryName(const Module& module, const std::string& name);
/// A literal string as words (SPIR-V 2.2.1), with at least one zero byte at its end.
void AppendString(const std::string& text, Args* args);

/// The first OpEntryPoint of the function; none.
Inst EntryOf(const Module& module, Function function);
/// The entry point whose function that is, if it is the only one of it.
std::optional<EntryPoint> OnlyEntryOf(const View& view, Name function);

bool IsListed(const EntryPoint& entry, Id variable);
/// Whether an instruction that the entry point reaches names the variable.
bool EntryUses(const Module& module, const EntryPoint& entry, Id variable);
/// Lists the variable last in the interface, or takes it off wherever it stands there.
void List(Editor& editor, Inst entry, Id variable);
void Unlist(Editor& editor, Inst entry, Id variable);

/// Whether the variable, or a member of the block that it is, is that built-in.
bool IsBuiltIn(const Module& module, Id variable, spv::BuiltIn built_in);

}  // namespace refract::inline transform
