// SPDX-License-Identifier: Apache-2.0
// An interestingness test for one module without an original: a candidate is interesting if it
// fails on a target with the same signature as the module.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "engine/original.h"
#include "reduce/interestingness.h"
#include "reduce/target_interestingness.h"
#include "target/finding.h"
#include "target/harness.h"

namespace refract {
inline namespace reduce {

/// The first candidate decides which failure is wanted: a crash, a hang, a rejected module or an
/// invalid output. An output that is only wrong is none, because there is nothing to compare with.
class FailingTest : public InterestingnessTest {
 public:
  /// `signature` is what the failure must have; empty: that of the first candidate. `source` has
  /// the entry point and the environment of all candidates. It and `harness` must outlive this.
  FailingTest(const Original& source, Target target, std::string signature, RunSettings run,
              Harness& harness)
      : source_(source),
        target_(std::move(target)),
        run_(run),
        harness_(harness),
        signature_(std::move(signature)) {}
  Result<bool> IsInteresting(const Candidate& candidate) override;

  /// The result of the first candidate.
  Finding First();
  /// The wanted signature, once it is known.
  std::string signature();

 private:
  Result<RunResult> RunFirst(const Job& job);

  const Original& source_;
  const Target target_;
  const RunSettings run_;
  Harness& harness_;
  std::mutex mutex_;
  std::optional<Finding> first_;
  double first_seconds_ = 0;
  std::string signature_;
};

}  // namespace reduce
}  // namespace refract
