// SPDX-License-Identifier: Apache-2.0
// Values made in blocks that are about to run otherwise, and used behind them: there each goes on
// under its name and id as a phi, so that uses stay as they are; inside it gets another name.
#pragma once

#include <span>
#include <vector>

#include "rules/context_editor.h"

namespace refract::inline rules {

struct Displaced {
  Id outside, inside;
  Name name;  ///< outside; for Editor::YieldAs, which the caller still has to do
};

/// Displaces the values `results`, made in the blocks `inside`: uses by instructions there go along
/// to what is named Made(role, old name), which gets the facts of the value, too. Where the inside
/// is a loop whose rounds are about to be told apart, `round` is in front of it: of what a value
/// equals, its inside keeps what is displaced along with it or available there.
std::vector<Displaced> DisplaceAll(ContextEditor& editor, uint64_t role,
                                   std::span<const Id> results, std::span<const Block> inside,
                                   Inst round = Inst::kNone);
/// Lets an instruction of this kind, put before `where`, yield the value from now on.
void YieldOutside(ContextEditor& editor, const Displaced& displaced, Inst where, spv::Op opcode,
                  const Args& args);
/// The same of a phi with these inputs.
void YieldAsPhi(ContextEditor& editor, const Displaced& displaced, Inst where, const Args& inputs);

}  // namespace refract::inline rules
