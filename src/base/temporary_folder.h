// SPDX-License-Identifier: Apache-2.0
// A folder for the files of one job, gone with all that is in it when the job is done.
#pragma once

#include <string>

#include "base/result.h"

namespace refract {

class TemporaryFolder {
 public:
  /// A new empty folder under $TMPDIR or /tmp that only this user can enter.
  static Result<TemporaryFolder> Make();
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  /// Absolute, without a slash at the end.
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace refract
