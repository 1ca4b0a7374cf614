// SPDX-License-Identifier: Apache-2.0
#include "input/input_func.h"

#include <iterator>

#include "base/check.h"
#include "base/text.h"
#include "input/bindings.h"

namespace refract {
inline namespace input {
namespace {

// The letters between "glUniformN" and the final "v".
struct ScalarSuffix {
  std::string_view suffix;
  InputValue::Scalar scalar;
  uint32_t width;
};
constexpr ScalarSuffix kSuffixes[] = {
    {"f", InputValue::kFloat, 32}, {"i", InputValue::kInt, 32},     {"ui", InputValue::kUint, 32},
    {"d", InputValue::kFloat, 64}, {"f16", InputValue::kFloat, 16}, {"i8", InputValue::kInt, 8},
    {"ui8", InputValue::kUint, 8}, {"i16", InputValue::kInt, 16},   {"ui16", InputValue::kUint, 16},
    {"i64", InputValue::kInt, 64}, {"ui64", InputValue::kUint, 64},
};

struct FieldType {
  std::string_view name;
  InputValue::Scalar scalar;
  uint32_t width;
  uint32_t rows;
};
constexpr FieldType kFieldTypes[] = {
    {"int", InputValue::kInt, 32, 1},     {"uint", InputValue::kUint, 32, 1},
    {"float", InputValue::kFloat, 32, 1}, {"double", InputValue::kFloat, 64, 1},
    {"int64", InputValue::kInt, 64, 1},   {"uint64", InputValue::kUint, 64, 1},
    {"vec2", InputValue::kFloat, 32, 2},  {"vec3", InputValue::kFloat, 32, 3},
    {"vec4", InputValue::kFloat, 32, 4},  {"ivec2", InputValue::kInt, 32, 2},
    {"ivec3", InputValue::kInt, 32, 3},   {"ivec4", InputValue::kInt, 32, 4},
    {"uvec2", InputValue::kUint, 32, 2},  {"uvec3", InputValue::kUint, 32, 3},
    {"uvec4", InputValue::kUint, 32, 4},
};

bool TakeSize(std::string_view* text, uint32_t low, uint32_t* size) {
  if (text->empty() || text->front() < static_cast<char>('0' + low) || text->front() > '4') {
    return false;
  }
  *size = static_cast<uint32_t>(text->front() - '0');
  text->remove_prefix(1);
  return true;
}

struct ImageKind {
  std::string_view name;
  BoundImage::Kind kind;
};
constexpr ImageKind kImageKinds[] = {{"sampler", BoundImage::kCombined},
                                     {"texture", BoundImage::kSampled},
                                     {"image", BoundImage::kStorage}};
struct ImageDim {
  std::string_view name;
  spv::Dim dim;
  bool arrayed;
  bool multisampled = false;
};
constexpr ImageDim kImageDims[] = {
    {"1D", spv::Dim::Dim1D, false},         {"2D", spv::Dim::Dim2D, false},
    {"3D", spv::Dim::Dim3D, false},         {"Cube", spv::Dim::Cube, false},
    {"1DArray", spv::Dim::Dim1D, true},     {"2DArray", spv::Dim::Dim2D, true},
    {"CubeArray", spv::Dim::Cube, true},    {"Buffer", spv::Dim::Buffer, false},
    {"2DMS", spv::Dim::Dim2D, false, true}, {"2DMSArray", spv::Dim::Dim2D, true, true}};

// The names of BoundMesh::Topology.
constexpr std::string_view kTopologies[] = {"triangle_list", "triangle_strip", "triangle_fan"};

// The names of TessellationInput::Domain.
constexpr std::string_view kDomains[] = {"triangles", "quads", "isolines"};

// The names of BoundImage::Scene.
constexpr std::string_view kScenes[] = {"empty", "steps"};
constexpr std::string_view kWraps[] = {"repeat", "mirror", "clamp", "border", "mirror_clamp"};
constexpr std::string_view kBorders[] = {"transparent", "black", "white"};
constexpr std::string_view kReductions[] = {"average", "minimum", "maximum"};

constexpr std::string_view kCompares[] = {
    "",      "never", "less", "equal", "less_or_equal", "greater", "not_equal", "greater_or_equal",
    "always"};

constexpr std::string_view kAddressFunc = "address";

template <class Value, size_t kCount>
bool ParseName(const std::string_view (&names)[kCount], std::string_view text, Value* value) {
  for (size_t i = 0; i < kCount; ++i) {
    if (text != names[i]) continue;
    *value = static_cast<Value>(i);
    return true;
  }
  return false;
}

// The names of kinds without dimensions.
constexpr ImageKind kPlainKinds[] = {{"sampler", BoundImage::kSampler},
                                     {"subpassInput", BoundImage::kAttachment},
                                     {"accelerationStructure", BoundImage::kScene}};
constexpr std::string_view kMultisampledAttachment = "subpassInputMS";
constexpr std::string_view kShadow = "Shadow";  // after the dimension, for depth images

bool ParseImageFunc(std::string_view text, ImageInput* image) {
  if (text == kMultisampledAttachment) {
    image->kind = BoundImage::kAttachment;
    image->samples = kDefaultSamples;
    return true;
  }
  for (const ImageKind& kind : kPlainKinds) {
    if (text != kind.name) continue;
    image->kind = kind.kind;
    return true;
  }
  if (text.starts_with("sampler") && !text.starts_with("sampler3D") && text.ends_with(kShadow)) {
    image->compare = BoundImage::kLessOrEqual;
    text.remove_suffix(kShadow.size());
  }
  for (const ImageKind& kind : kImageKinds) {
    if (!text.starts_with(kind.name)) continue;
    for (const ImageDim& dim : kImageDims) {
      if (text.substr(kind.name.size()) != dim.name) continue;
      // A texel buffer has no sampler.
      if (dim.dim == spv::Dim::Buffer && kind.kind == BoundImage::kCombined) return false;
      // Nothing is compared with samples.
      if (dim.multisampled && image->compare != BoundImage::kNone) return false;
      image->samples = dim.multisampled ? kDefaultSamples : 1;
      image->kind = kind.kind;
      image->dim = dim.dim;
      image->arrayed = dim.arrayed;
      return true;
    }
  }
  return false;
}

std::string ImageFunc(const ImageInput& image) {
  if (image.kind == BoundImage::kAttachment && image.samples > 1) {
    return std::string(kMultisampledAttachment);
  }
  for (const ImageKind& kind : kPlainKinds) {
    if (kind.kind == image.kind) return std::string(kind.name);
  }
  for (const ImageKind& kind : kImageKinds) {
    if (kind.kind != image.kind) continue;
    for (const ImageDim& dim : kImageDims) {
      if (dim.dim == image.dim && dim.arrayed == image.arrayed &&
          dim.multisampled == (image.samples > 1)) {
        return format("{}{}{}", kind.name, dim.name,
                      image.compare == BoundImage::kNone ? std::string_view() : kShadow);
      }
    }
  }
  CHECK(false);
}

bool TakeSuffix(std::string_view text, InputValue* value) {
  for (const ScalarSuffix& row : kSuffixes) {
    if (row.suffix != text) continue;
    value->scalar = row.scalar;
    value->width = row.width;
    return true;
  }
  return false;
}

}  // namespace

bool ParseInputFunc(std::string_view text, InputValue* value, bool* is_array) {
  *is_array = false;
  if (ImageInput image; ParseImageFunc(text, &image)) {
    value->image = std::move(image);
    return true;
  }
  constexpr std::string_view kMatrix = "glUniformMatrix";
  constexpr std::string_view kUniform = "glUniform";
  if (text.starts_with(kMatrix)) {
    text.remove_prefix(kMatrix.size());
    if (!text.ends_with('v') || !TakeSize(&text, 2, &value->columns)) return false;
    value->rows = value->columns;
    if (text.starts_with('x')) {
      text.remove_prefix(1);
      if (!TakeSize(&text, 2, &value->rows)) return false;
    }
    text.remove_suffix(1);
    return TakeSuffix(text, value) && value->scalar == InputValue::kFloat;
  }
  if (text == kAddressFunc) {
    value->scalar = InputValue::kAddress;
    value->width = 64;
    *is_array = true;
    return true;
  }
  if (!text.starts_with(kUniform)) return false;
  text.remove_prefix(kUniform.size());
  if (!TakeSize(&text, 1, &value->rows)) return false;
  if (text.ends_with('v')) {
    *is_array = true;
    text.remove_suffix(1);
  }
  return TakeSuffix(text, value);
}

bool ParseFieldType(std::string_view name, InputValue* field) {
  for (const FieldType& row : kFieldTypes) {
    if (row.name != name) continue;
    field->scalar = row.scalar;
    field->width = row.width;
    field->rows = row.rows;
    return true;
  }
  return false;
}

std::string_view FieldTypeName(const InputValue& field) {
  for (const FieldType& row : kFieldTypes) {
    if (row.scalar == field.scalar && row.width == field.width && row.rows == field.rows) {
      return row.name;
    }
  }
  CHECK(false);
}

bool ParseTopology(std::string_view text, BoundMesh::Topology* topology) {
  return ParseName(kTopologies, text, topology);
}

std::string_view TopologyName(BoundMesh::Topology topology) {
  return kTopologies[topology];
}

bool ParseDomain(std::string_view text, TessellationInput::Domain* domain) {
  return ParseName(kDomains, text, domain);
}

std::string_view DomainName(TessellationInput::Domain domain) {
  return kDomains[domain];
}

bool ParseScene(std::string_view text, BoundImage::Scene* scene) {
  return ParseName(kScenes, text, scene);
}

std::string_view SceneName(BoundImage::Scene scene) {
  return kScenes[scene];
}

bool ParseWrap(std::string_view text, BoundImage::Wrap* wrap) {
  return ParseName(kWraps, text, wrap);
}

std::string_view WrapName(BoundImage::Wrap wrap) {
  return kWraps[wrap];
}

bool ParseBorder(std::string_view text, BoundImage::Border* border) {
  return ParseName(kBorders, text, border);
}

std::string_view BorderName(BoundImage::Border border) {
  return kBorders[border];
}

bool ParseReduction(std::string_view text, BoundImage::Reduction* reduction) {
  return ParseName(kReductions, text, reduction);
}

std::string_view ReductionName(BoundImage::Reduction reduction) {
  return kReductions[reduction];
}

bool ParseCompare(std::string_view text, BoundImage::Compare* compare) {
  for (size_t i = BoundImage::kNever; i < std::size(kCompares); ++i) {
    if (text != kCompares[i]) continue;
    *compare = static_cast<BoundImage::Compare>(i);
    return true;
  }
  return false;
}

std::string_view CompareName(BoundImage::Compare compare) {
  return kCompares[compare];
}

std::string InputFunc(const InputValue& value) {
  if (value.image.has_value()) return ImageFunc(*value.image);
  if (value.buffer_bytes != 0) return "buffer";
  if (value.scalar == InputValue::kAddress) return std::string(kAddressFunc);
  std::string_view suffix;
  for (const ScalarSuffix& row : kSuffixes) {
    if (row.scalar == value.scalar && row.width == value.width) suffix = row.suffix;
  }
  CHECK(!suffix.empty());
  if (value.columns > 1) {
    const std::string rows = value.rows == value.columns ? "" : format("x{}", value.rows);
    return format("glUniformMatrix{}{}{}v", value.columns, rows, suffix);
  }
  return format("glUniform{}{}{}", value.rows, suffix, value.count != 0 ? "v" : "");
}

}  // namespace input
}  // namespace refract
