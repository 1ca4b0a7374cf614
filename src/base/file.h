// SPDX-License-Identifier: Apache-2.0
// Reads and writes whole files. Files are written under a temporary name and then renamed, so an
// output is either complete or absent. The path "-" means standard input or output.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace refract {
inline namespace base {

/// Reads all of `path`. Refuses directories, FIFOs, devices and files of more than `limit` bytes,
/// with an error that names the file. /dev/null and open descriptors (/dev/stdin, /dev/fd/N) are
/// allowed.
Result<std::string> ReadFile(const std::string& path, uint64_t limit = uint64_t{1} << 30);
/// Writes `path` under a temporary name in the same folder, then renames it.
Status WriteFile(const std::string& path, std::string_view bytes);
/// Makes the folder and its parents.
Status MakeFolder(const std::string& path);
/// All regular files under `folder`, recursively, sorted by the bytes of their paths.
Result<std::vector<std::string>> ListFiles(const std::string& folder);
bool FileExists(const std::string& path);
/// True if both exist and are the same file, even under different paths.
bool SameFile(const std::string& a, const std::string& b);
/// Replaces the extension, or adds one: "a/b.spv" with ".json" becomes "a/b.json".
std::string ReplaceExtension(const std::string& path, std::string_view extension);
/// The extension with its dot, such as ".spv"; empty if not found.
std::string_view Extension(std::string_view path);

/// Several outputs that belong together. Add writes a file under a temporary name; Commit renames
/// all files. Without Commit (after an error), the destructor removes what Add wrote.
class OutputSet {
 public:
  OutputSet() = default;
  ~OutputSet();
  OutputSet(const OutputSet&) = delete;
  OutputSet& operator=(const OutputSet&) = delete;
  Status Add(const std::string& path, std::string_view bytes);
  Status Commit();

 private:
  struct Pending {
    std::string temporary, path;
  };
  std::vector<Pending> pending_;
};

}  // namespace base
}  // namespace refract
