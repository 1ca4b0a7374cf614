// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/displaced.h"

#include <algorithm>

#include "ir/availability.h"
#include "rules/build/copies.h"

namespace refract {
inline namespace rules {

std::vector<Displaced> DisplaceAll(ContextEditor& editor, uint64_t role,
                                   std::span<const Id> results, std::span<const Block> inside,
                                   Inst before_loop) {
  const Module& module = editor.module();
  std::vector<Displaced> all;
  for (Id result : results) {
    Displaced displaced{result, Id::kNone, module.NameOf(result)};
    displaced.inside =
        editor.Displace(module.Definition(result), editor.Made(role, displaced.name));
    std::vector<Use> uses;
    ForEachUse(module, result, [&](Use use) {
      const Block block = module.BlockOf(module.User(use));
      if (std::find(inside.begin(), inside.end(), block) != inside.end()) uses.push_back(use);
    });
    for (Use use : uses) {
      editor.SetOperand(module.User(use), module.OperandIndex(use), displaced.inside);
    }
    all.push_back(displaced);
  }
  const auto inside_of = [&](Id id) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Displaced& each) { return each.outside == id; });
    if (found != all.end()) return found->inside;
    return before_loop == Inst::kNone || IsAvailable(module, id, before_loop) ? id : Id::kNone;
  };
  for (const Displaced& each : all) CopyFacts(editor, each.outside, each.inside, inside_of);
  return all;
}

void YieldOutside(ContextEditor& editor, const Displaced& displaced, Inst where, spv::Op opcode,
                  const Args& args) {
  const Module& module = editor.module();
  editor.YieldAs(where, displaced.outside, displaced.name, opcode, module.TypeOf(displaced.inside),
                 args);
  // The inserted instruction depends on the original value, and this value on what it was made
  // from.
  const Inst inside = module.Definition(displaced.inside);
  const Inst outside = module.Definition(displaced.outside);
  editor.MarkMadeOf(outside, module[inside].copy_of);
  editor.MarkMadeOf(inside, outside);
}

void YieldAsPhi(ContextEditor& editor, const Displaced& displaced, Inst where, const Args& inputs) {
  YieldOutside(editor, displaced, where, spv::Op::OpPhi, inputs);
}

}  // namespace rules
}  // namespace refract
