// SPDX-License-Identifier: Apache-2.0
#include "cli/paths.h"

#include <algorithm>

#include "base/file.h"
#include "base/text.h"

namespace refract::inline cli {

Status CheckOneStandardInput(const std::vector<std::string>& inputs) {
  if (std::count(inputs.begin(), inputs.end(), "-") <= 1) return {};
  return Error{"-: standard input can be read only once; put one of the inputs into a file",
               ErrorKind::kUsage};
}

Status CheckKeepsInputs(const std::vector<std::string>& outputs,
                        const std::vector<std::string>& inputs) {
  for (const std::string& output : outputs) {
    for (const std::string& input : inputs) {
      if (output == "-" || input == "-" || !SameFile(output, input)) continue;
      return Error{format("{}: is an input and would be overwritten; choose another name for the "
                          "output",
                          output),
                   ErrorKind::kUsage};
    }
  }
  return {};
}

Status CheckStandardOutput(const std::string& output, bool has_data, std::string_view data) {
  if (output != "-" || !has_data) return {};
  return Error{format("-: standard output is taken by {}; write to a file instead", data),
               ErrorKind::kUsage};
}

}  // namespace refract::inline cli
