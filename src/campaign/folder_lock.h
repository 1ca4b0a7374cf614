// SPDX-License-Identifier: Apache-2.0
// One campaign at a time in a folder. The lock goes with the process, however that ends.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace refract::inline campaign {

class FolderLock {
 public:
  /// Refuses, with the number of the process, if another one has it.
  static Result<FolderLock> Take(const std::string& folder);
  FolderLock(FolderLock&& other) noexcept;
  /// Removes its file again if it was not there before: for a folder that is left as it is.
  void LeaveNothing();
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  FolderLock(int fd, std::string made) : fd_(fd), made_(std::move(made)) {}
  int fd_;
  std::string made_;  // its file, if it was not there
};

}  // namespace refract::inline campaign
