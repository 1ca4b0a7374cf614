// SPDX-License-Identifier: Apache-2.0
// A program of the user's as judge: it is given the path of a candidate as its last argument, its
// inputs beside that with the ending .json, and says that it is interesting by exit code 0.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "reduce/judge.h"

namespace refract::inline reduce {

/// Seconds that a try gets where none are given: ten times what the variant's took, at least 10.
double DefaultTimeLimit(double first_seconds);

/// Each try runs in an empty folder of its own, which its TMPDIR is too, and in a process group of
/// its own, none of which is left when it is over. One that is over the time limit is killed and
/// says no. Exit codes 126 and 127, by which shells say that there is nothing to run, are errors
/// of usage.
class ScriptJudge : public Judge {
 public:
  /// `time_limit` in seconds; 0: DefaultTimeLimit. `stop` (may
  /// be null) kills what is under way, which is an error then. kUsage if there is no such program.
  static Result<ScriptJudge> Make(std::vector<std::string> argv, double time_limit,
                                  const std::atomic<bool>* stop);
  ScriptJudge(ScriptJudge&& other) noexcept
      : name_(std::move(other.name_)),
        argv_(std::move(other.argv_)),
        limit_(other.limit_),
        stop_(other.stop_) {}

  Result<bool> IsInteresting(const Candidate& candidate) override;

  /// What the script printed of the first variant, and how it ended.
  std::string FirstOutput();

 private:
  ScriptJudge(std::string name, std::vector<std::string> argv, double limit,
              const std::atomic<bool>* stop)
      : name_(std::move(name)), argv_(std::move(argv)), limit_(limit), stop_(stop) {}
  Result<bool> Decide(const CommandResult& ran) const;

  std::string name_;  // as it was given
  std::vector<std::string> argv_;
  double limit_;  // 0: not known yet
  const std::atomic<bool>* stop_;
  std::mutex mutex_;
  std::optional<std::string> first_output_;
};

}  // namespace refract::inline reduce
