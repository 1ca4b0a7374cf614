// SPDX-License-Identifier: Apache-2.0
#include "cli/paths.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"

namespace refract {
inline namespace cli {

Status CheckOneStandardInput(const std::vector<std::string>& inputs) {
  if (std::count(inputs.begin(), inputs.end(), "-") <= 1) return {};
  return Error{"-: standard input can be read only once; put all other inputs into files",
               ErrorKind::kUsage};
}

Status CheckKeepsInputs(const std::vector<std::string>& outputs,
                        const std::vector<std::string>& inputs) {
  for (const std::string& output : outputs) {
    for (const std::string& input : inputs) {
      if (output == "-" || input == "-" || !SameFile(output, input)) continue;
      return Error{
          format("{}: this file is an input and would be overwritten; choose another output name",
                 output),
          ErrorKind::kUsage};
    }
  }
  return {};
}

Status CheckNewFolder(const std::string& folder) {
  std::error_code error;
  if (!FileExists(folder) || std::filesystem::is_empty(folder, error)) return {};
  return Error{format("{}: this folder has files; choose another folder, or remove it", folder),
               ErrorKind::kUsage};
}

Status CheckStandardOutput(const std::string& output, bool has_data, std::string_view data) {
  if (output != "-" || !has_data) return {};
  return Error{format("-: standard output is already used for {}; write to a file instead", data),
               ErrorKind::kUsage};
}

}  // namespace cli
}  // namespace refract
