// SPDX-License-Identifier: Apache-2.0
// Writes the bytes of buffers and the texels of images as numbers of an AmberScript. There a buffer
// is a flat list of one type without gaps. It can therefore hold any block: structs, arrays and
// matrices lie in it as in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "input/bindings.h"
#include "input/layout.h"

namespace refract {
inline namespace folder {

/// The type in which a buffer is written.
enum class AmberType : uint8_t {
  kFloat,   ///< only 32-bit floats that have a decimal text: "float"
  kNumber,  ///< only 32-bit integers: "uint32", decimal
  kWord,    ///< anything else: "uint32", hexadecimal
  kByte,    ///< the size is not a multiple of four: "uint8"
};

/// The name of the type in AmberScript: "float", "uint32", "uint8".
std::string AmberTypeName(AmberType type);
inline uint32_t SizeOf(AmberType type) {
  return type == AmberType::kByte ? 1 : 4;
}

/// The simplest type for a buffer of this layout (null: not known) that can hold each of
/// `contents`, which all have the same size.
AmberType TypeFor(const Layout* layout, const std::vector<const std::string*>& contents);

/// Element `index` of `bytes` as text.
std::string AmberValue(AmberType type, const std::string& bytes, size_t index);

/// The text after "DATA_TYPE TYPE STD430": "SIZE 4 FILL 0" or "DATA ... END", with a newline.
std::string AmberData(AmberType type, const std::string& bytes);

/// "DATA ... END", with a newline.
std::string AmberList(const std::vector<std::string>& values);

/// The format in AmberScript: "R8G8B8A8_UNORM". Empty for formats that images may not have.
std::string AmberFormat(spv::ImageFormat format);
/// The components of all texels, one row of the image on each line: "DATA ... END".
std::string AmberTexels(const BoundImage& image);

}  // namespace folder
}  // namespace refract
