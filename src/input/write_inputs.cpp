// SPDX-License-Identifier: Apache-2.0
// Writing shader.json: the same text for the same value, one line per uniform so that a difference
// between two files reads well.
#include "base/check.h"
#include "base/text.h"
#include "input/inputs.h"
#include "input/json_text.h"
#include "input/scalar.h"

namespace refract {
namespace {

std::string ScalarText(const InputValue& value, uint64_t word) {
  if (value.scalar == InputValue::kFloat) return FloatText(word, value.width);
  if (value.scalar == InputValue::kUint) return format("{}", word);
  const uint32_t unused = 64 - value.width;
  return format("{}", static_cast<int64_t>(word << unused) >> unused);
}

std::string ScalarList(const InputValue& value) {
  std::string list;
  for (const uint64_t word : value.words) {
    list += list.empty() ? "[" : ", ";
    list += ScalarText(value, word);
  }
  return list.empty() ? "[]" : list + "]";
}

std::string_view Suffix(const InputValue& value) {
  const uint32_t width = value.width;
  switch (value.scalar) {
    case InputValue::kFloat:
      return width == 16 ? "f16" : width == 64 ? "d" : "f";
    case InputValue::kInt:
      return width == 8 ? "i8" : width == 16 ? "i16" : width == 64 ? "i64" : "i";
    case InputValue::kUint:
      return width == 8 ? "ui8" : width == 16 ? "ui16" : width == 64 ? "ui64" : "ui";
  }
  CHECK(false);
}

std::string UniformText(const InputValue& value) {
  std::string text;
  if (!value.texture.empty()) {
    text = format("{{\"func\": \"sampler{}D\", \"texture\": {}", value.texture_dimensions,
                  JsonString(value.texture));
  } else {
    CHECK(value.words.size() == value.elements());
    text = format("{{\"func\": \"{}\", \"args\": {}", InputFunc(value), ScalarList(value));
    if (value.count != 0) text += format(", \"count\": {}", value.count);
  }
  if (value.has_binding) text += format(", \"binding\": {}", value.binding);
  if (value.set != 0) text += format(", \"set\": {}", value.set);
  if (value.offset.has_value()) text += format(", \"offset\": {}", *value.offset);
  if (value.push_constant) text += ", \"push_constant\": true";
  return text + "}";
}

std::string_view FieldTypeName(const InputValue& field) {
  constexpr std::string_view kNames[3][4] = {{"float", "vec2", "vec3", "vec4"},
                                             {"int", "ivec2", "ivec3", "ivec4"},
                                             {"uint", "uvec2", "uvec3", "uvec4"}};
  constexpr std::string_view kWide[3] = {"double", "int64", "uint64"};
  return field.width == 64 ? kWide[field.scalar] : kNames[field.scalar][field.rows - 1];
}

std::string ComputeText(const ComputeInput& compute) {
  std::string text = format("{{\"num_groups\": [{}, {}, {}]", compute.groups[0], compute.groups[1],
                            compute.groups[2]);
  if (!compute.has_buffer) return text + "}";
  text += format(",\n    \"buffer\": {{\"binding\": {}", compute.binding);
  if (compute.set != 0) text += format(", \"set\": {}", compute.set);
  text += ", \"fields\": [";
  for (size_t i = 0; i < compute.fields.size(); ++i) {
    const InputValue& field = compute.fields[i];
    text += format("{}\n      {{\"type\": \"{}\", \"data\": {}}}", i == 0 ? "" : ",",
                   FieldTypeName(field), ScalarList(field));
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

}  // namespace

std::string InputFunc(const InputValue& value) {
  if (value.columns > 1) {
    const std::string rows = value.rows == value.columns ? "" : format("x{}", value.rows);
    return format("glUniformMatrix{}{}{}v", value.columns, rows, Suffix(value));
  }
  return format("glUniform{}{}{}", value.rows, Suffix(value), value.count != 0 ? "v" : "");
}

std::string WriteInputs(const Inputs& inputs) {
  std::string text;
  const auto add = [&text](std::string_view key, std::string_view value) {
    text += text.empty() ? "{" : ",";
    text += format("\n  {}: {}", JsonString(key), value);
  };
  for (const InputValue& value : inputs.values) add(value.name, UniformText(value));
  if (inputs.has_framebuffer) {
    add("$framebuffer", format("{{\"width\": {}, \"height\": {}}}", inputs.width, inputs.height));
  }
  if (inputs.has_grid) {
    add("$grid", format("{{\"dimensions\": [{}, {}]}}", inputs.grid_columns, inputs.grid_rows));
  }
  if (inputs.compute.has_value()) add("$compute", ComputeText(*inputs.compute));
  if (!inputs.spec_constants.empty()) {
    std::string list;
    for (const SpecConstant& constant : inputs.spec_constants) {
      list += format("{}\"{}\": {}", list.empty() ? "{" : ", ", constant.id,
                     SpecConstantText(constant));
    }
    add("$spec_constants", list + "}");
  }
  return text.empty() ? "{}\n" : text + "\n}\n";
}

}  // namespace refract
