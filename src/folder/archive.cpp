// SPDX-License-Identifier: Apache-2.0
#include "folder/archive.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "folder/gzip.h"

namespace refract {
inline namespace folder {
namespace {

constexpr size_t kBlock = 512;         // of a tar file
constexpr size_t kLongestPath = 100;   // of the field `name` of a header
constexpr uint64_t kDate = 315532800;  // 1 January 1980: tar warns about dates before it

// The header of a file, in the format "ustar" of POSIX.
std::string Header(const std::string& path, size_t size) {
  std::string block(kBlock, '\0');
  const auto put = [&](size_t at, const std::string& text) {
    block.replace(at, text.size(), text);
  };
  put(0, path);
  put(100, "0000644");                      // mode
  put(108, "0000000");                      // user
  put(116, "0000000");                      // group
  put(124, format("{:011o}", size));        // size
  put(136, format("{:011o}", kDate));       // date
  put(148, "        ");                     // checksum, as blanks while it is computed
  put(156, "0");                            // a regular file
  put(257, std::string("ustar\00000", 8));  // format and its version
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(148, format("{:06o}", sum));
  block[154] = '\0';
  return block;
}

}  // namespace

Result<std::string> TarGz(std::string_view folder, const std::vector<ArchiveFile>& files) {
  constexpr size_t kMostBytes = size_t{1} << 30;
  std::string tar;
  for (const ArchiveFile& file : files) {
    const std::string path = format("{}/{}", folder, file.name);
    if (path.size() > kLongestPath) {
      return Error{format("{}: this path is too long for an archive, which takes {} characters",
                          path, kLongestPath)};
    }
    if (tar.size() + file.bytes.size() > kMostBytes) {
      return Error{format("{}: the files are too large for an archive of 1 GiB", path)};
    }
    tar += Header(path, file.bytes.size());
    tar += file.bytes;
    tar.append((kBlock - file.bytes.size() % kBlock) % kBlock, '\0');
  }
  tar.append(2 * kBlock, '\0');
  return Compressed(tar);
}

}  // namespace folder
}  // namespace refract
