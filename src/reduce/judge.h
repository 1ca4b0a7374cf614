// SPDX-License-Identifier: Apache-2.0
// Whether a module still shows what somebody is after: the one question that reducing asks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "engine/original.h"
#include "input/inputs.h"
#include "rules/context.h"

namespace refract::inline reduce {

/// What is judged: a module and what it is run with.
struct Candidate {
  std::vector<uint32_t> words;
  std::shared_ptr<const Inputs> inputs;  ///< null: none
  /// The module as steps made it, with its facts; null for one that no steps made.
  std::shared_ptr<const Context> context;
  /// The original: it is asked about first, while the variant is still being made.
  bool is_original = false;
};

/// An interface. Threads may ask at once.
class Judge {
 public:
  virtual ~Judge() = default;
  /// The same for the same module and inputs, as far as what is judged allows. An Error means that
  /// nothing can be judged any more: the script is not there, the target cannot run such modules.
  virtual Result<bool> IsInteresting(const Candidate& candidate) = 0;
};

/// For bugs that come and go: interesting is what `judge` calls so at least `wanted` times of
/// `times`. Asks no more often than that takes.
class RepeatedJudge : public Judge {
 public:
  RepeatedJudge(Judge& judge, uint32_t wanted, uint32_t times)
      : judge_(judge), wanted_(wanted), times_(times) {}
  Result<bool> IsInteresting(const Candidate& candidate) override;

 private:
  Judge& judge_;
  uint32_t wanted_, times_;
};

/// Asks `judge` only about what is valid, as FindOurFault has it; nothing else is interesting. What
/// no steps made is left to `judge`.
class ValidatingJudge : public Judge {
 public:
  ValidatingJudge(Judge& judge, const Original& original) : judge_(judge), original_(original) {}
  Result<bool> IsInteresting(const Candidate& candidate) override;

 private:
  Judge& judge_;
  const Original& original_;
};

}  // namespace refract::inline reduce
