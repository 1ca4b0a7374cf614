// SPDX-License-Identifier: Apache-2.0
#include "cli/outputs.h"

#include "base/text.h"
#include "input/inputs.h"

namespace refract {

Status AddVariant(const std::string& output, const std::vector<uint32_t>& words,
                  const Original& original, OutputSet* outputs) {
  if (Extension(output) != ".spv") {
    return Error{format("-o {}: the name of the output must end in .spv", output),
                 ErrorKind::kUsage};
  }
  const std::string_view bytes(reinterpret_cast<const char*>(words.data()), words.size() * 4);
  if (Status added = outputs->Add(output, bytes); !added) return added;
  if (!original.context.inputs) return {};
  return outputs->Add(ReplaceExtension(output, ".json"), WriteInputs(*original.context.inputs));
}

}  // namespace refract
