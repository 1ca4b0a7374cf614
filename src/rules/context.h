// SPDX-License-Identifier: Apache-2.0
// Context: a module, what is known about it, and its inputs. View: how the Check and Propose
// functions of transformations read a context.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/name.h"
#include "facts/facts.h"
#include "ir/module.h"

namespace refract {
inline namespace input {
struct Inputs;
}  // namespace input
}  // namespace refract

namespace refract {
inline namespace rules {

/// Copies of a Context share pages. Several threads may read a const Context.
struct Context {
  Module module;
  Facts facts;
  std::shared_ptr<const Inputs> inputs;  ///< null if the module runs without inputs
  std::string entry;  ///< the entry point under test, for which facts from the inputs hold
  /// Allow control-flow shapes that spirv-val 2023.1 falsely rejects (--shapes latest).
  bool latest_shapes = false;
};

/// Read access to a context. A View records the steps on which its answers depend, which is the
/// provenance of the facts that they used. A step depends on these steps and on those that made the
/// names in its message.
class View {
 public:
  /// `used` (may be null) collects the provenance of every fact that an answer used.
  /// `optional_names` (may be null) collects names without which the check would also pass.
  explicit View(const Context& context, Steps* used = nullptr,
                std::vector<Name>* optional_names = nullptr)
      : context_(context), used_(used), optional_names_(optional_names) {}

  const Context& context() const { return context_; }
  const Module& module() const { return context_.module; }
  const Facts& facts() const { return context_.facts; }

  // --- what a name refers to; kNone if it does not exist or is something else
  Inst Find(Name name) const { return module().Find(name); }
  /// An id with a type other than void: a value that can be an operand.
  Id Value(Name name) const;
  /// The basic block whose label is `name`.
  Block BlockStarting(Name name) const;
  /// The basic block whose terminator is `name`.
  Block BlockEnding(Name name) const;
  Function FunctionNamed(Name name) const;

  // --- facts; an answer of true is recorded as used
  bool IsDead(Block block) const;
  bool IsIrrelevant(Id value) const;
  bool IsIrrelevantPointee(Id pointer) const;
  bool IsLiveSafe(Function function) const;
  /// These two are execution facts: on the given inputs, the block is never entered; the value is
  /// always the same for all invocations.
  bool NeverRuns(Block block) const;
  bool IsUniform(Id value) const;
  /// True if the scalar at that place of the inputs is known to have that value and width.
  bool IsKnownInput(const KnownValue& input) const;
  bool AreSynonymous(const Part& a, const Part& b) const;
  /// Records a dependency on the step that put this operand in place.
  void DependOn(Inst user, uint32_t operand) const;
  /// Marks a name in the message as optional: the check also passes if the name refers to nothing,
  /// so the step does not depend on the step that made it. Call this once for each occurrence of
  /// the name in the message.
  void MarkOptional(Name name) const {
    if (optional_names_ != nullptr) optional_names_->push_back(name);
  }

 private:
  bool Use(const Steps* why) const;
  const Context& context_;
  Steps* used_;
  std::vector<Name>* optional_names_;
};

}  // namespace rules
}  // namespace refract
