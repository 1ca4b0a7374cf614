// SPDX-License-Identifier: Apache-2.0
// The drivers and tools a machine has, by the names people use for them. Looking for them opens
// none of them; what they are is asked through a worker, or of the tool (Harness::Probe).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "target/command_target.h"
#include "driver/run.h"

namespace refract::inline target {

struct Target {
  enum class Kind {
    kRender,       ///< draws pictures
    kPipeline,     ///< compiles for hardware that is not there; pictures would be nonsense
    kCommand,      ///< tools that make a module, which is then drawn by a driver
    kInterpreter,  ///< the reference interpreter
  };

  std::string name;
  Kind kind = Kind::kRender;
  std::string icd;  ///< absolute path of the ICD file; empty if `missing`, and of tools
  /// Set in the worker's environment only, beside the variables that choose the ICD.
  std::vector<std::pair<std::string, std::string>> environment;
  std::string missing;  ///< why it is not on this machine; empty if its file or programs are
  std::shared_ptr<const CommandTarget> command = {};  ///< of kCommand only
  /// Of a driver that the user described: the file; empty of others.
  std::string file = {};
  std::string description = {};
};

/// "render", "pipeline", "command" or "interpreter".
std::string_view TargetKindName(Target::Kind kind);

/// Whether the interpreter draws: interp, and command targets NAME@interp.
bool IsInterpreted(const Target& target);

/// What a target turned out to be when asked.
struct TargetState {
  bool available = false;
  std::string reason;   ///< why not
  DeviceInfo device;    ///< if available, and a driver
  std::string version;  ///< if available: VersionText, or what the tools say theirs are
};
/// The driver and its version in one line: "llvmpipe, Mesa 22.3.6 (LLVM 15.0.6), Vulkan 1.3.230".
std::string VersionText(const DeviceInfo& device);

/// lavapipe, swiftshader, radv-aco and radv-llvm, found or not, then one per other ICD file in the
/// standard folders, named after the file: a fixed order.
std::vector<Target> FindDrivers();

/// The interpreter, the drivers, those described in `files` (paths of descriptions and of folders
/// of them), then command targets by their names: those of `files` and our own, except where one of
/// `files` has its name. A description that is wrong, or has the name of a driver of ours or of
/// another description, is bad input.
Result<std::vector<Target>> FindTargets(const std::vector<std::string>& files = {});

/// The target of that name among FindTargets(files), or what can be made of one of them:
///   NAME:SEED              one that takes a seed (TakesSeed), with this one; without: with 0
///   NAME:--PASS,--PASS     one that takes passes, with these
///   NAME@DRIVER            a command target, drawn by this driver or by interp
/// A name that ends in .json is the path of an ICD file. An unknown name is an error of usage that
/// lists the known ones; a known one that is missing is unavailable.
Result<Target> FindTarget(const std::string& name, const std::vector<std::string>& files = {});

/// A list of names that was split at commas: parts that begin with a dash are passes of the one
/// before them.
std::vector<std::string> JoinPassLists(const std::vector<std::string>& parts);

/// What finds the very same target with other versions of this tool, too: NAME:--PASS,--PASS where
/// the passes were drawn from a seed; else its name.
std::string RecordedName(const Target& target);

/// A target that takes a seed with another one (what a campaign does for each test).
Target Reseeded(const Target& target, uint64_t seed);

}  // namespace refract::inline target
