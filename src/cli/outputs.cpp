// SPDX-License-Identifier: Apache-2.0
#include "cli/outputs.h"

#include "base/text.h"
#include "cli/paths.h"
#include "input/inputs.h"

namespace refract {
inline namespace cli {

Status CheckVariantOutput(const std::string& output, const std::vector<std::string>& beside,
                          const std::vector<std::string>& inputs) {
  if (output == "-") return {};
  if (Extension(output) != ".spv") {
    return Error{format("-o {}: the name of the output must end in .spv, or be - for standard "
                        "output",
                        output),
                 ErrorKind::kUsage};
  }
  std::vector<std::string> outputs = {output};
  for (const std::string& ending : beside) outputs.push_back(ReplaceExtension(output, ending));
  return CheckKeepsInputs(outputs, inputs);
}

Status WriteVariant(const std::string& output, const std::vector<uint32_t>& words,
                    const Inputs* inputs, const std::string* recording) {
  const std::string_view bytes(reinterpret_cast<const char*>(words.data()), words.size() * 4);
  if (output == "-") return WriteFile(output, bytes);
  OutputSet outputs;
  if (Status added = outputs.Add(output, bytes); !added) return added;
  if (inputs != nullptr) {
    const std::string file = ReplaceExtension(output, ".json");
    if (Status added = outputs.Add(file, WriteInputs(*inputs)); !added) return added;
  }
  if (recording != nullptr) {
    const std::string file = ReplaceExtension(output, ".refract");
    if (Status added = outputs.Add(file, *recording); !added) return added;
  }
  return outputs.Commit();
}

}  // namespace cli
}  // namespace refract
