// SPDX-License-Identifier: Apache-2.0
// A value that is defined in blocks whose control flow is about to change, and that is used after
// them. Outside these blocks a phi takes over its name and id, so that uses stay as they are;
// inside, the value gets another name.
#pragma once

#include <span>
#include <vector>

#include "rules/context_editor.h"

namespace refract {
inline namespace rules {

struct Displaced {
  Id outside, inside;
  Name name;  ///< the outside name, for Editor::YieldAs, which the caller still has to call
};

/// Displaces the values `results`, which the blocks `inside` define. Uses in these blocks are
/// changed to the inside value, which is named Made(role, old name) and gets the facts of the old
/// value. If the inside is a loop whose iterations are about to be separated, `before_loop` is an
/// instruction before the loop: the inside value then keeps only those synonyms that are displaced
/// too or are available there.
std::vector<Displaced> DisplaceAll(ContextEditor& editor, uint64_t role,
                                   std::span<const Id> results, std::span<const Block> inside,
                                   Inst before_loop = Inst::kNone);
/// Inserts an instruction of this opcode before `where`, which yields the displaced value outside
/// from now on.
void YieldOutside(ContextEditor& editor, const Displaced& displaced, Inst where, spv::Op opcode,
                  const Args& args);
/// The same with a phi that has these inputs.
void YieldAsPhi(ContextEditor& editor, const Displaced& displaced, Inst where, const Args& inputs);

}  // namespace rules
}  // namespace refract
