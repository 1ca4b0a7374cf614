// SPDX-License-Identifier: Apache-2.0
#include "base/cache.h"

#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <vector>

#include "base/hash.h"
#include "base/text.h"
#include "base/version.h"

namespace refract {
inline namespace base {
namespace {

namespace fs = std::filesystem;

// The number of subfolders over which entries are spread by their hash. Each has its share of the
// limits. To enforce the limits, Put lists only one subfolder for each new entry.
constexpr uint64_t kFolders = 16;
constexpr uint64_t kSumSeed = 0x7265667261637431;
constexpr std::string_view kMagic = "refract cache 1\n";

// The build id (NT_GNU_BUILD_ID) among the notes of a program header; empty if not found.
std::string BuildIdIn(const char* notes, size_t size) {
  const auto padded = [](uint32_t length) { return size_t{length} + (0u - length) % 4; };
  size_t at = 0;
  while (at + sizeof(ElfW(Nhdr)) <= size) {
    ElfW(Nhdr) note{};
    std::memcpy(&note, notes + at, sizeof note);
    const size_t name = at + sizeof note, content = name + padded(note.n_namesz);
    if (content + note.n_descsz > size) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes + name, "GNU", 4) == 0) {
      return {notes + content, note.n_descsz};
    }
    at = content + padded(note.n_descsz);
  }
  return {};
}

// Identifies this executable by its content, so that no build reads entries of another build.
const std::string& BuildId() {
  static const std::string id = [] {
    std::string found;
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* to) {
          for (int i = 0; i < info->dlpi_phnum; ++i) {
            const ElfW(Phdr)& header = info->dlpi_phdr[i];
            if (header.p_type != PT_NOTE) continue;
            const auto address = info->dlpi_addr + header.p_vaddr;
            // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses as integers.
            *static_cast<std::string*>(to) =
                BuildIdIn(reinterpret_cast<const char*>(address), header.p_memsz);
            if (!static_cast<std::string*>(to)->empty()) break;
          }
          return 1;  // the first object is the executable
        },
        &found);
    return format("{} {} {} {}", ToolVersion(), ToolCommit(), ToolBuildType(), found);
  }();
  return id;
}

std::string Salted(std::string_view key) {
  std::string salted = BuildId();
  salted += '\0';
  return salted.append(key);
}

// An entry is the magic line, the checksum as 16 hexadecimal digits, and the bytes. The checksum
// also covers the key.
std::string ChecksumOf(std::string_view salted_key, std::string_view bytes) {
  return format("{:016x}", Hash64(bytes, Hash64(salted_key, kSumSeed)));
}

// The modification time of an entry records its last use. The time comes from the clock: the
// kernel's own "now" (UTIME_NOW) changes only every few milliseconds.
void NoteUse(int file) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const timespec times[] = {now, now};
  ::futimens(file, times);
}

// The bytes of a regular file of at most `limit` bytes. Other files are not read: opening a FIFO
// would wait for a writer.
std::optional<std::string> ReadEntry(const std::string& path, uint64_t limit) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (file < 0) return std::nullopt;
  std::string bytes;
  struct stat info {};
  bool good = ::fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
              static_cast<uint64_t>(info.st_size) <= limit;
  if (good) {
    bytes.resize(static_cast<size_t>(info.st_size));
    good = ::read(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  }
  if (good) NoteUse(file);
  ::close(file);
  if (!good) return std::nullopt;
  return bytes;
}

bool WriteEntry(const std::string& path, const std::string& bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool good = ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  NoteUse(file);
  return ::close(file) == 0 && good;
}

// Makes the folder and its parents with mode 0700, as the XDG specification asks for new folders.
// Returns false if it cannot.
bool MakeFolders(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return true;
  const size_t slash = path.find_last_of('/');
  if (errno != ENOENT || slash == 0 || slash == std::string::npos) return false;
  return MakeFolders(path.substr(0, slash)) &&
         (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST);
}

// Removes the entries that were not used for longest, until the limits hold. This includes
// unfinished entries of processes that were killed.
void RemoveOldest(const std::string& folder, uint64_t most_bytes, uint64_t most_entries) {
  struct Entry {
    fs::file_time_type used;
    uint64_t size = 0;
    fs::path path;
  };
  std::vector<Entry> entries;
  uint64_t bytes = 0;
  std::error_code gone;
  for (fs::directory_iterator it(folder, gone), end; !gone && it != end; it.increment(gone)) {
    std::error_code error;
    if (!it->is_regular_file(error)) continue;
    Entry entry{it->last_write_time(error), it->file_size(error), it->path()};
    if (error) continue;
    bytes += entry.size;
    entries.push_back(std::move(entry));
  }
  if (bytes <= most_bytes && entries.size() <= most_entries) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  size_t left = entries.size();
  for (const Entry& entry : entries) {
    if (bytes <= most_bytes && left <= most_entries) return;
    fs::remove(entry.path, gone);
    bytes -= entry.size;
    --left;
  }
}

std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread sets variables
  return value == nullptr ? "" : value;
}

}  // namespace

std::string Cache::FolderOfUser() {
  if (Variable("REFRACT_CACHE") == "off") return {};
  std::string base(Variable("XDG_CACHE_HOME"));
  if (!base.starts_with('/')) base = format("{}/.cache", Variable("HOME"));
  if (!base.starts_with('/') || base == "/.cache") return {};
  return base + "/refract";
}

Cache Cache::OfUser(std::string_view kind) {
  const std::string folder = FolderOfUser();
  if (folder.empty()) return {};
  return {format("{}/{}", folder, kind), Limits{}};
}

std::string Cache::PathOf(std::string_view key) const {
  const std::string hash = ContentHash(key);
  return format("{}/{:x}/{}", folder_, Hash64(hash) % kFolders, hash);
}

std::optional<std::string> Cache::Get(std::string_view key) const {
  if (!is_on()) return std::nullopt;
  const std::string salted = Salted(key);
  const size_t head = kMagic.size() + 16;
  std::optional<std::string> entry = ReadEntry(PathOf(salted), limits_.bytes / 100 + head);
  if (!entry || entry->size() < head || !entry->starts_with(kMagic)) return std::nullopt;
  const std::string_view bytes = std::string_view(*entry).substr(head);
  if (entry->substr(kMagic.size(), 16) != ChecksumOf(salted, bytes)) return std::nullopt;
  return std::string(bytes);
}

void Cache::Put(std::string_view key, std::string_view bytes) const {
  static std::atomic<uint64_t> number{0};
  if (!is_on() || bytes.size() > limits_.bytes / 100) return;
  const std::string salted = Salted(key);
  const std::string path = PathOf(salted);
  const std::string folder = path.substr(0, path.find_last_of('/'));
  if (!MakeFolders(folder)) return;
  // The process id alone is not unique: another machine that shares the folder may use it too.
  const uint64_t timestamp =
      static_cast<uint64_t>(fs::file_time_type::clock::now().time_since_epoch().count());
  const std::string temporary = format("{}.{}.{:x}.{}.tmp", path, ::getpid(), timestamp, number++);
  const std::string entry = format("{}{}{}", kMagic, ChecksumOf(salted, bytes), bytes);
  if (!WriteEntry(temporary, entry) || ::rename(temporary.c_str(), path.c_str()) != 0) {
    ::unlink(temporary.c_str());
    return;
  }
  RemoveOldest(folder, limits_.bytes / kFolders, limits_.entries / kFolders);
}

}  // namespace base
}  // namespace refract
