// SPDX-License-Identifier: Apache-2.0
#include "cfg/dot.h"

#include "base/text.h"

namespace refract::cfg {

std::string DotText(const Graph& graph, std::string_view name) {
  std::string text = format("digraph \"{}\" {{\n  node [shape=box fontname=monospace];\n", name);
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const GraphBlock& block = graph.blocks[i];
    const char* kind = block.is_loop()     ? " loop"
                       : block.is_switch   ? " switch"
                       : block.is_header() ? " selection"
                                           : "";
    text += format("  {} [label=\"{}{}\"{}];\n", i, i, kind,
                   block.target_count == 0 ? " peripheries=2" : "");
    if (block.is_header()) {
      text += format("  {} -> {} [style=dashed constraint=false color=gray];\n", i, block.merge);
    }
    if (block.is_loop()) {
      text += format("  {} -> {} [style=dotted constraint=false color=gray];\n", i,
                     block.continue_target);
    }
    uint32_t slot = 0;
    for (uint32_t to : graph.Targets(i)) {
      const bool named = block.is_switch ? slot > 0 : block.target_count == 2;
      const std::string label =
          !named ? "" : format(" [label=\"{}\"]", block.is_switch ? slot : 1 - slot);
      text += format("  {} -> {}{};\n", i, to, label);
      ++slot;
    }
  }
  return text + "}\n";
}

}  // namespace refract::cfg
