// SPDX-License-Identifier: Apache-2.0
// The drivers a machine has, by the names people use for them. Looking for them opens none of them;
// what they are is asked through a worker (Harness::Probe).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "harness/run.h"

namespace refract {

struct Target {
  enum class Kind {
    kRender,    ///< draws pictures
    kPipeline,  ///< compiles for hardware that is not there; pictures would be nonsense
  };

  std::string name;
  Kind kind = Kind::kRender;
  std::string icd;  ///< absolute path of the ICD file; empty if `missing`
  /// Set in the worker's environment only, beside the variables that choose the ICD.
  std::vector<std::pair<std::string, std::string>> environment;
  std::string missing;  ///< why it is not on this machine; empty if its ICD file is
};

/// "render" or "pipeline".
std::string_view TargetKindName(Target::Kind kind);

/// What a target turned out to be when asked.
struct TargetState {
  bool available = false;
  std::string reason;  ///< why not
  DeviceInfo device;   ///< if available
};
/// The driver and its version in one line: "llvmpipe, Mesa 22.3.6 (LLVM 15.0.6), Vulkan 1.3.230".
std::string VersionText(const DeviceInfo& device);

/// lavapipe, swiftshader, radv-aco and radv-llvm, found or not, then one per other ICD file in the
/// standard folders, named after the file: a fixed order.
std::vector<Target> FindTargets();

/// The target of that name; a name that ends in .json is the path of an ICD file. An unknown name
/// is an error of usage that lists the known ones; a known one that is missing is unavailable.
Result<Target> FindTarget(const std::string& name);

}  // namespace refract
