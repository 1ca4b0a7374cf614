// SPDX-License-Identifier: Apache-2.0
// Makes a test for a gap: a small module that still runs the lines, with an output that the
// interpreter knows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "coverage/counted_targets.h"
#include "engine/original.h"
#include "folder/test_folder.h"
#include "reduce/interestingness.h"
#include "reduce/reduce.h"
#include "reduce/reduce_module.h"
#include "reduce/self_checking.h"

namespace refract {
inline namespace coverage {

/// A candidate is interesting if it runs all lines, the interpreter finds it well defined, and it
/// is as good a test as the first candidate: its output is exact, and it writes something, if those
/// hold for the first one.
class CoversTest : public InterestingnessTest {
 public:
  /// `lines` are elements of TestHits::lines. All arguments must outlive this object.
  CoversTest(const Original& source, const std::vector<uint32_t>& lines, const RunSettings& run,
             CountedTargets& targets)
      : source_(source), lines_(lines), run_(run), targets_(targets) {}

  Result<bool> IsInteresting(const Candidate& candidate) override;
  /// Why the first candidate is not interesting.
  const std::string& WhyNot() const { return why_not_; }

 private:
  struct Quality {
    bool whole = false, exact = false, writes = false;
  };
  Result<bool> Covers(const Job& job);
  Result<std::optional<Quality>> QualityOf(const Candidate& candidate, const Job& job,
                                           std::string* why_not) const;

  const Original& source_;
  const std::vector<uint32_t>& lines_;
  const RunSettings& run_;
  CountedTargets& targets_;
  std::optional<Quality> first_;  // set before other threads run
  std::string why_not_;
};

/// A test for a gap.
struct SmallGapTest {
  /// kDone: the test was made. kNotInteresting: no test can be made; `why_not` gives the reason.
  Reduction::End end = Reduction::End::kDone;
  std::string why_not;
  std::optional<Original> module;  ///< the smallest module
  size_t instructions = 0;         ///< in it
  bool minimal = false;            ///< as in ModuleReduction
  /// The module as one that compares its own output, which also runs the lines; or why there is
  /// none.
  std::optional<SelfCheckingModule> self_checking;
  std::string why_not_checking;
  TestHits hits;  ///< of the self-checking module, or else of the smallest module
};

/// Reduces `source`. `lines` are elements of TestHits::lines. Of the options, it uses what
/// ReduceModule uses, without wrong_output. The result does not depend on `jobs`.
Result<SmallGapTest> MakeSmallGapTest(const Original& source, const std::vector<uint32_t>& lines,
                                      const RunSettings& run, const ReduceOptions& options,
                                      CountedTargets& targets);

/// Writes it as a test folder. `covers` names the lines: "source/opt/ccp_pass.cpp:120-131".
Status WriteGapTest(const std::string& folder, const SmallGapTest& test, const std::string& covers,
                    const std::string& target, const RunSettings& run);

}  // namespace coverage
}  // namespace refract
