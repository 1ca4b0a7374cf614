// SPDX-License-Identifier: Apache-2.0
#include "campaign/folder_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace refract {
inline namespace campaign {

Result<FolderLock> FolderLock::Take(const std::string& folder) {
  const std::string path = folder + "/campaign.lock";
  // O_CLOEXEC: a worker that outlives this process must not have the lock file open.
  int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  const bool made = fd >= 0;
  if (fd < 0 && errno == EEXIST) {
    fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  }
  if (fd < 0) return Error{format("{}: cannot write: {}", path, std::strerror(errno))};
  FolderLock lock(fd, made ? path : std::string());
  struct flock wanted {};
  wanted.l_type = F_WRLCK;
  wanted.l_whence = SEEK_SET;
  if (::fcntl(fd, F_SETLK, &wanted) == 0) return lock;
  struct flock holder = wanted;
  const bool known = ::fcntl(fd, F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK;
  return Error{format("{}: another campaign is running in this folder{}", folder,
                      known ? format(" (process {})", holder.l_pid) : "")};
}

bool FolderLock::IsTaken(const std::string& folder) {
  const int fd = ::open((folder + "/campaign.lock").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  struct flock holder {};
  holder.l_type = F_WRLCK;
  holder.l_whence = SEEK_SET;
  const bool known = ::fcntl(fd, F_GETLK, &holder) == 0;
  ::close(fd);
  return known && holder.l_type != F_UNLCK;
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), made_(std::move(other.made_)) {}

void FolderLock::RemoveFile() {
  if (!made_.empty()) ::unlink(made_.c_str());
  made_.clear();
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace campaign
}  // namespace refract
