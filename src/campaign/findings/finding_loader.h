// SPDX-License-Identifier: Apache-2.0
// Makes a kept test again, ready to be confirmed and reduced. The store has only its number: the
// schedule and the references give everything else.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "campaign/findings/failing_original.h"
#include "campaign/findings/failing_program.h"
#include "campaign/findings/failing_variant.h"
#include "campaign/programs/program_test.h"
#include "campaign/references.h"
#include "campaign/setup.h"
#include "campaign/store/store.h"
#include "target/harness.h"

namespace refract {
inline namespace campaign {

/// A failing variant, and the interestingness test for its failure.
struct LoadedVariant {
  std::shared_ptr<const TestProgram> program;  ///< null for a variant of a reference
  const Original* original = nullptr;          ///< of `program`, or of the setup
  Target target;                               ///< takes the seed of the test, if it takes one
  FuzzResult variant;
  Candidate candidate;
  std::unique_ptr<const Interpretation> interpretation;  ///< only with `program`
  std::unique_ptr<TargetTest> interestingness;
  std::vector<BufferLayout> layouts;
  RunSettings run;

  /// The arguments of WriteFailingVariant, which refer to this. `reduction`: null if not reduced.
  FailingVariant Failing(uint32_t confirmations, const Reduction* reduction = nullptr) const;
};

/// A program that fails without any variant.
struct LoadedProgram {
  std::shared_ptr<const TestProgram> program;
  Target target;
  RunSettings run;

  /// The arguments of ReduceProgram and WriteFailingProgram, which refer to this.
  FailingProgram Failing(const std::string& signature, uint32_t confirmations) const;
};

/// A reference that fails without any change.
struct LoadedOriginal {
  const Original* original = nullptr;  ///< of the setup
  Target target;
  const Interpretation* interpretation = nullptr;  ///< null: the failure is not a wrong output
  RunSettings run;

  /// The arguments of ShrinkFailingOriginal and WriteFailingOriginal, which refer to this.
  FailingOriginal Failing(const std::string& signature, uint32_t confirmations) const;
};

using LoadedFinding = std::variant<LoadedVariant, LoadedProgram, LoadedOriginal>;

/// The module that shows a fault of Refract.
struct LoadedFault {
  std::vector<uint32_t> words;
  std::string recording;  ///< as bytes of a file; empty: the module has no steps
};

/// Makes kept tests again. Several threads may use it at once.
class FindingLoader {
 public:
  /// All arguments must outlive this, and all that it loads.
  FindingLoader(const CampaignSetup& setup, References& references)
      : setup_(setup), references_(references) {}

  /// Loads the test of a failure of a target. A program runs here to find out whether it fails with
  /// the signature of the bucket without its variant. An Error of kind kFailed means that the store
  /// or the harness failed, any other that this test cannot be loaded.
  Result<LoadedFinding> Load(const Bucket& bucket, const KeptTest& kept, Harness& harness);

  /// Loads a test that shows a fault of Refract. An Error is probably the fault.
  Result<LoadedFault> LoadFault(const KeptTest& kept) const;

 private:
  Result<bool> FailsWithoutVariant(const ProgramTest& test, const Target& target,
                                   const std::string& signature, Harness& harness) const;
  Result<LoadedFinding> LoadOriginal(const TestPlan& plan, const Bucket& bucket,
                                     const Target& target) const;
  /// Sets the original and the variant of a test that has a reference.
  Status LoadVariant(const TestPlan& plan, Harness& harness, LoadedVariant* loaded);
  /// The same for a variant of a program.
  Status LoadVariantOfProgram(ProgramTest test, LoadedVariant* loaded);
  Status MakeInterestingnessTest(const TestPlan& plan, const Bucket& bucket, Harness& harness,
                                 LoadedVariant* loaded);

  const CampaignSetup& setup_;
  References& references_;
};

}  // namespace campaign
}  // namespace refract
