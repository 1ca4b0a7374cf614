// SPDX-License-Identifier: Apache-2.0
// Builds targets with counters of basic blocks, from their sources.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace refract {
inline namespace coverage {

/// How a target is built from its sources.
struct CoverageRecipe {
  const char* name;     ///< as `refract coverage build` takes it
  const char* summary;  ///< what is built
  enum class System { kCmake, kMeson } system;
  const char* options;  ///< of cmake or meson, separated by blanks; {source}: the source folder
  const char* build;    ///< what ninja builds, separated by blanks; empty: everything
  /// The program, or the ICD file of a driver, in the build folder.
  const char* result;
  /// The file of the driver whose code counts, in the build folder; empty: the program itself.
  const char* driver_file;
  /// The built-in target (docs/targets.md) whose environment a driver runs in; empty for programs.
  const char* like;
  const char* needs;  ///< what the sources must contain in addition, for people; may be empty
  bool is_driver() const { return driver_file[0] != '\0'; }
};

/// The recipes, sorted by name. The one called "cmake" is for any CMake project; its `build` and
/// `result` are those of CoverageBuildOptions.
std::span<const CoverageRecipe> CoverageRecipes();
const CoverageRecipe* FindCoverageRecipe(const std::string& name);

struct CoverageBuildOptions {
  std::string recipe;
  std::string source;  ///< folder
  std::string output;  ///< folder: gets coverage.json, the counters and the folder `build`
  std::vector<std::string> options;  ///< for cmake or meson, after those of the recipe
  std::string program;               ///< for the recipe "cmake": the program in the build folder
  uint64_t jobs = 0;                 ///< of ninja; 0: its default
  uint64_t time_limit = 7200;        ///< seconds for each of the two commands
};

/// A build that was made.
struct CoverageBuild {
  std::string recipe;
  std::string source, build;  ///< absolute paths without links
  std::string result;         ///< absolute: the program, or the ICD file
  std::string counted;        ///< absolute: the file whose code counts
  bool is_driver = false;
};

/// Configures and builds. Continues an earlier build in the same folder. `say` gets lines about
/// the progress. The error names the command that failed, the end of its output and its log.
Result<CoverageBuild> MakeCoverageBuild(const CoverageBuildOptions& options,
                                        const std::function<void(const std::string&)>& say);
/// Reads coverage.json of a folder that MakeCoverageBuild wrote.
Result<CoverageBuild> ReadCoverageBuild(const std::string& folder);

}  // namespace coverage
}  // namespace refract
