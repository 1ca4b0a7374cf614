// SPDX-License-Identifier: Apache-2.0
// The interface of interestingness tests, which decide whether a candidate still shows a failure.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "engine/original.h"
#include "input/inputs.h"
#include "rules/context.h"

namespace refract {
inline namespace reduce {

/// A candidate: a module and its inputs.
struct Candidate {
  std::vector<uint32_t> words;
  std::shared_ptr<const Inputs> inputs;  ///< null: no inputs
  /// The module as the steps made it, with its facts; null if no steps made it.
  std::shared_ptr<const Context> context;
  /// True for the original, which is tested first, while the recording is replayed to the variant.
  bool is_original = false;
  /// If the module was made from another one by removing things: the module, whose instructions
  /// have the permanent names that they had before; else null.
  std::shared_ptr<const Module> module = nullptr;
};

/// An interestingness test. Several threads may call it at once.
class InterestingnessTest {
 public:
  virtual ~InterestingnessTest() = default;
  /// Returns true if the candidate is interesting. Should give the same answer for the same module
  /// and inputs. An Error means that no candidate can be tested: the script is missing, or the
  /// target cannot run such modules.
  virtual Result<bool> IsInteresting(const Candidate& candidate) = 0;
  /// Returns false if it is certain, without a run, that a candidate that no steps made is not
  /// interesting. `module` is the module of the candidate. Called after IsInteresting returned true
  /// for the first candidate.
  virtual bool MayBeInteresting(const Candidate& candidate, const Module& module) {
    return static_cast<void>(candidate), static_cast<void>(module), true;
  }
};

/// For bugs that do not reproduce in every run: a candidate is interesting if `test` accepts it in
/// at least `wanted` of `times` runs. It stops as soon as the result is certain.
class RepeatedTest : public InterestingnessTest {
 public:
  RepeatedTest(InterestingnessTest& test, uint32_t wanted, uint32_t times)
      : test_(test), wanted_(wanted), times_(times) {}
  Result<bool> IsInteresting(const Candidate& candidate) override;
  bool MayBeInteresting(const Candidate& candidate, const Module& module) override {
    return test_.MayBeInteresting(candidate, module);
  }

 private:
  InterestingnessTest& test_;
  uint32_t wanted_, times_;
};

/// Passes to `test` only candidates that FindValidityError finds valid; others are not interesting.
/// Candidates that no steps made are passed on without this check.
class ValidatingTest : public InterestingnessTest {
 public:
  ValidatingTest(InterestingnessTest& test, const Original& original)
      : test_(test), original_(original) {}
  Result<bool> IsInteresting(const Candidate& candidate) override;
  bool MayBeInteresting(const Candidate& candidate, const Module& module) override {
    return test_.MayBeInteresting(candidate, module);
  }

 private:
  InterestingnessTest& test_;
  const Original& original_;
};

}  // namespace reduce
}  // namespace refract
