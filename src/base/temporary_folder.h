// SPDX-License-Identifier: Apache-2.0
// A folder for the files of one job, gone with all that is in it when the job is done; or, if this
// process is killed before, when another one makes one beside it.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace refract::inline base {

class TemporaryFolder {
 public:
  /// A new empty folder under $TMPDIR or /tmp that only this user can enter. The first one that a
  /// process makes there takes away those that others have left behind.
  static Result<TemporaryFolder> Make();
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  /// Absolute, without a slash at the end.
  const std::string& path() const { return path_; }

 private:
  TemporaryFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_;  // open as long as this is: the system gives up the lock on the folder with us
};

/// Removes this user's temporary folders under `parent` whose process is gone; says how many.
size_t RemoveAbandonedFolders(const std::string& parent);

}  // namespace refract::inline base
