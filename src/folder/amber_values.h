// SPDX-License-Identifier: Apache-2.0
// Bytes of buffers and texels of images as the numbers of an AmberScript. A buffer is a flat list
// there, of one type and without gaps, so that it holds whatever the module's block holds: structs,
// arrays and matrices lie in it as in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "input/bindings.h"
#include "input/layout.h"

namespace refract::inline folder {

/// How the words of a buffer are written.
enum class AmberType : uint8_t {
  kFloat,   ///< nothing but 32-bit floats, each of which has a decimal text: "float"
  kNumber,  ///< nothing but 32-bit integers: "uint32", decimal
  kWord,    ///< anything else: "uint32", hexadecimal
  kByte,    ///< sizes that are no multiple of four: "uint8"
};

/// "float", "uint32", "uint8"
std::string AmberTypeName(AmberType type);
inline uint32_t SizeOf(AmberType type) {
  return type == AmberType::kByte ? 1 : 4;
}

/// The plainest type for a buffer of this layout (null: not known) that can hold all of `contents`,
/// which are of one size.
AmberType TypeFor(const Layout* layout, const std::vector<const std::string*>& contents);

/// Element `index` of `bytes`.
std::string AmberValue(AmberType type, const std::string& bytes, size_t index);

/// What stands behind "DATA_TYPE TYPE STD430": "SIZE 4 FILL 0" or "DATA ... END", with a newline.
std::string AmberData(AmberType type, const std::string& bytes);

/// "R8G8B8A8_UNORM"; empty for formats that images may not have.
std::string AmberFormat(spv::ImageFormat format);
/// The components of all texels, a row of the image in a line: "DATA ... END".
std::string AmberTexels(const BoundImage& image);

}  // namespace refract::inline folder
