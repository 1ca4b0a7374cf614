// SPDX-License-Identifier: Apache-2.0
// The editor that Apply functions use for one step: the Editor of the module, and access to its
// facts.
#pragma once

#include <memory>
#include <utility>

#include "ir/edit/editor.h"
#include "rules/context.h"

namespace refract {
inline namespace rules {

class ContextEditor : public Editor {
 public:
  ContextEditor(Context& context, uint32_t step)
      : Editor(context.module, step), context_(context), view_(context) {}

  /// The context in its current state.
  const View& view() const { return view_; }
  Facts& facts() { return context_.facts; }
  void SetInputs(std::shared_ptr<const Inputs> inputs) { context_.inputs = std::move(inputs); }
  /// The provenance of a fact that this step makes: this step, and the steps in `more`.
  Steps Provenance(const Steps& more = {}) const {
    Steps steps{step()};
    MergeSteps(&steps, more);
    return steps;
  }
  /// Gives `block`, which is made from `like`, the facts that `like` is dead or never runs.
  void CopyDeadFacts(Block like, Block block) {
    const Id from = module().LabelId(like), to = module().LabelId(block);
    if (const Steps* why = facts().Dead(from)) facts().SetDead(to, Provenance(*why));
    if (const Steps* why = facts().NeverRuns(from)) facts().SetNeverRuns(to, Provenance(*why));
  }

 private:
  Context& context_;
  View view_;
};

}  // namespace rules
}  // namespace refract
