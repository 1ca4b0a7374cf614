// SPDX-License-Identifier: Apache-2.0
// Finds out what of a machine Refract can use: drivers, tools, folders, limits. `refract doctor`
// prints it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "target/harness.h"
#include "target/targets.h"

namespace refract {
inline namespace target {

/// One thing that Refract needs or can use.
struct Inspected {
  enum class State {
    kOk,
    kMissing,  ///< it is not on this machine
    kBroken,   ///< it is there, but it cannot be used
  };
  std::string group;  ///< "drivers", "tools", "folders" or "limits"
  std::string name;
  State state = State::kOk;
  std::string text = {};    ///< its version or size, or what is wrong
  std::string file = {};    ///< the library of a driver, the program of a tool, or the folder
  std::string select = {};  ///< the variable that selects this driver and no other: "NAME=FILE"
  std::string fix = {};     ///< the command that installs it, or other advice; empty if ok
  bool draws = false;       ///< a driver that drew a correct image
};
/// "ok", "missing", "broken".
std::string_view StateName(Inspected::State state);

/// The Vulkan loader, the variables that select drivers, and every driver of `targets`, each of
/// which is opened and draws an image.
std::vector<Inspected> InspectDrivers(const std::vector<Target>& targets, Harness& harness);

/// Every program of the command targets in `targets`, with its version.
std::vector<Inspected> InspectTools(const std::vector<Target>& targets);

/// The folders that Refract writes to, and the limits of this process and of the machine.
std::vector<Inspected> InspectMachine();

/// The library that an ICD file names; empty if the file is not an ICD file. The dynamic loader
/// searches for a name without a slash.
std::string LibraryOfIcd(const std::string& icd);
/// The same for the ICD file of a driver. If the driver has a root, a name is searched for there.
std::string LibraryOf(const Target& driver);

/// "apt-get install NAME" for a text with "Debian: NAME"; empty for other texts.
std::string InstallCommand(std::string_view text);

}  // namespace target
}  // namespace refract
