// SPDX-License-Identifier: Apache-2.0
// Loads references (references/NAME.frag, .vert, .comp or .spvasm with NAME.json), counts
// properties of them and of their outputs, and makes the images of the outputs that are kept as
// goldens.
//
// A vertex and a fragment shader that are drawn together are two references: variants are made of
// either, and drawn with the other one unchanged. They share an image.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/runnable_module.h"
#include "image/image.h"
#include "measure/shared_lines.h"

namespace refract::measure {

struct Reference {
  std::string name;     ///< "column_sort"; for vertex shaders "loom_draft.vert"
  std::string picture;  ///< the name of its goldens: "column_sort", "loom_draft"
  std::string title;    ///< the first sentence of its comment
  RunnableModule subject;
  spv::ExecutionModel model = spv::ExecutionModel::Fragment;
  bool assembly = false;
  uint64_t lines = 0;         ///< of the file
  uint64_t instructions = 0;  ///< in blocks, without debug lines
  CodeLines code;
};

/// "column_sort" for "references/column_sort.frag". The extension of a vertex shader is part of the
/// name, to distinguish it from the fragment shader in the same folder.
std::string NameOfFile(std::string_view file);
Result<Reference> LoadReference(const std::string& file);
/// The first sentence of the comment that a source in GLSL or assembly begins with; empty if none.
std::string TitleOf(std::string_view source);
/// Instructions in blocks, without debug lines.
uint64_t CountInstructions(const Module& module);

/// How varied the outputs are: the texels of all colour targets or, where there are none, the
/// 32-bit words of what was written to buffers and images.
struct Variety {
  bool words = false;
  uint64_t different = 0;
  double largest_percent = 0;  ///< share of the most frequent one
  uint64_t bytes = 0;          ///< size of all outputs counted
};
Variety VarietyOf(const Outputs& outputs, const Bindings& before);

/// An output as an image that keeps every bit.
struct Golden {
  std::string file;  ///< "column_sort.png"; the others: "column_sort.set0.binding2.png"
  Image picture;
};
/// The goldens of each target, and of each buffer and image that the run changed. An 8-bit image is
/// its own golden. For 32-bit words, bits 0 to 23 are a colour, and below is an image of bits 24 to
/// 31 in grey. Words of buffers are in rows of 64; components of other targets are next to each
/// other.
std::vector<Golden> GoldensOf(const std::string& name, const Outputs& outputs,
                              const Bindings& before);

}  // namespace refract::measure
