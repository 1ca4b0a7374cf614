// SPDX-License-Identifier: Apache-2.0
// Reads the images, samplers and acceleration structures of shader.json. The checks here do not
// need the module: keys, patterns, and whether the list has as many numbers as the texels need.
#include <algorithm>
#include <bit>

#include "base/text.h"
#include "input/input_func.h"
#include "input/json_fields.h"

namespace refract {
inline namespace input {
namespace {

using Kind = JsonNode::Kind;

constexpr uint32_t kMaxSide = 4096;  // maxImageDimension2D of every device
constexpr uint64_t kMaxTexels = uint64_t{1} << 22;

// Reads a member that is one of two words: sets `*chosen` to true for `yes` and to false for `no`.
Status ReadChoice(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                  std::string_view key, std::string_view no, std::string_view yes, bool* chosen) {
  const JsonNode* member = node.Find(key);
  if (member == nullptr) return {};
  if (member->kind != Kind::kString || (member->text != no && member->text != yes)) {
    return fields.Refuse(*member, JsonPointer(pointer, key),
                         format("expected \"{}\" or \"{}\"", no, yes));
  }
  *chosen = member->text == yes;
  return {};
}

// Reads what a sampler reads outside of the image. A sampler alone has no border, because the image
// would decide whether its colour is of ints or of floats.
Status ReadWrap(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                ImageInput* image) {
  const JsonNode* wrap = node.Find("wrap");
  if (wrap != nullptr && (wrap->kind != Kind::kString || !ParseWrap(wrap->text, &image->wrap))) {
    return fields.Refuse(
        *wrap, JsonPointer(pointer, "wrap"),
        "expected \"repeat\", \"mirror\", \"clamp\", \"border\" or \"mirror_clamp\"");
  }
  if (image->wrap == BoundImage::kBorder && image->kind == BoundImage::kSampler) {
    return fields.Refuse(*wrap, JsonPointer(pointer, "wrap"),
                         "a sampler without an image cannot have a border");
  }
  const JsonNode* border = node.Find("border");
  if (border == nullptr) return {};
  if (image->wrap != BoundImage::kBorder) {
    return fields.Refuse(*border, JsonPointer(pointer, "border"),
                         "\"border\" needs \"wrap\": \"border\"");
  }
  if (border->kind == Kind::kString && ParseBorder(border->text, &image->border)) return {};
  return fields.Refuse(*border, JsonPointer(pointer, "border"),
                       "expected \"transparent\", \"black\" or \"white\"");
}

// Reads what a sampler makes of the texels of a filter, and whether its coordinates are those of
// texels. The second allows little else (Vulkan, VkSamplerCreateInfo, unnormalizedCoordinates).
Status ReadSampling(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                    ImageInput* image) {
  if (const JsonNode* member = node.Find("reduction")) {
    if (member->kind != Kind::kString || !ParseReduction(member->text, &image->reduction)) {
      return fields.Refuse(*member, JsonPointer(pointer, "reduction"),
                           "expected \"average\", \"minimum\" or \"maximum\"");
    }
    // Not every format has it (Vulkan, VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_MINMAX_BIT), and a
    // shader may use a sampler alone with any image.
    if (image->reduction != BoundImage::kWeightedAverage && image->kind == BoundImage::kSampler) {
      return fields.Refuse(*member, JsonPointer(pointer, "reduction"),
                           "a sampler without an image has no minimum and no maximum");
    }
    if (image->reduction != BoundImage::kWeightedAverage && image->compare != BoundImage::kNone) {
      return fields.Refuse(*member, JsonPointer(pointer, "reduction"),
                           "a sampler that compares has no minimum and no maximum");
    }
  }
  Status status = ReadChoice(fields, node, pointer, "coordinates", "normalised", "texels",
                             &image->texel_coordinates);
  if (!status || !image->texel_coordinates) return status;
  const JsonNode& member = *node.Find("coordinates");
  const std::string where = JsonPointer(pointer, "coordinates");
  if (image->wrap != BoundImage::kClamp && image->wrap != BoundImage::kBorder) {
    return fields.Refuse(member, where,
                         "coordinates in texels need \"wrap\": \"clamp\" or \"border\"");
  }
  const bool is_flat = image->dim == spv::Dim::Dim1D || image->dim == spv::Dim::Dim2D;
  if (!is_flat || image->arrayed || image->compare != BoundImage::kNone) {
    return fields.Refuse(member, where, "only 1D and 2D images have coordinates in texels");
  }
  for (const char* key : {"levels", "mip_filter", "min_lod", "max_lod", "lod_bias"}) {
    if (node.Find(key) == nullptr) continue;
    return fields.Refuse(*node.Find(key), JsonPointer(pointer, key),
                         "not with coordinates in texels, which read only one level");
  }
  return {};
}

// Only depth images have "compare".
Status ReadImageCompare(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                        ImageInput* image) {
  const JsonNode* member = node.Find("compare");
  if (member != nullptr && image->compare == BoundImage::kNone) {
    return fields.Refuse(*member, JsonPointer(pointer, "compare"),
                         "\"compare\" needs a \"func\" with \"Shadow\"");
  }
  return ReadCompare(fields, node, pointer, &image->compare);
}

// Depths must be from 0 to 1 (Vulkan, VkBufferImageCopy).
Status CheckDepths(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                   const InputValue& value) {
  const ImageInput& image = *value.image;
  if (image.compare == BoundImage::kNone) return {};
  if (image.format != spv::ImageFormat::Unknown && image.format != spv::ImageFormat::R32f) {
    return fields.Refuse(*node.Find("format"), JsonPointer(pointer, "format"),
                         "a depth image has the format \"r32f\"");
  }
  for (const uint64_t word : value.words) {
    if (const float depth = std::bit_cast<float>(static_cast<uint32_t>(word));
        depth >= 0 && depth <= 1) {
      continue;
    }
    return fields.Refuse(*node.Find("args"), JsonPointer(pointer, "args"),
                         "depths must be from 0 to 1");
  }
  return {};
}

Status ReadFormat(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                  InputValue* value) {
  const JsonNode* member = node.Find("format");
  if (member == nullptr) return {};
  const TexelFormat* format =
      member->kind == Kind::kString ? FindTexelFormat(member->text) : nullptr;
  if (format == nullptr) {
    return fields.Refuse(*member, JsonPointer(pointer, "format"),
                         "expected one of " + TexelFormatNames());
  }
  value->image->format = format->format;
  value->rows = format->components;
  value->width = format->width;
  value->scalar = format->kind == TexelFormat::kFloat ? InputValue::kFloat
                  : format->kind == TexelFormat::kInt || format->kind == TexelFormat::kSnorm
                      ? InputValue::kInt
                      : InputValue::kUint;
  return {};
}

Status ReadSize(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                ImageInput* image) {
  const JsonNode* member = node.Find("size");
  if (member == nullptr) return {};
  const bool is_line = image->dim == spv::Dim::Dim1D || image->dim == spv::Dim::Buffer;
  const size_t sides = (is_line                         ? 1
                        : image->dim == spv::Dim::Dim3D ? 3
                                                        : 2) +
                       (image->arrayed ? 1 : 0);
  image->size.resize(sides);
  Status status = fields.Numbers(node, pointer, "size", 1, kMaxSide, sides, image->size.data());
  if (!status) return status;
  const std::string where = JsonPointer(pointer, "size");
  if (image->dim == spv::Dim::Cube && image->size[0] != image->size[1]) {
    return fields.Refuse(*member, where, "the faces of a cube must be squares");
  }
  uint64_t texels = image->dim == spv::Dim::Cube ? 6 : image->samples;
  for (const uint32_t side : image->size) texels *= side;  // below 6 * 2^36
  if (texels > kMaxTexels) {
    return fields.Refuse(*member, where,
                         format("the image has more than {} {}", kMaxTexels,
                                image->samples > 1 ? "samples" : "texels"));
  }
  return {};
}

// Reads the number of samples, which is a power of two (VkSampleCountFlagBits). An image with one
// sample is not multisampled (Vulkan, VUID-vkCmdDraw-samples-08725).
Status ReadSamples(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                   ImageInput* image) {
  const JsonNode* member = node.Find("samples");
  if (member == nullptr) return {};
  const std::string where = JsonPointer(pointer, "samples");
  Status status = fields.Number(*member, where, 2, kMaxSamples, &image->samples);
  if (!status || std::has_single_bit(image->samples)) return status;
  return fields.Refuse(*member, where, "the number of samples must be a power of two");
}

// Reads "levels". A level above the last one of the image would not exist.
Status ReadLevels(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                  ImageInput* image) {
  const JsonNode* member = node.Find("levels");
  if (member == nullptr) return {};
  BoundImage sides;
  sides.kind = image->kind;
  sides.dim = image->dim;
  sides.arrayed = image->arrayed;
  SetSides(image, &sides);
  return fields.Number(*member, JsonPointer(pointer, "levels"), 1, MostLevels(sides),
                       &image->levels);
}

// Reads a member that is a number from `low` to `high`.
Status ReadLod(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
               std::string_view key, float low, float high, float* lod) {
  const JsonNode* member = node.Find(key);
  if (member == nullptr) return {};
  return fields.Float(*member, JsonPointer(pointer, key), low, high, lod);
}

// Reads how a sampler chooses a level.
Status ReadMipSampling(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                       MipSampling* mip) {
  constexpr float kMost = MipSampling::kNoLimit;
  constexpr float kMostBias = 16;
  Status status =
      ReadChoice(fields, node, pointer, "mip_filter", "nearest", "linear", &mip->linear);
  if (status) status = ReadLod(fields, node, pointer, "min_lod", 0, kMost, &mip->min_lod);
  if (status) {
    status = ReadLod(fields, node, pointer, "max_lod", mip->min_lod, kMost, &mip->max_lod);
  }
  if (status) {
    status = ReadLod(fields, node, pointer, "lod_bias", -kMostBias, kMostBias, &mip->bias);
  }
  return status;
}

// Reads an acceleration structure.
Status ReadScene(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                 ImageInput* image) {
  Status status = fields.Object(node, pointer, {"func", "binding", "set", "element", "scene"});
  if (!status) return status;
  const JsonNode* member = node.Find("scene");
  if (member == nullptr) return fields.Refuse(node, pointer, "\"scene\" is missing");
  if (member->kind == Kind::kString && ParseScene(member->text, &image->scene)) return {};
  return fields.Refuse(*member, JsonPointer(pointer, "scene"), "expected \"empty\" or \"steps\"");
}

Status ReadTexels(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                  InputValue* value) {
  ImageInput& image = *value->image;
  const JsonNode* args = node.Find("args");
  const JsonNode* texture = node.Find("texture");
  if (args != nullptr && texture != nullptr) {
    return fields.Refuse(*args, JsonPointer(pointer, "args"),
                         "\"args\" and \"texture\" cannot be used together");
  }
  if (texture != nullptr) {
    if (texture->kind != Kind::kString || !TexelPatternByName(texture->text).has_value()) {
      return fields.Refuse(*texture, JsonPointer(pointer, "texture"),
                           "expected \"checker\", \"gradient\", \"noise\" or \"DEFAULT\"");
    }
    image.texture = texture->text;
  } else if (args == nullptr && image.kind != BoundImage::kStorage) {
    return fields.Refuse(node, pointer, "\"texture\" or \"args\" is missing");
  }
  if (const JsonNode* seed = node.Find("seed")) {
    const std::string where = JsonPointer(pointer, "seed");
    if (image.texture != "noise") {
      return fields.Refuse(*seed, where, "\"seed\" needs the texture \"noise\"");
    }
    if (Status status = fields.Number(*seed, where, 0, 0xffffffffu, &image.seed); !status) {
      return status;
    }
  }
  if (args == nullptr) return {};
  const std::string where = JsonPointer(pointer, "args");
  if (image.format == spv::ImageFormat::Unknown) {
    return fields.Refuse(*args, where, "\"args\" needs a \"format\"");
  }
  if (Status status = fields.Scalars(*args, where, value); !status) return status;
  const size_t given = value->words.size();
  if (given == value->rows) return {};
  // The size of the frame may come later in the file, so resolve_images.cpp checks the number.
  if (image.kind == BoundImage::kAttachment) return {};
  if (image.size.empty()) {
    return fields.Refuse(*args, where,
                         format("expected all components of one {0} ({1}), or a \"size\" and the "
                                "components of all {0}s",
                                image.samples > 1 ? "sample" : "texel", value->rows));
  }
  BoundImage sides;
  sides.dim = image.dim;
  sides.arrayed = image.arrayed;
  SetSides(&image, &sides);
  const uint64_t texels = TexelsBeforeLevel(sides, sides.levels);
  if (given == texels * value->rows) return {};
  return fields.Refuse(
      *args, where,
      format("wrong number of values: expected {} for one {} or {} for all {}, found {}",
             value->rows, image.samples > 1 ? "sample" : "texel", texels * value->rows,
             image.samples > 1 ? "samples" : "texels", given));
}

// Samples are fetched without a sampler, so a multisampled image with a sampler has no properties
// of one.
Status CheckKeys(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                 const ImageInput& image) {
  if (image.kind == BoundImage::kSampler) {
    return fields.Object(node, pointer,
                         {"func", "binding", "set", "element", "filter", "mip_filter", "wrap",
                          "min_lod", "max_lod", "lod_bias", "reduction", "coordinates"});
  }
  if (image.kind == BoundImage::kAttachment) {
    return fields.Object(
        node, pointer, {"func", "binding", "set", "element", "texture", "seed", "args", "format"});
  }
  // Also a storage image.
  if (image.samples > 1) {
    return fields.Object(node, pointer,
                         {"func", "binding", "set", "element", "texture", "seed", "args", "format",
                          "size", "samples"});
  }
  if (image.kind == BoundImage::kStorage || image.dim == spv::Dim::Buffer) {
    return fields.Object(
        node, pointer,
        {"func", "binding", "set", "element", "texture", "seed", "args", "format", "size"});
  }
  if (image.kind == BoundImage::kSampled) {
    return fields.Object(node, pointer,
                         {"func", "binding", "set", "element", "texture", "seed", "args", "format",
                          "size", "levels"});
  }
  return fields.Object(
      node, pointer,
      {"func",    "binding", "set",      "element", "texture",    "seed",       "args",
       "format",  "size",    "levels",   "filter",  "mip_filter", "wrap",       "border",
       "min_lod", "max_lod", "lod_bias", "compare", "reduction",  "coordinates"});
}

}  // namespace

Status ReadCompare(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                   BoundImage::Compare* compare) {
  const JsonNode* member = node.Find("compare");
  if (member == nullptr) return {};
  if (member->kind == Kind::kString && ParseCompare(member->text, compare)) return {};
  return fields.Refuse(*member, JsonPointer(pointer, "compare"),
                       "expected \"never\", \"less\", \"equal\", \"less_or_equal\", \"greater\", "
                       "\"not_equal\", \"greater_or_equal\" or \"always\"");
}

Status ReadImage(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                 InputValue* value) {
  ImageInput& image = *value->image;
  if (image.kind == BoundImage::kScene) return ReadScene(fields, node, pointer, &image);
  const bool has_texels = HasTexels(image.kind);
  Status status = CheckKeys(fields, node, pointer, image);
  if (status) {
    status = ReadChoice(fields, node, pointer, "filter", "nearest", "linear", &image.linear);
  }
  if (status) status = ReadMipSampling(fields, node, pointer, &image.mip);
  if (status) status = ReadWrap(fields, node, pointer, &image);
  if (status) status = ReadSampling(fields, node, pointer, &image);
  if (status) status = ReadImageCompare(fields, node, pointer, &image);
  if (status) status = ReadFormat(fields, node, pointer, value);
  if (status) status = ReadSamples(fields, node, pointer, &image);
  if (status) status = ReadSize(fields, node, pointer, &image);
  if (status) status = ReadLevels(fields, node, pointer, &image);
  if (status && has_texels) status = ReadTexels(fields, node, pointer, value);
  if (status) status = CheckDepths(fields, node, pointer, *value);
  return status;
}

}  // namespace input
}  // namespace refract
