// SPDX-License-Identifier: Apache-2.0
// A module that a verb runs, with everything that is needed to run it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/original_options.h"
#include "driver/run.h"
#include "glsl/load.h"
#include "target/difference.h"
#include "target/original_check.h"

namespace refract {
inline namespace cli {

/// The options for running a module.
struct RunnableModuleArguments {
  std::string entry;
  std::string usual_entry;  ///< used if there are several and none is named
  CompanionArguments companion;
  /// For a variant: the companion of its original (null: none), which is used whatever the folder
  /// of the variant.
  std::optional<std::shared_ptr<const Companion>> as_original;
  std::string environment;
  ValidatorArguments validator;
  uint64_t time_limit = 10;
  bool validate = false;
  bool zero_inputs = false;
  bool partial_subgroups = false;
  bool is_valid = false;  ///< known to be valid: spirv-val does not run again
};

struct RunnableModule {
  std::string role;  ///< "original", "variant"
  std::string file;
  Job job;
  std::shared_ptr<const Companion> companion;  ///< null: none
  std::vector<BufferLayout> layouts;           ///< of the storage buffers
};

/// Loads a module in any form, and its inputs (a path; empty: none). The error is kUnavailable for
/// stages that cannot be run. Prints warnings.
Result<RunnableModule> LoadRunnableModule(const std::string& role, const std::string& file,
                                          const std::string& inputs,
                                          const RunnableModuleArguments& given, Console& console);

/// The same for a module that is already loaded. Errors call it `file`.
Result<RunnableModule> MakeRunnableModule(const std::string& role, const std::string& file,
                                          LoadedModule loaded, const std::string& inputs,
                                          const RunnableModuleArguments& given, Console& console);

/// The check of the interpreter on the module.
Result<OriginalCheck> CheckOriginalModule(const RunnableModule& subject,
                                          const OriginalCheckOptions& options);

}  // namespace cli
}  // namespace refract
