// SPDX-License-Identifier: Apache-2.0
// References as files (references/NAME.frag, .vert, .comp or .spvasm with NAME.json): what can be
// counted of them, of what they leave behind, and the pictures of it that are kept as goldens.
//
// Of a vertex and a fragment shader that are drawn together each is a reference: variants are made
// of either, drawn with the other one as it is. They have one picture.
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
  std::string name;     ///< "column_sort"; of vertex shaders "loom_draft.vert"
  std::string picture;  ///< what its goldens are called: "column_sort", "loom_draft"
  std::string title;    ///< the first sentence of its comment
  RunnableModule subject;
  spv::ExecutionModel model = spv::ExecutionModel::Fragment;
  bool assembly = false;
  uint64_t lines = 0;         ///< of the file
  uint64_t instructions = 0;  ///< in blocks, debug lines left out
  CodeLines code;
};

/// The files of references below a folder, in byte order.
Result<std::vector<std::string>> ReferenceFiles(const std::string& folder);
/// "column_sort" of "references/column_sort.frag"; the ending of a vertex shader is part of it, to
/// tell it from the fragment shader beside it.
std::string NameOfFile(std::string_view file);
Result<Reference> LoadReference(const std::string& file);
/// The first sentence of the comment that a source in GLSL or assembly begins with; empty if none.
std::string TitleOf(std::string_view source);
/// Instructions in blocks, debug lines left out.
uint64_t CountInstructions(const Module& module);

/// How varied the outputs are: the texels of all colour targets or, where there are none, the
/// 32-bit words of what was written to buffers and images.
struct Variety {
  bool words = false;
  uint64_t different = 0;
  double largest_percent = 0;  ///< of the most frequent one
  uint64_t bytes = 0;          ///< of all that was looked at
};
Variety VarietyOf(const Outputs& outputs, const Bindings& before);

/// An output as a picture that keeps every bit.
struct Golden {
  std::string file;  ///< "column_sort.png"; "column_sort.set0.binding2.png" of all but the first
  Image picture;
};
/// Of each target and of each buffer and image that is not as it was before. An 8-bit picture is
/// itself. Of 32-bit words bits 0 to 23 are a colour, above a picture of bits 24 to 31 in grey:
/// words of buffers in rows of 64, components of other targets beside each other.
std::vector<Golden> GoldensOf(const std::string& name, const Outputs& outputs,
                              const Bindings& before);

}  // namespace refract::measure
