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

namespace refract {
inline namespace base {
namespace {

// A prefix that no folder of the user is likely to have.
constexpr std::string_view kPrefix = "refract-temporary-";

// Locks the folder. Its owner holds the lock as long as the owner exists. Unlike a process id, a
// lock is never reused, and it works across process namespaces. Returns the descriptor; -1 if the
// folder cannot be opened, or if `wait` is false and another process holds the lock.
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

// True if the open descriptor `fd` is still the folder of this name.
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
    // On file systems without locks, no folder is taken for abandoned either.
    const bool is_there = fd < 0 ? std::filesystem::exists(pattern, error) : IsThere(fd, pattern);
    if (is_there) return TemporaryFolder(std::move(pattern), fd);
    // Another process took it for abandoned before it was opened or locked.
    if (fd >= 0) ::close(fd);
  }
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;  // there is nobody to report an error to
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

}  // namespace base
}  // namespace refract
