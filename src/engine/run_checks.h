// SPDX-License-Identifier: Apache-2.0
// What a run of the fuzzer checks in its variant: validity, and with FuzzOptions::self_check also
// outputs, facts, the tables of the model, and the replay of the recording.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/declarations.h"
#include "engine/fault_search.h"
#include "engine/fuzz.h"
#include "engine/self_check.h"

namespace refract {
inline namespace engine {

/// The checks of one run. An Error of kind kFailed is a fault of Refract: it names the step that is
/// at fault, and FuzzOptions::fault gets the smallest recording that shows it.
class RunChecks {
 public:
  /// `result`: the variant and the recording that the run makes. All arguments must outlive this.
  RunChecks(const Original& original, const FuzzOptions& options, const Declarations& declarations,
            FuzzResult* result)
      : original_(original), options_(options), declarations_(declarations), result_(*result) {}

  /// Prepares the self-check, after the facts are taken.
  void Begin();
  /// Checks the variant if it has enough steps since the last check. Call it after each pass. Does
  /// nothing if steps may need a certificate, which only the result gets.
  Status CheckWhenDue();
  /// Stores in the recording the ids that the steps made, and the declarations that they name.
  void CompleteRecording();
  /// Checks the result, and adds notes about what was not compared. Needs the complete recording.
  Status CheckResult();

 private:
  Status CheckValidity();
  Status CheckSemantics(bool thorough);
  Status CheckWhole();
  Status CheckReplay();
  void AddNotes();
  std::optional<std::string> FindDifference(const Context& context, bool thorough);
  std::optional<Error> FindInvalidity(const Context& context,
                                      const std::vector<uint32_t>& words) const;
  Error ReportInvalidity(const std::string& what);
  Error ReportDifference(const std::string& what, const ContextCheck& check);
  Error ReportFault(const std::string& effect, const std::string& what, const ContextCheck& check);

  const Original& original_;
  const FuzzOptions& options_;
  const Declarations& declarations_;
  FuzzResult& result_;
  std::optional<SelfCheck> self_check_;
  bool bounded_ = false;   // steps may need a certificate (certifier.h)
  size_t next_check_ = 0;  // number of steps at the next check of the variant
};

}  // namespace engine
}  // namespace refract
