// SPDX-License-Identifier: Apache-2.0
// Makes the reference page of all transformations, in Markdown.
#include "base/text.h"
#include "message/info.h"

namespace refract::message {

std::string TransformationsPage() {
  std::string table;
  std::string sections;
  for (const MessageInfo& info : MessageInfos()) {
    table += format("| [{0}](#{0}) | {1} | {2} |\n", info.name, info.family, info.summary);
    sections += format("\n## {}\n{}\n\n- Family: {}\n- Needs: {}\n- Keeps: {}\n- Fields:\n",
                       info.name, info.summary, info.family, info.needs, info.keeps);
    for (const FieldInfo& field : info.fields) {
      sections += format("  - `{}` ({}): {}\n", field.name, field.type, field.text);
    }
  }
  return "# Transformations\n\n`make docs` generates this page from the comments in "
         "`proto/transformation.proto`.\n[recording-format.md](recording-format.md) defines the "
         "terms of messages and names.\n\n| name | family | effect |\n|---|---|---|\n" +
         table + sections;
}

}  // namespace refract::message
