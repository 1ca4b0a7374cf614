// SPDX-License-Identifier: Apache-2.0
#include "base/process_usage.h"

#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "base/text.h"

namespace refract {
inline namespace base {
namespace {

constexpr int kMaxDepth = 8;  // of the process tree that is counted

uint64_t TreeBytes(pid_t pid, int depth) {
  char name[64], text[4096];
  uint64_t pages = 0;
  const auto read = [&]() -> std::string_view {
    std::FILE* file = std::fopen(name, "re");
    if (file == nullptr) return {};
    const size_t size = std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
    text[size] = '\0';
    return {text, size};
  };
  std::snprintf(name, sizeof name, "/proc/%d/statm", static_cast<int>(pid));
  if (!read().empty()) std::sscanf(text, "%*u %lu", &pages);
  uint64_t bytes = pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  if (depth == kMaxDepth) return bytes;
  std::snprintf(name, sizeof name, "/proc/%d/task/%d/children", static_cast<int>(pid),
                static_cast<int>(pid));
  for (const std::string& child : Split(Trim(read()), ' ')) {
    uint64_t number = 0;
    if (ParseNumber(child, &number)) bytes += TreeBytes(static_cast<pid_t>(number), depth + 1);
  }
  return bytes;
}

double SecondsOf(clockid_t clock) {
  timespec now{};
  if (::clock_gettime(clock, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

uint64_t ResidentBytes(pid_t pid) {
  return TreeBytes(pid, 0);
}

double CpuSecondsOf(pid_t pid) {
  clockid_t clock{};
  return ::clock_getcpuclockid(pid, &clock) == 0 ? SecondsOf(clock) : 0;
}

double OwnCpuSeconds() {
  return SecondsOf(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace base
}  // namespace refract
