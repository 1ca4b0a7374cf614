// SPDX-License-Identifier: Apache-2.0
// Runs tests on a target that was built with counters, and finds what each ran.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/temporary_folder.h"
#include "coverage/build.h"
#include "coverage/source_map.h"
#include "target/harness.h"

namespace refract {
inline namespace coverage {

/// One target with a folder of its own for the counters. A caller that runs tests in parallel has
/// one for each thread.
class CountedTarget {
 public:
  /// `name` is a target that uses the program of the build ("spirv-opt-O"; `files`: descriptions of
  /// targets), with its program replaced by that of the build. For a driver, `name` is not used. A
  /// target that does not use this program is a usage error.
  static Result<CountedTarget> Open(const CoverageBuild& build, const std::string& name,
                                    const std::vector<std::string>& files);

  /// The name of the target; for a driver, that of its recipe.
  const std::string& name() const { return target_.name; }

  /// Runs a job. The output of a command is not drawn, only validated. The result is `ran`, and
  /// for each block of the program whether this job ran it. The marks are empty if the program was
  /// not started. The error says that the counters cannot be read.
  Result<std::vector<bool>> Run(Harness& harness, const Job& job, RunResult* ran);

  /// The blocks of the program, known after the first Run that started it; else empty.
  const std::vector<BlockAddress>& blocks() const { return blocks_; }

 private:
  explicit CountedTarget(TemporaryFolder counters)
      : counters_(std::make_unique<TemporaryFolder>(std::move(counters))) {}
  Status FindBlockFile();

  std::unique_ptr<TemporaryFolder> counters_;
  std::string counted_;  // the program or library
  Target target_;
  std::string block_file_;  // of `counted_`, once it is known
  std::vector<BlockAddress> blocks_;
};

/// The map of the build's program. It is stored in `folder` (of the build) and made anew if the
/// program changed.
Result<SourceMap> MapOfBuild(const std::string& folder, const CoverageBuild& build,
                             const std::vector<BlockAddress>& blocks);
/// Identifies the blocks of a program: CoverageData::program.
std::string BlocksHash(const std::vector<BlockAddress>& blocks);

}  // namespace coverage
}  // namespace refract
