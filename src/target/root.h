// SPDX-License-Identifier: Apache-2.0
// A root: a folder with the files of another Linux system, from which a target takes its programs
// or its driver (docs/targets.md). Nothing is mounted, and no right is needed: the dynamic loader
// of the root starts each program with the libraries of the root.
#pragma once

#include <string>
#include <vector>

namespace refract {
inline namespace target {

struct Root {
  std::string folder;                       ///< absolute; empty: the system of this machine
  std::string loader = {};                  ///< the path of its dynamic loader
  std::vector<std::string> libraries = {};  ///< its folders of libraries
  std::string problem = {};                 ///< why it cannot be used; empty if it can

  bool is_set() const { return !folder.empty(); }
};

/// Looks into `folder` for the dynamic loader and the libraries of a system with the processor of
/// this machine.
Root OpenRoot(const std::string& folder);

/// The path of a program. A name without a slash is searched for in the root, or on $PATH if the
/// root is not set. Empty if there is no such executable.
std::string FindProgramIn(const Root& root, const std::string& name);

/// The path of a library in the root; empty if not found.
std::string FindLibraryIn(const Root& root, const std::string& name);

/// The arguments that start `argv` in the root. argv[0] is the path of a program. Scripts are
/// started as they are.
std::vector<std::string> StartedIn(const Root& root, std::vector<std::string> argv);

/// The arguments that start the executable of this process again in the root, under the name
/// "refract". `arguments` are those after the name.
std::vector<std::string> SelfStartedIn(const Root& root, const std::vector<std::string>& arguments);

}  // namespace target
}  // namespace refract
