// SPDX-License-Identifier: Apache-2.0
// One campaign at a time in a folder. The lock goes with the process, however that ends.
#pragma once

#include <string>

#include "base/result.h"

namespace refract {

class FolderLock {
 public:
  /// Refuses, with the number of the process, if another one has it.
  static Result<FolderLock> Take(const std::string& folder);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace refract
