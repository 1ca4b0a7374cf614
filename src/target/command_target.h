// SPDX-License-Identifier: Apache-2.0
// Command targets: tools that make a module out of a module, described by a small JSON file
// (docs/targets.md is its reference). Ours are in targets/ and compiled into the executable; a user
// may add files of the same form.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace refract::inline target {

/// One command. Arguments may contain placeholders in braces:
/// {in} {out} the files it reads and writes; {env} spirv-val's name of the environment;
/// {vulkan} {spirv} glslang's two names of it ("vulkan1.1", "spirv1.3");
/// {entry} the entry point; {stage} its stage: frag, vert, comp, ...; {seed} a number;
/// and for several arguments each: {layout} the original's options of spirv-val; {passes} a list of
/// spirv-opt's passes; {pass} a single one with what has to run before it.
struct CommandStep {
  std::string name;                 ///< what signatures call it: the program's name
  std::vector<std::string> argv;    ///< argv[0] is the path of the program, or its name on $PATH
  bool to_standard_output = false;  ///< no argument is {out}: what it prints is its output
  bool makes_spirv = true;          ///< else text, or nothing
  bool makes_nothing = false;       ///< it only looks: what it was given goes on
  std::vector<std::string> passes;  ///< what {passes} and {pass} stand for
  double time_limit = 60;           ///< seconds, at most (Job::time_limit)
  uint64_t memory_limit = 0;        ///< bytes
  std::vector<std::string> version_arguments;  ///< what makes it say its version
  /// A refusal whose output has one of these in it is no finding: the program says what it cannot.
  std::vector<std::string> unsupported;
  bool keeps_spec_constants = true;  ///< else it makes them what they are by default
  std::string hint;                  ///< where one gets it: "Debian: spirv-tools"
};

struct Target;

struct CommandTarget {
  enum class Render {
    kFirst,  ///< on the first driver that can draw
    kNamed,  ///< on `driver`
    kNone,   ///< what it makes is validated only
  };

  std::string name;
  std::string description;
  std::string file;  ///< where it was read from; "(built in) NAME.json" for ours
  std::vector<CommandStep> steps;
  Render render = Render::kFirst;
  std::string driver;
  /// The target called `driver` where that is known already: one that the user described, or that
  /// was named behind an @; else null.
  std::shared_ptr<const Target> described_driver = {};
  uint64_t seed = 0;  ///< what {seed} stands for
};

/// Reads one description. Errors are "FILE:LINE: /pointer: what". `file` also says where programs
/// given by a relative path with a slash are: in its folder.
Result<CommandTarget> ParseCommandTarget(const std::string& file, std::string_view text);

/// Those in targets/ when the executable was built, in order of their names.
std::vector<CommandTarget> ShippedCommandTargets();

/// Which of its programs is not on this machine, in words; empty if all are.
std::string MissingProgram(const CommandTarget& target);

/// What its programs say their versions are, one line, a program once. Runs them.
std::string VersionsOf(const CommandTarget& target);

/// What the placeholders stand for.
struct Placeholders {
  std::string in, out, env, vulkan, spirv, entry, stage;
  std::string seed = {};
  std::vector<std::string> layout = {};
};
/// The arguments of a step with its placeholders filled in.
std::vector<std::string> Fill(const CommandStep& step, const Placeholders& values);

/// Whether some argument is {passes} or {pass}.
bool TakesPasses(const CommandTarget& target);
/// Whether what it does is a matter of a seed: {seed}, {passes} or {pass}.
bool TakesSeed(const CommandTarget& target);
/// The same with this seed, called NAME:SEED.
CommandTarget WithSeed(CommandTarget target, uint64_t seed);
/// The same with these passes ("--ccp"), called NAME:--ccp,--licm. The error names a pass that is
/// unknown or left out.
Result<CommandTarget> WithPasses(CommandTarget target, const std::vector<std::string>& names);

}  // namespace refract::inline target
