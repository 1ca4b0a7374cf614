// SPDX-License-Identifier: Apache-2.0
// How a test runs something on a target, and what becomes of it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "campaign/hangs.h"
#include "campaign/store.h"
#include "target/harness.h"
#include "target/patience.h"

namespace refract::inline campaign {

inline constexpr char kOwnTarget[] = "refract";     ///< Outcome::target of faults of ours
inline constexpr char kOwnVerdict[] = "our_error";  ///< and their verdict

/// A fault of ours; `stage` is what we did.
Outcome OwnFault(const std::string& stage, const std::string& what);
/// One that is called as its verdict: "slow lavapipe".
Outcome Named(const std::string& target, const std::string& verdict, double seconds);
/// Of a run that was none; an Error means that no test can be run any more.
Result<std::optional<Outcome>> OutcomeOf(const std::string& target, const Error& error);

/// Whether it was the interpreter that came to this result, and no tool before it.
bool IsInterpreters(const Target& target, const RunResult& ran);

/// Seconds of processor time that this thread used.
double ThreadSeconds();

/// Of one test. All must outlive this.
class PatientRunner {
 public:
  PatientRunner(Hangs& hangs, Harness& harness, const std::function<bool()>& stop)
      : hangs_(hangs), harness_(harness), stop_(stop) {}

  /// Runs it on `where`, which is called `name`, and took `before` seconds for the original. What
  /// does not end in time is a hang, slow, or whatever it does when it is alone. A device that is
  /// lost, or hangs, may be so because of others that use it, too: before anything is repeated
  /// alone, what `original` makes, which is known to run there (empty: there is none), must run
  /// again. If it does not for a minute, the target is not usable; nor is it if it is lost
  /// (Harness::IsLost).
  Result<RunResult> Run(const std::string& name, const Target& where, double before, Job job,
                        const std::function<Result<Job>()>& original);

  /// Of this thread, that targets used.
  double target_seconds = 0;

 private:
  Result<RunResult> LookAgain(const std::string& name, const Patience& patience, const Job& job,
                              RunResult result);
  RunResult Lost(const std::string& name, const Error& error, double seconds);
  bool Settles(const Target& where, Job original);

  Hangs& hangs_;
  Harness& harness_;
  const std::function<bool()>& stop_;
};

}  // namespace refract::inline campaign
