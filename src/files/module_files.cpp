// SPDX-License-Identifier: Apache-2.0
#include "files/module_files.h"

#include <sys/stat.h>

#include "base/file.h"
#include "glsl/load.h"

namespace refract {
inline namespace files {
namespace {

bool IsFolder(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

Result<std::vector<std::string>> ListModuleFiles(const std::string& path) {
  if (!IsFolder(path)) return std::vector<std::string>{path};
  Result<std::vector<std::string>> listed = ListFiles(path);
  if (!listed) return listed;
  std::erase_if(*listed, [](const std::string& file) { return !IsModuleFile(file); });
  return listed;
}

}  // namespace files
}  // namespace refract
