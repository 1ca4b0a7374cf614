// SPDX-License-Identifier: Apache-2.0
#include "folder/amber_values.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/text.h"
#include "input/scalar.h"
#include "input/texels.h"

namespace refract {
inline namespace folder {
namespace {

constexpr size_t kInLine = 8;

uint64_t BitsAt(const std::string& bytes, size_t offset, uint32_t size) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + offset, size);
  return bits;
}

// AmberScript recognises a float by its point: it reads "1e-7" as the number 1 and a word.
std::string PointedFloat(uint64_t bits, uint32_t width) {
  std::string text = FloatText(bits, width);
  if (text.find('.') == std::string::npos) text.insert(text.find_first_of("eE"), ".0");
  return text;
}

// Whether a float can be written as text and read back. Infinities and NaNs have no text, the sign
// of a negative zero may get lost, and denormal numbers may become 0.
bool HasText(uint64_t bits) {
  const bool denormal = (bits & 0x7f800000u) == 0 && (bits & 0x7fffffffu) != 0;
  return IsFinite(bits, 32) && !denormal && bits != 0x80000000u;
}

}  // namespace

std::string AmberTypeName(AmberType type) {
  if (type == AmberType::kFloat) return "float";
  return type == AmberType::kByte ? "uint8" : "uint32";
}

AmberType TypeFor(const Layout* layout, const std::vector<const std::string*>& contents) {
  CHECK(!contents.empty());
  const size_t size = contents.front()->size();
  if (size % 4 != 0) return AmberType::kByte;
  if (layout == nullptr) return AmberType::kWord;
  bool floats = false, integers = false;
  for (const LaidOutScalar& scalar : layout->scalars) {
    if (scalar.width != 32 || scalar.offset % 4 != 0) return AmberType::kWord;
    (scalar.kind == LaidOutScalar::kFloat ? floats : integers) = true;
  }
  if (floats == integers) return AmberType::kWord;
  if (integers) return AmberType::kNumber;
  for (const std::string* bytes : contents) {
    for (size_t offset = 0; offset < size; offset += 4) {
      if (!HasText(BitsAt(*bytes, offset, 4))) return AmberType::kWord;
    }
  }
  return AmberType::kFloat;
}

std::string AmberValue(AmberType type, const std::string& bytes, size_t index) {
  const uint32_t size = SizeOf(type);
  const uint64_t bits = BitsAt(bytes, index * size, size);
  if (type == AmberType::kFloat) return PointedFloat(bits, 32);
  if (type == AmberType::kWord) return format("0x{:08x}", bits);
  return format("{}", bits);
}

std::string AmberData(AmberType type, const std::string& bytes) {
  const size_t count = bytes.size() / SizeOf(type);
  std::vector<std::string> values;
  values.reserve(count);
  for (size_t i = 0; i < count; ++i) values.push_back(AmberValue(type, bytes, i));
  const bool alike = std::all_of(values.begin(), values.end(),
                                 [&](const std::string& value) { return value == values[0]; });
  if (alike && count > 1) return format("SIZE {} FILL {}\n", count, values[0]);
  return AmberList(values);
}

std::string AmberList(const std::vector<std::string>& values) {
  std::string text = "DATA\n";
  for (size_t i = 0; i < values.size(); ++i) {
    text += i % kInLine == 0 ? "  " : " ";
    text += values[i];
    if (i % kInLine == kInLine - 1 || i + 1 == values.size()) text += "\n";
  }
  return text + "END\n";
}

std::string AmberFormat(spv::ImageFormat image_format) {
  const TexelFormat* texel = FindTexelFormat(image_format);
  if (texel == nullptr) return {};
  constexpr const char* kKinds[] = {"UNORM", "SNORM", "SFLOAT", "SINT", "UINT"};
  std::string text;
  for (uint32_t i = 0; i < texel->components; ++i)
    text += format("{}{}", "RGBA"[i], texel -> width);
  return format("{}_{}", text, kKinds[texel->kind]);
}

std::string AmberTexels(const BoundImage& image) {
  const TexelFormat* texel = FindTexelFormat(image.format);
  CHECK(texel != nullptr);
  const uint32_t size = texel->width / 8;
  const size_t in_row = size_t{image.width} * texel->components;
  const bool is_signed = texel->kind == TexelFormat::kInt || texel->kind == TexelFormat::kSnorm;
  std::string text = "DATA\n";
  for (size_t i = 0; i < image.texels.size() / size; ++i) {
    const uint64_t bits = BitsAt(image.texels, i * size, size);
    text += i % in_row == 0 ? "  " : " ";
    if (texel->kind == TexelFormat::kFloat) {
      text += PointedFloat(bits, texel->width);
    } else if (is_signed) {
      const uint32_t above = 64 - texel->width;
      text += format("{}", static_cast<int64_t>(bits << above) >> above);
    } else {
      text += format("{}", bits);
    }
    if (i % in_row == in_row - 1) text += "\n";
  }
  return text + "END\n";
}

}  // namespace folder
}  // namespace refract
