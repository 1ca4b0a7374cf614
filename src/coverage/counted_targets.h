// SPDX-License-Identifier: Apache-2.0
// One target that was built with counters, for runs in several threads.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "coverage/counted_target.h"

namespace refract {
inline namespace coverage {

/// Several CountedTargets of one build, one for each thread that runs at the same time.
class CountedTargets {
 public:
  /// `folder` is that of `build`; `name` and `files` are as for CountedTarget::Open, whose errors
  /// the first run gives.
  CountedTargets(std::string folder, CoverageBuild build, std::string name,
                 std::vector<std::string> files)
      : folder_(std::move(folder)),
        build_(std::move(build)),
        name_(std::move(name)),
        files_(std::move(files)) {}

  /// Runs a job on a target that no other thread uses, and returns what it ran (without a name).
  /// The error is kUnavailable if the program was not started. Several threads may call this.
  Result<TestHits> HitsOf(const Job& job);

  /// The same for the blocks of the program.
  Result<std::vector<bool>> MarksOf(const Job& job);

  /// The hash of the program (BlocksHash), after the first run that succeeded.
  const std::string& program() const { return program_; }
  /// How many lines these blocks are, and how many lines there are. `program` is its hash, for a
  /// call before the first run.
  Result<std::pair<size_t, size_t>> CountLines(const std::string& program, std::vector<bool> marks);

  Harness& harness() { return harness_; }
  const std::string& name() const { return build_.is_driver ? build_.recipe : name_; }

 private:
  Result<std::unique_ptr<CountedTarget>> Take();
  Status LoadMap(const std::vector<BlockAddress>& blocks);

  const std::string folder_;
  const CoverageBuild build_;
  const std::string name_;
  const std::vector<std::string> files_;
  Harness harness_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<CountedTarget>> free_;
  std::unique_ptr<const SourceMap> map_;
  std::string program_;
};

}  // namespace coverage
}  // namespace refract
