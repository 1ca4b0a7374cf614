// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/text.h"

namespace refract {
inline namespace base {
namespace {

Error SystemError(const std::string& path, const char* what) {
  return Error{format("{}: {}: {}", path, what, std::strerror(errno))};
}

Error WriteError(const std::string& path) {
  Error error = SystemError(path, "cannot write");
  // A path that cannot exist is an error of the user; a full disk is not.
  error.kind = errno == ENOENT || errno == ENOTDIR || errno == EISDIR || errno == EACCES
                   ? ErrorKind::kBadInput
                   : ErrorKind::kFailed;
  return error;
}

Status WriteAll(std::FILE* file, const std::string& path, std::string_view bytes) {
  // An empty text may have a null address, which fwrite must not get.
  if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size()) {
    return WriteError(path);
  }
  return std::fflush(file) == 0 ? Status{} : WriteError(path);
}

// True if the path names an open descriptor of this process, as a shell's <(...) and /dev/stdin do.
bool IsOwnDescriptor(const std::string& path) {
  return path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
}

// Opens a file to read. Refuses files of which a read may block forever (a FIFO without a writer)
// or never end (a device). O_NONBLOCK: opening a FIFO would wait for a writer.
Result<std::FILE*> OpenToRead(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return SystemError(path, "cannot read");
  struct stat info {};
  const bool known = ::fstat(fd, &info) == 0 && path != "/dev/null" && !IsOwnDescriptor(path);
  const char* refused = nullptr;
  if (known && S_ISFIFO(info.st_mode)) refused = "a FIFO";
  if (known && (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode))) refused = "a device";
  if (refused != nullptr) {
    ::close(fd);
    return Error{format("{}: cannot read: it is {}, not a file", path, refused)};
  }
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return ::fdopen(fd, "rb");
}

}  // namespace

Result<std::string> ReadFile(const std::string& path, uint64_t limit) {
  const bool standard_input = path == "-";
  std::FILE* file = stdin;
  if (!standard_input) {
    Result<std::FILE*> opened = OpenToRead(path);
    if (!opened) return opened.error();
    file = *opened;
  }
  std::string bytes;
  char buffer[1 << 16];
  size_t got = 0;
  while ((got = std::fread(buffer, 1, sizeof buffer, file)) > 0) {
    bytes.append(buffer, got);
    if (bytes.size() > limit) break;
  }
  const bool failed = std::ferror(file) != 0;
  const int saved = errno;
  if (!standard_input) std::fclose(file);
  errno = saved;
  if (failed) return SystemError(path, "cannot read");
  if (bytes.size() > limit) {
    return Error{format("{}: larger than the limit of {} bytes", path, limit)};
  }
  return bytes;
}

Status WriteFile(const std::string& path, std::string_view bytes) {
  if (path == "-") return WriteAll(stdout, "standard output", bytes);
  OutputSet outputs;
  if (Status added = outputs.Add(path, bytes); !added) return added;
  return outputs.Commit();
}

Status MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return Error{format("{}: cannot make the folder: {}", path, error.message())};
  return {};
}

Result<std::vector<std::string>> ListFiles(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> files;
  std::filesystem::recursive_directory_iterator it(folder, error), end;
  while (!error && it != end) {
    // A file that disappears during the listing (another program's temporary file) is left out.
    std::error_code gone;
    if (it->is_regular_file(gone)) files.push_back(it->path().string());
    it.increment(error);
  }
  if (error) return Error{format("{}: cannot list: {}", folder, error.message())};
  std::sort(files.begin(), files.end());
  return files;
}

bool FileExists(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0;
}

bool SameFile(const std::string& a, const std::string& b) {
  struct stat info_a {
  }, info_b{};
  return stat(a.c_str(), &info_a) == 0 && stat(b.c_str(), &info_b) == 0 &&
         info_a.st_dev == info_b.st_dev && info_a.st_ino == info_b.st_ino;
}

std::string_view Extension(std::string_view path) {
  const size_t slash = path.find_last_of('/');
  const size_t base = slash == std::string_view::npos ? 0 : slash + 1;
  const size_t dot = path.find_last_of('.');
  if (dot == std::string_view::npos || dot <= base) return {};
  return path.substr(dot);
}

std::string ReplaceExtension(const std::string& path, std::string_view extension) {
  std::string result(path, 0, path.size() - Extension(path).size());
  return result.append(extension);
}

OutputSet::~OutputSet() {
  for (const Pending& output : pending_) ::unlink(output.temporary.c_str());
}

Status OutputSet::Add(const std::string& path, std::string_view bytes) {
  // This is checked here, because in Commit other files would already be renamed.
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    return Error{format("{}: cannot write: it is a folder", path)};
  }
  const std::string temporary = format("{}.{}.tmp", path, ::getpid());
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  if (file == nullptr) return WriteError(path);
  pending_.push_back({temporary, path});
  Status written = WriteAll(file, path, bytes);
  if (std::fclose(file) != 0 && written) return WriteError(path);
  return written;
}

Status OutputSet::Commit() {
  while (!pending_.empty()) {
    const Pending& output = pending_.front();
    if (std::rename(output.temporary.c_str(), output.path.c_str()) != 0) {
      return WriteError(output.path);
    }
    pending_.erase(pending_.begin());
  }
  return {};
}

}  // namespace base
}  // namespace refract
