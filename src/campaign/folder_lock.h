// SPDX-License-Identifier: Apache-2.0
// A lock file: only one campaign at a time may run in a folder. The lock ends with the process,
// however the process ends.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace refract {
inline namespace campaign {

class FolderLock {
 public:
  /// Takes the lock. If another process has it, the error names the number of that process.
  static Result<FolderLock> Take(const std::string& folder);
  /// Whether another process has the lock.
  static bool IsTaken(const std::string& folder);
  FolderLock(FolderLock&& other) noexcept;
  /// Removes the lock file if Take created it, for a folder that must stay as it was.
  void RemoveFile();
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  FolderLock(int fd, std::string made) : fd_(fd), made_(std::move(made)) {}
  int fd_;
  std::string made_;  // the lock file, if Take created it
};

}  // namespace campaign
}  // namespace refract
