// SPDX-License-Identifier: Apache-2.0
// Inspects folders and limits. A limit is broken if campaigns with a few workers run into it.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/cache.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "target/inspect.h"

namespace refract {
inline namespace target {
namespace {

namespace fs = std::filesystem;
using State = Inspected::State;

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kGiB = uint64_t{1} << 30;
constexpr uint64_t kEnoughFiles = 256;  // a worker needs about ten
constexpr uint64_t kEnoughSpace = kGiB;
constexpr uint64_t kEnoughMemory = kGiB;
constexpr uint64_t kEnoughAddresses = 16 * kGiB;  // drivers reserve more than they use

std::string SizeText(uint64_t bytes) {
  return bytes >= kGiB ? format("{:.1f} GiB", static_cast<double>(bytes) / kGiB)
                       : format("{:.1f} MiB", static_cast<double>(bytes) / kMiB);
}

void Break(Inspected* found, const std::string& text, const std::string& fix) {
  found->state = State::kBroken;
  found->text = text;
  found->fix = fix;
}

// The folder or, if it does not exist, the nearest folder above it.
fs::path NearestFolder(fs::path folder) {
  std::error_code error;
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

uint64_t BytesBelow(const fs::path& folder) {
  uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;
    const uint64_t size = it->is_regular_file(gone) ? it->file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

// Says how much disk is free below a folder that can be written.
void AddSpace(const fs::path& folder, const std::string& before, Inspected* found) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error) return Break(found, format("{}: {}", found->file, error.message()), "");
  found->text = format("{}{} free", before, SizeText(space.available));
  if (space.available >= kEnoughSpace) return;
  Break(found, found->text + ", which is little", "make space, or use another disk");
}

Inspected InspectCache() {
  Inspected found{.group = "folders", .name = "cache", .file = Cache::FolderOfUser()};
  if (found.file.empty()) {
    const char* set = std::getenv("REFRACT_CACHE");
    const bool off = set != nullptr && std::string_view(set) == "off";
    found.text = off ? "off (REFRACT_CACHE)" : "off: neither XDG_CACHE_HOME nor HOME is a path";
    return found;
  }
  const fs::path nearest = NearestFolder(found.file);
  if (::access(nearest.c_str(), W_OK | X_OK) != 0) {
    Break(&found,
          format("{} cannot be written; results are computed again each time", nearest.string()),
          "set XDG_CACHE_HOME to a folder that you may write");
    return found;
  }
  AddSpace(nearest, format("holds {}, ", SizeText(BytesBelow(found.file))), &found);
  return found;
}

Inspected InspectTemporary() {
  Inspected found{.group = "folders", .name = "temporary"};
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  if (!folder) {
    Break(&found, folder.error().message, "set TMPDIR to a folder that you may write");
    return found;
  }
  found.file = fs::path(folder->path()).parent_path().string();
  AddSpace(found.file, "", &found);
  return found;
}

Inspected InspectWorkingFolder() {
  std::error_code error;
  Inspected found{.group = "folders", .name = "working"};
  found.file = fs::current_path(error).string();
  if (error || ::access(found.file.c_str(), W_OK | X_OK) != 0) {
    Break(&found, "cannot be written", "go to a folder that you may write, or use -o");
    return found;
  }
  AddSpace(found.file, "", &found);
  return found;
}

uint64_t LimitOf(int resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return limit.rlim_cur;
}

Inspected InspectOpenFiles() {
  Inspected found{.group = "limits", .name = "open files"};
  const uint64_t limit = LimitOf(RLIMIT_NOFILE);
  found.text = limit == UINT64_MAX ? "unlimited" : format("{}", limit);
  if (limit < kEnoughFiles) Break(&found, found.text, format("ulimit -n {}", 4 * kEnoughFiles));
  return found;
}

Inspected InspectAddressSpace() {
  Inspected found{.group = "limits", .name = "address space"};
  const uint64_t limit = LimitOf(RLIMIT_AS);
  found.text = limit == UINT64_MAX ? "unlimited" : SizeText(limit);
  if (limit < kEnoughAddresses) {
    Break(&found, found.text + "; drivers and sanitised tools reserve more", "ulimit -v unlimited");
  }
  return found;
}

Inspected InspectCoreDumps() {
  const uint64_t limit = LimitOf(RLIMIT_CORE);
  return {.group = "limits",
          .name = "core dumps",
          .text = format("{}; Refract turns them off for drivers and tools",
                         limit == UINT64_MAX ? "unlimited"
                         : limit == 0        ? "off"
                                             : SizeText(limit))};
}

Inspected InspectCores() {
  return {.group = "limits",
          .name = "cores",
          .text = format("{}", std::thread::hardware_concurrency())};
}

Inspected InspectMemory() {
  Inspected found{.group = "limits", .name = "memory"};
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  uint64_t number = 0, total = 0, available = 0;
  while (file >> key >> number && std::getline(file, unit)) {
    if (key == "MemTotal:") total = 1024 * number;
    if (key == "MemAvailable:") available = 1024 * number;
  }
  if (total == 0) {
    found.text = "unknown";
    return found;
  }
  found.text = format("{} of {} available", SizeText(available), SizeText(total));
  if (available < kEnoughMemory) {
    Break(&found, found.text + ", which is little", "end other programs, or use fewer --jobs");
  }
  return found;
}

}  // namespace

std::vector<Inspected> InspectMachine() {
  return {InspectCache(),        InspectTemporary(), InspectWorkingFolder(), InspectOpenFiles(),
          InspectAddressSpace(), InspectCoreDumps(), InspectCores(),         InspectMemory()};
}

}  // namespace target
}  // namespace refract
