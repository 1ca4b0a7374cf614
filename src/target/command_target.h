// SPDX-License-Identifier: Apache-2.0
// Command targets: commands that read a module and write another, described by a small JSON file
// (docs/targets.md is the reference). The files in targets/ are compiled into the executable. A
// user can add files of the same form.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "input/json_text.h"
#include "target/root.h"

namespace refract {
inline namespace target {

/// One command. Arguments may contain placeholders in braces:
/// {in} {out}: the files that it reads and writes; {env}: the environment as spirv-val names it;
/// {vulkan} {spirv}: the environment as glslang names it ("vulkan1.1", "spirv1.3");
/// {entry}: the entry point; {stage}: its stage (frag, vert, comp, ...); {seed}: a number.
/// These stand for several arguments each: {layout}, the validator options of the original;
/// {passes}, a list of passes of spirv-opt; {pass}, one pass and the passes that must run before
/// it.
struct CommandStep {
  std::string name;                 ///< its name in signatures: by default that of the program
  std::vector<std::string> argv;    ///< argv[0] is the path of the program, or its name on $PATH
  bool to_standard_output = false;  ///< no argument is {out}, so the output is what it prints
  bool makes_spirv = true;          ///< its output is SPIR-V; else text, or nothing
  bool only_checks = false;         ///< it only checks its input, which the next command gets
  std::vector<std::string> passes;  ///< the value of {passes} and {pass}
  double time_limit = 60;           ///< in seconds; Job::time_limit may be shorter
  uint64_t memory_limit = 0;        ///< bytes
  std::vector<std::string> version_arguments;  ///< arguments that make it print its version
  /// If it rejects a module and its output contains one of these texts, this is not a finding: the
  /// program reports a feature that it does not support.
  std::vector<std::string> unsupported;
  bool keeps_spec_constants = true;  ///< else it replaces them by their default values
  bool keeps_push_constants = true;  ///< else it makes them a uniform block
  std::string hint;                  ///< where to get the program: "Debian: spirv-tools"
  std::string version = {};  ///< of a program that does not print it; empty: ask the program
  Root root = {};            ///< the system from which the program is; not set: this machine
};

struct Target;

struct CommandTarget {
  enum class Render {
    kFirst,  ///< on the first driver that can draw
    kNamed,  ///< on `driver`
    kNone,   ///< the output is validated but not drawn
  };

  std::string name;
  std::string description;
  std::string file;  ///< where it was read from; "(built in) NAME.json" if built in
  std::vector<CommandStep> steps;
  Render render = Render::kFirst;
  std::string driver;
  /// The target called `driver` if it is already known, because the user described it or named it
  /// after an @; else null.
  std::shared_ptr<const Target> described_driver = {};
  uint64_t seed = 0;  ///< the value of {seed}
};

/// Reads one description. Errors have the form "FILE:LINE: /pointer: message". Programs with a
/// relative path that contains a slash are searched for in the folder of `file`.
Result<CommandTarget> ReadCommandTarget(const std::string& file, const JsonNode& root);
/// The same for a text. Errors show the source line.
Result<CommandTarget> ParseCommandTarget(const std::string& file, std::string_view text);

/// The targets of targets/ at the time the executable was built, sorted by name.
std::vector<CommandTarget> ShippedCommandTargets();

/// An error text that names the first program that is not installed; empty if all are.
std::string MissingProgram(const CommandTarget& target);

/// The versions of its programs in one line, each program once. Runs the programs.
std::string VersionsOf(const CommandTarget& target);

/// The name of the file of a program: "spirv-opt".
std::string ProgramName(const CommandStep& step);
/// What `versions`, which is from VersionsOf or contains it, says about the program of a step.
/// Empty if not found.
std::string VersionOfStep(const CommandStep& step, std::string_view versions);

/// The values of the placeholders.
struct Placeholders {
  std::string in, out, env, vulkan, spirv, entry, stage;
  std::string seed = {};
  std::vector<std::string> layout = {};
};
/// The program of a step and its arguments, with the placeholders filled in. StartedIn of
/// step.root makes the command from it.
std::vector<std::string> Fill(const CommandStep& step, const Placeholders& values);

/// Whether an argument is {passes} or {pass}.
bool TakesPasses(const CommandTarget& target);
/// Whether the commands depend on a seed: they use {seed}, {passes} or {pass}.
bool TakesSeed(const CommandTarget& target);
/// The target with this seed, with the name NAME:SEED.
CommandTarget WithSeed(CommandTarget target, uint64_t seed);
/// The target with these passes ("--ccp"), with the name NAME:--ccp,--licm. The error names a pass
/// that is unknown or not allowed.
Result<CommandTarget> WithPasses(CommandTarget target, const std::vector<std::string>& names);

}  // namespace target
}  // namespace refract
