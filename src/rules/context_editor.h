// SPDX-License-Identifier: Apache-2.0
// What Apply edits with: the module's Editor plus facts, for one step.
#pragma once

#include <memory>
#include <utility>

#include "ir/edit/editor.h"
#include "rules/context.h"

namespace refract::inline rules {

class ContextEditor : public Editor {
 public:
  ContextEditor(Context& context, uint32_t step)
      : Editor(context.module, step), context_(context), view_(context) {}

  /// The context as it is now.
  const View& view() const { return view_; }
  Facts& facts() { return context_.facts; }
  void SetInputs(std::shared_ptr<const Inputs> inputs) { context_.inputs = std::move(inputs); }
  /// Provenance of a fact that this step makes: the step, and what else it rests on.
  Steps Because(const Steps& more = {}) const {
    Steps steps{step()};
    MergeSteps(&steps, more);
    return steps;
  }
  /// `block` is as dead as `like`, or runs as little: facts carried to a block made from another.
  void CarryDead(Block like, Block block) {
    const Id from = module().LabelId(like), to = module().LabelId(block);
    if (const Steps* why = facts().Dead(from)) facts().SetDead(to, Because(*why));
    if (const Steps* why = facts().NeverRuns(from)) facts().SetNeverRuns(to, Because(*why));
  }

 private:
  Context& context_;
  View view_;
};

}  // namespace refract::inline rules
