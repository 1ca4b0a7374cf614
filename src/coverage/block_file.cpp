// SPDX-License-Identifier: Apache-2.0
#include "coverage/block_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"
#include "base/text.h"

namespace refract {
inline namespace coverage {
namespace {

constexpr std::string_view kMagic = "RFRBLK01";
constexpr uint64_t kHeader = 4096, kPage = 4096;
constexpr uint64_t kPathAt = 24;
constexpr uint64_t kMostBlocks = 100'000'000;

uint64_t MarkBytes(uint64_t count) {
  return (count + kPage - 1) / kPage * kPage;
}

uint64_t NumberAt(const std::string& bytes, uint64_t at) {
  uint64_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);  // written on this machine
  return number;
}

}  // namespace

Result<BlockFile> ReadBlockFile(const std::string& file) {
  const Result<std::string> bytes = ReadFile(file);
  if (!bytes) return bytes.error();
  const auto wrong = [&] { return Error{format("{}: not a file of block counters", file)}; };
  if (bytes->size() < kHeader || !bytes->starts_with(kMagic)) return wrong();
  const uint64_t count = NumberAt(*bytes, 8);
  if (count > kMostBlocks || bytes->size() != kHeader + MarkBytes(count) + 16 * count) {
    return wrong();
  }
  BlockFile result;
  result.program = bytes->data() + kPathAt;  // the header ends with zeros
  if (result.program.size() >= kHeader - kPathAt) return wrong();
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = kHeader + MarkBytes(count) + 16 * i;
    result.blocks.push_back({NumberAt(*bytes, at), (NumberAt(*bytes, at + 8) & 1) != 0});
    result.marks.push_back((*bytes)[kHeader + i] != 0);
  }
  return result;
}

Result<std::vector<bool>> TakeMarks(const std::string& file, size_t count) {
  const int opened = open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (opened < 0) return Error{format("{}: {}", file, std::strerror(errno))};
  struct stat info {};
  void* mapped = MAP_FAILED;
  if (fstat(opened, &info) == 0 &&
      static_cast<uint64_t>(info.st_size) == kHeader + MarkBytes(count) + 16 * uint64_t{count}) {
    mapped = mmap(nullptr, count, PROT_READ | PROT_WRITE, MAP_SHARED, opened, kHeader);
  }
  close(opened);
  if (mapped == MAP_FAILED) return Error{format("{}: its program changed during the run", file)};
  auto* bytes = static_cast<unsigned char*>(mapped);
  std::vector<bool> marks(bytes, bytes + count);
  std::memset(bytes, 0, count);
  munmap(mapped, count);
  return marks;
}

}  // namespace coverage
}  // namespace refract
