// SPDX-License-Identifier: Apache-2.0
#include "base/temporary_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace refract::inline base {
namespace {

// So that nobody has a folder of his own of such a name.
constexpr std::string_view kPrefix = "refract-temporary-";

// Held by whoever uses the folder, as long as he lives: no number of a process that may be
// another's by now, and right also where processes cannot see one another. -1: `wait` is false and
// somebody holds it, or it cannot be opened.
int Lock(const std::string& folder, bool wait) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return -1;
  while (::flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    ::close(fd);
    return -1;
  }
  return fd;
}

// Whether the folder that is open is still the one of that name.
bool IsThere(int fd, const std::string& folder) {
  struct stat open {};
  struct stat named {};
  return ::fstat(fd, &open) == 0 && ::lstat(folder.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

void RemoveAbandonedOnce(const std::string& parent) {
  static std::mutex mutex;
  static std::set<std::string> done;
  const std::lock_guard<std::mutex> lock(mutex);
  if (done.insert(parent).second) RemoveAbandonedFolders(parent);
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::Make() {
  const char* set = std::getenv("TMPDIR");
  std::error_code error;
  const std::filesystem::path parent =
      std::filesystem::absolute(set != nullptr && *set != '\0' ? set : "/tmp", error);
  if (!error) RemoveAbandonedOnce(parent.string());
  while (true) {
    std::string pattern = (parent / format("{}XXXXXX", kPrefix)).string();
    if (error || ::mkdtemp(pattern.data()) == nullptr) {
      return Error{format("cannot make a temporary folder under {} (set TMPDIR): {}",
                          parent.string(), error ? error.message() : std::strerror(errno)),
                   ErrorKind::kFailed};
    }
    const int fd = Lock(pattern, true);
    // Where folders cannot be locked none is taken for abandoned either.
    if (fd < 0 || IsThere(fd, pattern)) return TemporaryFolder(std::move(pattern), fd);
    ::close(fd);  // somebody came between the two and took it for abandoned
  }
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;  // what cannot be removed stays; there is nobody to tell
  if (!path_.empty()) std::filesystem::remove_all(path_, error);
  if (lock_ >= 0) ::close(lock_);
}

size_t RemoveAbandonedFolders(const std::string& parent) {
  size_t removed = 0;
  std::error_code error;
  std::filesystem::directory_iterator entries(parent, error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    const std::string path = entries->path().string();
    struct stat info {};
    if (!entries->path().filename().string().starts_with(kPrefix)) continue;
    if (::lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) continue;
    if (info.st_uid != ::geteuid()) continue;
    const int fd = Lock(path, false);
    if (fd < 0) continue;
    std::error_code unremoved;
    std::filesystem::remove_all(path, unremoved);
    if (!unremoved) ++removed;
    ::close(fd);
  }
  return removed;
}

}  // namespace refract::inline base
