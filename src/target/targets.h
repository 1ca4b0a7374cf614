// SPDX-License-Identifier: Apache-2.0
// Finds the drivers and tools of a machine by the names that people use. Finding them opens none of
// them. Harness::Probe asks a driver, through a worker, or a tool for its version.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "driver/run.h"
#include "target/command_target.h"
#include "target/root.h"

namespace refract {
inline namespace target {

struct Target {
  enum class Kind {
    kRender,       ///< draws images
    kPipeline,     ///< only compiles, for hardware that is not there
    kCommand,      ///< tools that make a module, which a driver then draws
    kInterpreter,  ///< the reference interpreter
  };

  std::string name;
  Kind kind = Kind::kRender;
  std::string icd;  ///< absolute path of the ICD file; empty for tools and if `missing`
  /// Set only in the environment of the worker, in addition to the variables that select the ICD.
  std::vector<std::pair<std::string, std::string>> environment;
  std::string missing;  ///< why it is not on this machine; empty if it is
  std::shared_ptr<const CommandTarget> command = {};  ///< kCommand only
  /// The file in which the user described the driver; else empty.
  std::string file = {};
  std::string description = {};
  Root root = {};  ///< the system with whose libraries the driver runs; not set: this machine
};

/// "render", "pipeline", "command" or "interpreter".
std::string_view TargetKindName(Target::Kind kind);

/// Whether the interpreter runs the module: interp, and command targets NAME@interp.
bool IsInterpreted(const Target& target);

/// What Harness::Probe found out about a target.
struct TargetState {
  bool available = false;
  std::string reason;   ///< why it is not available
  DeviceInfo device;    ///< if available, and a driver
  std::string version;  ///< if available: VersionText, or the versions of the tools
};
/// The driver and its version in one line: "llvmpipe, Mesa 22.3.6 (LLVM 15.0.6), Vulkan 1.3.230".
std::string VersionText(const DeviceInfo& device);

/// lavapipe, swiftshader, radv-aco and radv-llvm, whether found or not, then one target for each
/// other ICD file in the standard folders, named after the file. The order is fixed.
std::vector<Target> FindDrivers();

/// The interpreter, the drivers, the drivers described in `files` (paths of descriptions and of
/// folders of descriptions), then all command targets sorted by name. A command target of `files`
/// replaces a built-in one of the same name. A description that is wrong, or that has the name of a
/// known driver or of another description, is bad input.
Result<std::vector<Target>> FindTargets(const std::vector<std::string>& files = {});

/// The target of that name among FindTargets(files), or one made from it:
///   NAME:SEED              a target that takes a seed (TakesSeed), with this seed; default 0
///   NAME:--PASS,--PASS     a target that takes passes, with these passes
///   NAME@DRIVER            a command target whose output this driver, or interp, draws
/// A name that ends in .json is the path of an ICD file. An unknown name is a usage error that
/// lists the known ones. A known target that is missing is unavailable.
Result<Target> FindTarget(const std::string& name, const std::vector<std::string>& files = {});
/// The same among `targets`, which FindTargets returned. Use it for several names.
Result<Target> FindTarget(const std::string& name, std::span<const Target> targets);

/// Undoes the splitting of a list of names at commas: parts that begin with a dash are joined to
/// the name before them.
std::vector<std::string> JoinPassLists(const std::vector<std::string>& parts);

/// The name that gives the same target with other versions of Refract too: NAME:--PASS,--PASS if
/// the passes were drawn from a seed; else its name.
std::string RecordedName(const Target& target);

/// A command target without its driver: the output of the tools is validated but not drawn. Any
/// other target as it is.
Target WithoutDriver(const Target& target);

/// A target that takes a seed, with another seed. Campaigns use it for each test.
Target Reseeded(const Target& target, uint64_t seed);

}  // namespace target
}  // namespace refract
