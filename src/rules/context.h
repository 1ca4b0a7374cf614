// SPDX-License-Identifier: Apache-2.0
// Context: a module with what is known of it and the inputs it is run with: one value, copied as
// one. View: how a transformation's check and propose read it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/name.h"
#include "facts/facts.h"
#include "ir/module.h"

namespace refract::inline input {
struct Inputs;
}

namespace refract::inline rules {

/// Copying shares pages; a const Context may be read by several threads.
struct Context {
  Module module;
  Facts facts;
  std::shared_ptr<const Inputs> inputs;  ///< may be null: run with none
  std::string entry;  ///< the entry point under test; facts from inputs hold for it
  /// Allow control-flow shapes that spirv-val 2023.1 falsely rejects (--shapes latest).
  bool latest_shapes = false;
};

/// Read access to a context. It notes which steps the answers rested on: the provenance of the
/// facts that were relied on. That and the names in the message are what a step needs.
class View {
 public:
  /// `used` (may be null) collects the provenance of every fact that a question was answered with,
  /// `spared` (may be null) names that the check can do without.
  explicit View(const Context& context, Steps* used = nullptr, std::vector<Name>* spared = nullptr)
      : context_(context), used_(used), spared_(spared) {}

  const Context& context() const { return context_; }
  const Module& module() const { return context_.module; }
  const Facts& facts() const { return context_.facts; }

  // --- what a name stands for; kNone if it is not there or is something else
  Inst Find(Name name) const { return module().Find(name); }
  /// An id with a type (not void): something that can be an operand as a value.
  Id Value(Name name) const;
  /// The basic block that the label `name` starts.
  Block BlockStarting(Name name) const;
  /// The basic block that the terminator `name` ends.
  Block BlockEnding(Name name) const;
  Function FunctionNamed(Name name) const;

  // --- facts; a yes counts as used
  bool IsDead(Block block) const;
  bool IsIrrelevant(Id value) const;
  bool IsIrrelevantPointee(Id pointer) const;
  bool IsLiveSafe(Function function) const;
  /// Whether the interpreter saw that, on the inputs as they are given, the block is never entered,
  /// the value is always and everywhere the same.
  bool NeverRuns(Block block) const;
  bool IsUniform(Id value) const;
  /// Whether the scalar at that place of the inputs has that value and width.
  bool IsKnownInput(const KnownValue& input) const;
  bool AreSynonymous(const Part& a, const Part& b) const;
  /// The answer counts on this operand being there: notes the step that put it there.
  void CountOn(Inst user, uint32_t operand) const;
  /// The answer would be a yes as well if nothing were called by this name, which stands in the
  /// message: the step does not need who made that. To be said for each time that it stands there.
  void DoWithout(Name name) const {
    if (spared_ != nullptr) spared_->push_back(name);
  }

 private:
  bool Use(const Steps* why) const;
  const Context& context_;
  Steps* used_;
  std::vector<Name>* spared_;
};

}  // namespace refract::inline rules
