// SPDX-License-Identifier: Apache-2.0
// A module that a verb runs, with all that running it takes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/original_options.h"
#include "glsl/load.h"
#include "target/difference.h"
#include "target/judge.h"
#include "driver/run.h"

namespace refract::inline cli {

/// What the command line says about how to run a module.
struct SubjectArguments {
  std::string entry;
  std::string usual_entry;  ///< which one is meant where there are several and none is named
  CompanionArguments companion;
  /// Of a variant: that of its original (null: none), wherever the variant lies.
  std::optional<std::shared_ptr<const Companion>> as_original;
  std::string environment;
  ValidatorArguments validator;
  uint64_t time_limit = 10;
  bool validate = false;
  bool zero_inputs = false;
  bool partial_subgroups = false;
  bool is_valid = false;  ///< it is known already, and spirv-val is not asked again
};

struct Subject {
  std::string role;  ///< "original", "variant"
  std::string file;
  Job job;
  std::shared_ptr<const Companion> companion;  ///< as it was loaded; null: none
  std::vector<BufferLayout> layouts;           ///< of the storage buffers
};

/// Loads the module in whichever form and the inputs (a path; empty: none). kUnavailable for stages
/// that do not run. Warnings go to the user.
Result<Subject> LoadSubject(const std::string& role, const std::string& file,
                            const std::string& inputs, const SubjectArguments& given,
                            Console& console);

/// The same of a module that is loaded already; `file` is what errors call it.
Result<Subject> MakeSubject(const std::string& role, const std::string& file, LoadedModule loaded,
                            const std::string& inputs, const SubjectArguments& given,
                            Console& console);

/// Has the interpreter judge it.
Result<Judgement> JudgeSubject(const Subject& subject, const JudgeOptions& options);

}  // namespace refract::inline cli
