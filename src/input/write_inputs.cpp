// SPDX-License-Identifier: Apache-2.0
// Writes shader.json. Equal values have equal text. Each uniform has its own line, so that a diff
// of two files is easy to read. Long lists are split over lines, so that editors can show them.
#include <bit>
#include <span>

#include "base/check.h"
#include "base/text.h"
#include "input/expected.h"
#include "input/input_func.h"
#include "input/inputs.h"
#include "input/json_text.h"
#include "input/scalar.h"

namespace refract {
inline namespace input {
namespace {

std::string ScalarText(const InputValue& value, uint64_t word) {
  if (value.scalar == InputValue::kFloat) return FloatText(word, value.width);
  if (value.scalar == InputValue::kUint) return format("{}", word);
  const uint32_t unused = 64 - value.width;
  return format("{}", static_cast<int64_t>(word << unused) >> unused);
}

std::string AddressText(const AddressInput& address) {
  if (address.buffer.empty()) return "null";
  // The last "+" begins the offset.
  const bool is_plain = address.offset == 0 && address.buffer.find('+') == std::string::npos;
  return JsonString(is_plain ? address.buffer : format("{}+{}", address.buffer, address.offset));
}

std::string ScalarList(const InputValue& value, ListForm form) {
  std::string list = "[";
  for (size_t i = 0; i < value.words.size(); ++i) {
    list += ListSeparator(i, value.words.size(), form);
    list += value.scalar == InputValue::kAddress ? AddressText(value.addresses[i])
                                                 : ScalarText(value, value.words[i]);
  }
  return list + "]";
}

// An array of more than this many equal elements is written as one element with "count".
// GraphicsFuzz's tools do not support "count", but write no arrays of this length.
constexpr uint32_t kMaxWrittenOut = 64;

std::string ListOf(const InputValue& value, ListForm form) {
  const size_t element = size_t{value.rows} * value.columns;
  if (value.count <= kMaxWrittenOut) return ScalarList(value, form);
  for (size_t i = element; i < value.words.size(); ++i) {
    if (value.words[i] != value.words[i - element]) return ScalarList(value, form);
  }
  for (const AddressInput& address : value.addresses) {
    if (!(address == value.addresses[0])) return ScalarList(value, form);
  }
  InputValue one = value;
  one.words.resize(element);
  if (!one.addresses.empty()) one.addresses.resize(1);
  return ScalarList(one, form);
}

// Nothing if the number is the default.
std::string LodText(std::string_view key, float lod, float plain) {
  if (lod == plain) return {};
  return format(", \"{}\": {}", key, FloatText(std::bit_cast<uint32_t>(lod), 32));
}

std::string ImageText(const InputValue& value, ListForm form) {
  const ImageInput& image = *value.image;
  std::string text = format("{{\"func\": \"{}\"", InputFunc(value));
  if (!image.texture.empty()) text += format(", \"texture\": {}", JsonString(image.texture));
  if (image.seed != 0) text += format(", \"seed\": {}", image.seed);
  if (!value.words.empty()) text += format(", \"args\": {}", ScalarList(value, form));
  if (image.format != spv::ImageFormat::Unknown) {
    const TexelFormat* format_row = FindTexelFormat(image.format);
    CHECK(format_row != nullptr);
    text += format(", \"format\": \"{}\"", format_row->name);
  }
  for (size_t i = 0; i < image.size.size(); ++i) {
    text += format("{}{}", i == 0 ? ", \"size\": [" : ", ", image.size[i]);
  }
  if (!image.size.empty()) text += "]";
  if (image.samples != 1 && image.samples != kDefaultSamples) {
    text += format(", \"samples\": {}", image.samples);
  }
  if (image.kind == BoundImage::kScene) {
    text += format(", \"scene\": {}", JsonString(SceneName(image.scene)));
  }
  if (image.levels != 1) text += format(", \"levels\": {}", image.levels);
  if (image.linear) text += ", \"filter\": \"linear\"";
  if (image.mip.linear) text += ", \"mip_filter\": \"linear\"";
  if (image.wrap != BoundImage::kRepeat) {
    text += format(", \"wrap\": \"{}\"", WrapName(image.wrap));
  }
  if (image.border != BoundImage::kTransparent) {
    text += format(", \"border\": \"{}\"", BorderName(image.border));
  }
  if (image.reduction != BoundImage::kWeightedAverage) {
    text += format(", \"reduction\": \"{}\"", ReductionName(image.reduction));
  }
  if (image.texel_coordinates) text += ", \"coordinates\": \"texels\"";
  const MipSampling plain;
  text += LodText("min_lod", image.mip.min_lod, plain.min_lod);
  text += LodText("max_lod", image.mip.max_lod, plain.max_lod);
  text += LodText("lod_bias", image.mip.bias, plain.bias);
  if (image.compare != BoundImage::kNone && image.compare != BoundImage::kLessOrEqual) {
    text += format(", \"compare\": \"{}\"", CompareName(image.compare));
  }
  return text;
}

std::string ElementsText(const InputValue& value, ListForm form) {
  CHECK(value.words.size() == value.elements());
  std::string text =
      format("\"func\": \"{}\", \"args\": {}", InputFunc(value), ListOf(value, form));
  // Otherwise all addresses are in the list.
  const bool in_list = value.scalar == InputValue::kAddress && value.count <= kMaxWrittenOut;
  if (value.count != 0 && !in_list) text += format(", \"count\": {}", value.count);
  return text;
}

std::string UniformText(const InputValue& value, ListForm form) {
  std::string text;
  if (value.image.has_value()) {
    text = ImageText(value, form);
  } else if (value.buffer_bytes != 0) {
    text = format("{{\"func\": \"buffer\", \"size\": {}", value.buffer_bytes);
  } else {
    text = "{" + ElementsText(value, form);
  }
  if (value.has_binding) text += format(", \"binding\": {}", value.binding);
  if (value.set != 0) text += format(", \"set\": {}", value.set);
  if (value.element.has_value()) text += format(", \"element\": {}", *value.element);
  if (!value.buffer.empty()) text += format(", \"buffer\": {}", JsonString(value.buffer));
  if (value.offset.has_value()) text += format(", \"offset\": {}", *value.offset);
  if (value.stride != 0) text += format(", \"stride\": {}", value.stride);
  if (value.push_constant) text += ", \"push_constant\": true";
  return text + "}";
}

std::string VerticesText(const VerticesInput& vertices, ListForm form) {
  std::string text = format("{{\"count\": {}", vertices.count);
  if (vertices.topology != BoundMesh::kTriangleList) {
    text += format(", \"topology\": \"{}\"", TopologyName(vertices.topology));
  }
  if (vertices.instances != 1) text += format(", \"instances\": {}", vertices.instances);
  if (!vertices.indices.empty()) {
    text += format(", \"indices\": {}", WordList(vertices.indices, form));
  }
  for (size_t i = 0; i < vertices.attributes.size(); ++i) {
    const AttributeInput& attribute = vertices.attributes[i];
    text += format("{}\n    {{\"location\": {}, {}{}}}", i == 0 ? ", \"attributes\": [" : ",",
                   attribute.location, ElementsText(attribute.value, form),
                   attribute.per_instance ? ", \"rate\": \"instance\"" : "");
  }
  return text + (vertices.attributes.empty() ? "}" : "]}");
}

std::string ComputeText(const ComputeInput& compute, ListForm form) {
  std::string text = format("{{\"num_groups\": [{}, {}, {}]", compute.groups[0], compute.groups[1],
                            compute.groups[2]);
  if (!compute.has_buffer) return text + "}";
  text += format(",\n    \"buffer\": {{\"binding\": {}", compute.binding);
  if (compute.set != 0) text += format(", \"set\": {}", compute.set);
  text += ", \"fields\": [";
  for (size_t i = 0; i < compute.fields.size(); ++i) {
    const InputValue& field = compute.fields[i];
    text += format("{}\n      {{\"type\": \"{}\", \"data\": {}}}", i == 0 ? "" : ",",
                   FieldTypeName(field), ScalarList(field, form));
  }
  return text + "]}}";
}

std::string SpecConstantText(const SpecConstant& constant) {
  switch (constant.kind) {
    case SpecConstant::kBool:
      return constant.bits != 0 ? "true" : "false";
    case SpecConstant::kReal:
      return FloatText(constant.bits, 64);
    case SpecConstant::kInteger:
      return constant.negative ? format("{}", static_cast<int64_t>(constant.bits))
                               : format("{}", constant.bits);
  }
  CHECK(false);
}

std::string LevelsText(std::span<const float> levels) {
  std::string text;
  for (const float level : levels) {
    text += (text.empty() ? "[" : ", ") + FloatText(std::bit_cast<uint32_t>(level), 32);
  }
  return text + "]";
}

std::string TessellationText(const TessellationInput& given) {
  return format("{{\"patch_vertices\": {}, \"domain\": \"{}\", \"outer\": {}, \"inner\": {}}}",
                given.patch_vertices, DomainName(given.domain), LevelsText(given.outer),
                LevelsText(given.inner));
}

}  // namespace

std::string WriteInputs(const Inputs& inputs, ListForm form) {
  std::string text;
  const auto add = [&text](std::string_view key, std::string_view value) {
    text += text.empty() ? "{" : ",";
    text += format("\n  {}: {}", JsonString(key), value);
  };
  for (const InputValue& value : inputs.values) add(value.name, UniformText(value, form));
  if (inputs.has_framebuffer) {
    const bool as_floats = inputs.float_target == spv::ImageFormat::Rgba32f;
    std::string more = as_floats ? ", \"format\": \"rgba32f\"" : "";
    if (inputs.samples > 1) more += format(", \"samples\": {}", inputs.samples);
    if (inputs.per_sample) more += ", \"per_sample\": true";
    add("$framebuffer",
        format("{{\"width\": {}, \"height\": {}{}}}", inputs.width, inputs.height, more));
  }
  if (inputs.depth) {
    add("$depth", format("{{\"clear\": {}, \"compare\": \"{}\"}}",
                         FloatText(std::bit_cast<uint32_t>(inputs.depth.clear), 32),
                         CompareName(inputs.depth.compare)));
  }
  if (inputs.has_grid) {
    add("$grid", format("{{\"dimensions\": [{}, {}]}}", inputs.grid_columns, inputs.grid_rows));
  }
  if (inputs.vertices.has_value()) add("$vertices", VerticesText(*inputs.vertices, form));
  if (inputs.tessellation) add("$tessellation", TessellationText(*inputs.tessellation));
  if (inputs.compute.has_value()) add("$compute", ComputeText(*inputs.compute, form));
  if (!inputs.spec_constants.empty()) {
    std::string list;
    for (const SpecConstant& constant : inputs.spec_constants) {
      list += format("{}\"{}\": {}", list.empty() ? "{" : ", ", constant.id,
                     SpecConstantText(constant));
    }
    add("$spec_constants", list + "}");
  }
  if (inputs.expected.has_value()) add("$expected", ExpectedText(*inputs.expected, form));
  return text.empty() ? "{}\n" : text + "\n}\n";
}

}  // namespace input
}  // namespace refract
