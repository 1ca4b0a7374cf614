// SPDX-License-Identifier: Apache-2.0
// Changes of text files in a checkout, as a patch that `git apply` takes, or written in place. A
// change makes a new file, or adds lines to an existing one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace refract {
inline namespace cts {

/// One changed file. All lines of both texts end with a newline.
struct FileChange {
  std::string path;                   ///< below the checkout: "external/vulkancts/..."
  std::optional<std::string> before;  ///< none: the file is new
  /// The new content. If there is a `before`, its lines are in `after` in the same order.
  std::string after;
};

/// A unified diff of the changes in the form of git, with three lines of context.
std::string PatchOf(const std::vector<FileChange>& changes);

/// Writes the changed files below `root`: all or, if one cannot be written, none.
Status WriteChanges(const std::string& root, const std::vector<FileChange>& changes);

}  // namespace cts
}  // namespace refract
