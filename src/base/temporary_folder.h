// SPDX-License-Identifier: Apache-2.0
// A folder for the files of one job. It is removed with its content when the job ends. If the
// process is killed first, the next process that makes such a folder in the same place removes it.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace refract {
inline namespace base {

class TemporaryFolder {
 public:
  /// Makes an empty folder under $TMPDIR or /tmp that only this user can enter. The first call of a
  /// process also removes the abandoned folders there.
  static Result<TemporaryFolder> Make();
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  /// The absolute path, without a slash at the end.
  const std::string& path() const { return path_; }

 private:
  TemporaryFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_;  // open as long as this object: when the process ends, the system releases the lock
};

/// Removes this user's temporary folders under `parent` whose process has ended. Returns their
/// number.
size_t RemoveAbandonedFolders(const std::string& parent);

}  // namespace base
}  // namespace refract
