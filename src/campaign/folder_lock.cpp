// SPDX-License-Identifier: Apache-2.0
#include "campaign/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace refract {

Result<FolderLock> FolderLock::Take(const std::string& folder) {
  const std::string path = folder + "/campaign.lock";
  // Not inherited: a worker that outlives us must not hold it.
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return Error{format("{}: cannot write: {}", path, std::strerror(errno))};
  FolderLock lock(fd);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    char text[32] = {};
    const ssize_t got = ::pread(fd, text, sizeof text - 1, 0);
    return Error{format("{}: another campaign is at work there{}", folder,
                        got > 0 ? format(" (process {})", Trim(text)) : "")};
  }
  const std::string own = format("{}\n", ::getpid());
  // For people only: without it nothing is wrong.
  if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, own.data(), own.size(), 0) < 0) errno = 0;
  return lock;
}

FolderLock::FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FolderLock::~FolderLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace refract
