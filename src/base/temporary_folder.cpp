// SPDX-License-Identifier: Apache-2.0
#include "base/temporary_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/text.h"

namespace refract {

Result<TemporaryFolder> TemporaryFolder::Make() {
  const char* set = std::getenv("TMPDIR");
  std::error_code error;
  const std::filesystem::path parent =
      std::filesystem::absolute(set != nullptr && *set != '\0' ? set : "/tmp", error);
  std::string pattern = (parent / "refract-XXXXXX").string();
  if (error || ::mkdtemp(pattern.data()) == nullptr) {
    return Error{format("cannot make a temporary folder under {} (set TMPDIR): {}", parent.string(),
                        error ? error.message() : std::strerror(errno)),
                 ErrorKind::kFailed};
  }
  return TemporaryFolder(std::move(pattern));
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;  // what cannot be removed stays; there is nobody to tell
  if (!path_.empty()) std::filesystem::remove_all(path_, error);
}

}  // namespace refract
