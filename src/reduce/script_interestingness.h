// SPDX-License-Identifier: Apache-2.0
// An interestingness test that runs a program of the user. The last argument is the path of the
// candidate; its inputs are next to it in a file with the extension .json. Exit code 0 means
// interesting.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "reduce/interestingness.h"

namespace refract {
inline namespace reduce {

/// Returns the default time limit of a try in seconds: ten times what the variant took, but at
/// least 10.
double DefaultTimeLimit(double first_seconds);

/// Each try runs in its own empty folder, which is also its TMPDIR, and in its own process group.
/// All processes of the group are killed when the try ends. A try that exceeds the time limit is
/// killed and means not interesting. Exit codes 126 and 127, with which shells report that a
/// command cannot be run, are usage errors.
class ScriptTest : public InterestingnessTest {
 public:
  /// `time_limit` is in seconds; 0 means DefaultTimeLimit. `stop` (may be null) kills running
  /// tries, whose answer is then an error. Fails with kUsage if the program does not exist.
  static Result<ScriptTest> Make(std::vector<std::string> argv, double time_limit,
                                 const std::atomic<bool>* stop);
  ScriptTest(ScriptTest&& other) noexcept
      : name_(std::move(other.name_)),
        argv_(std::move(other.argv_)),
        limit_(other.limit_),
        stop_(other.stop_) {}

  Result<bool> IsInteresting(const Candidate& candidate) override;

  /// Returns what the script printed for the first variant and how it ended.
  std::string FirstOutput();

 private:
  ScriptTest(std::string name, std::vector<std::string> argv, double limit,
             const std::atomic<bool>* stop)
      : name_(std::move(name)), argv_(std::move(argv)), limit_(limit), stop_(stop) {}
  Result<bool> Decide(const CommandResult& ran) const;

  std::string name_;  // as the user gave it
  std::vector<std::string> argv_;
  double limit_;  // 0: not known yet
  const std::atomic<bool>* stop_;
  std::mutex mutex_;
  std::optional<std::string> first_output_;
};

}  // namespace reduce
}  // namespace refract
