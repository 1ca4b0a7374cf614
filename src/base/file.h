// SPDX-License-Identifier: Apache-2.0
// Whole files in and out. Writing is under a temporary name and renamed: an output is complete or
// not there. "-" is standard input or output.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace refract::inline base {

/// Reads all of `path`; refuses directories, FIFOs, devices (but for /dev/null, and descriptors
/// that we were given: /dev/stdin, /dev/fd/N) and files over `limit` bytes by name.
Result<std::string> ReadFile(const std::string& path, uint64_t limit = uint64_t{1} << 30);
/// Writes `path` through a temporary name in the same folder, then renames.
Status WriteFile(const std::string& path, std::string_view bytes);
/// Makes the folder and its parents.
Status MakeFolder(const std::string& path);
/// Files below `folder`, recursively, in byte order of their paths.
Result<std::vector<std::string>> ListFiles(const std::string& folder);
bool FileExists(const std::string& path);
/// Whether both are there and are one file, by whatever paths.
bool SameFile(const std::string& a, const std::string& b);
/// "a/b.spv" with ".json" is "a/b.json"; a name without an extension gets one.
std::string ReplaceExtension(const std::string& path, std::string_view extension);
/// With the dot: ".spv"; empty if there is none.
std::string_view Extension(std::string_view path);

/// Several outputs that belong together: each is written under a temporary name, and only Commit
/// renames them; without it (an error on the way) the destructor removes what was written.
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

}  // namespace refract::inline base
