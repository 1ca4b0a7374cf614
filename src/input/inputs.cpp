// SPDX-License-Identifier: Apache-2.0
// Reads shader.json. Each function takes a node of the parsed text and its JSON pointer, fills one
// structure, and returns errors that give the line and the pointer.
#include "input/inputs.h"

#include <bit>
#include <limits>
#include <set>
#include <tuple>

#include "base/diagnostic.h"
#include "base/file.h"
#include "base/text.h"
#include "input/expected.h"
#include "input/input_func.h"
#include "input/json_fields.h"
#include "input/json_text.h"
#include "input/scalar.h"

namespace refract {
inline namespace input {
namespace {

using Kind = JsonNode::Kind;

constexpr uint64_t kMaxFileBytes = uint64_t{16} << 20;
constexpr uint32_t kMaxSize = 16384;    // width and height of a frame or a grid
constexpr uint32_t kMaxGroups = 65535;  // maxComputeWorkGroupCount of every device
// The largest maxBoundDescriptorSets of devices is 32.
constexpr uint32_t kMaxSet = 31;
// A descriptor table is as long as its highest binding.
constexpr uint32_t kMaxBinding = 0xffff;

// Reads one file.
class Reader : JsonFields {
 public:
  explicit Reader(const std::string& file) : JsonFields(file) {}

  Result<Inputs> Read(const JsonNode& root);

 private:
  Status Place(const JsonNode& node, const std::string& pointer, InputValue* value) const;
  Status Uniform(const JsonNode& node, const std::string& pointer, InputValue* value) const;
  Status Buffer(const JsonNode& node, const std::string& pointer, InputValue* value) const;
  Status Control(const std::string& key, const JsonNode& node, const std::string& pointer,
                 Inputs* inputs) const;
  Status Samples(const JsonNode& node, const std::string& pointer, Inputs* inputs) const;
  Status Compute(const JsonNode& node, const std::string& pointer, ComputeInput* compute) const;
  Status Buffer(const JsonNode& node, const std::string& pointer, ComputeInput* compute) const;
  Status SpecConstants(const JsonNode& node, const std::string& pointer, Inputs* inputs) const;
  Status CheckPlaces(const JsonNode& root, const Inputs& inputs) const;
};

// Reads where the value goes: set, binding, element, push_constant, buffer, offset and stride.
Status Reader::Place(const JsonNode& node, const std::string& pointer, InputValue* value) const {
  Status status;
  if (const JsonNode* member = node.Find("push_constant")) {
    if (member->kind != Kind::kBool) {
      return Refuse(*member, JsonPointer(pointer, "push_constant"), "expected true or false");
    }
    value->push_constant = member->boolean;
  }
  if (node.Find("binding") != nullptr) {
    status = Member(node, pointer, "binding", 0, kMaxBinding, &value->binding);
    value->has_binding = true;
  }
  if (status && node.Find("set") != nullptr) {
    if (!value->has_binding) return Refuse(node, pointer, "\"set\" needs a \"binding\"");
    status = Member(node, pointer, "set", 0, kMaxSet, &value->set);
  }
  if (status && node.Find("element") != nullptr) {
    if (!value->has_binding) return Refuse(node, pointer, "\"element\" needs a \"binding\"");
    status = Member(node, pointer, "element", 0, kMaxDescriptors - 1, &value->element.emplace());
  }
  if (const JsonNode* member = node.Find("buffer"); status && member != nullptr) {
    if (member->kind != Kind::kString || member->text.empty()) {
      return Refuse(*member, JsonPointer(pointer, "buffer"), "expected the name of a buffer");
    }
    if (value->has_binding || value->push_constant) {
      return Refuse(node, pointer,
                    "\"buffer\" cannot be used together with \"binding\" or \"push_constant\"");
    }
    value->buffer = member->text;
    value->offset = 0;
  }
  if (status && node.Find("stride") != nullptr) {
    if (value->buffer.empty()) return Refuse(node, pointer, "\"stride\" needs a \"buffer\"");
    status = Member(node, pointer, "stride", 1, kMaxBufferBytes, &value->stride);
  }
  if (status && node.Find("offset") != nullptr) {
    if (!value->has_binding && !value->push_constant && value->buffer.empty()) {
      return Refuse(node, pointer,
                    "\"offset\" needs a \"binding\", a \"buffer\" or \"push_constant\"");
    }
    value->offset = 0;
    status = Member(node, pointer, "offset", 0, 0x7fffffff, &*value->offset);
  }
  if (status && value->push_constant && value->has_binding) {
    return Refuse(node, pointer, "\"binding\" and \"push_constant\" cannot be used together");
  }
  return status;
}

Status Reader::Buffer(const JsonNode& node, const std::string& pointer, InputValue* value) const {
  Status status = Object(node, pointer, {"func", "size", "binding", "set", "element"});
  uint32_t bytes = 0;
  if (status) status = Member(node, pointer, "size", 1, kMaxBufferBytes, &bytes);
  value->buffer_bytes = bytes;
  return status ? Place(node, pointer, value) : status;
}

Status Reader::Uniform(const JsonNode& node, const std::string& pointer, InputValue* value) const {
  if (node.kind != Kind::kObject) return Refuse(node, pointer, "expected an object");
  const JsonNode* func = node.Find("func");
  if (func == nullptr) return Refuse(node, pointer, "\"func\" is missing");
  if (func->kind == Kind::kString && func->text == "buffer") return Buffer(node, pointer, value);
  bool is_array = false;
  if (func->kind != Kind::kString || !ParseInputFunc(func->text, value, &is_array)) {
    return Refuse(*func, JsonPointer(pointer, "func"),
                  "expected a name such as glUniform1f, glUniformMatrix2fv, sampler2D, texture2D "
                  "or image2D, or sampler, subpassInput, accelerationStructure, buffer or address");
  }
  Status status;
  if (value->image.has_value()) {
    status = ReadImage(*this, node, pointer, value);
  } else {
    status = Object(node, pointer,
                    {"func", "args", "count", "binding", "set", "element", "buffer", "offset",
                     "stride", "push_constant"});
    if (status) status = Elements(node, pointer, is_array, value);
  }
  return status ? Place(node, pointer, value) : status;
}

Status Reader::Buffer(const JsonNode& node, const std::string& pointer,
                      ComputeInput* compute) const {
  Status status = Object(node, pointer, {"binding", "set", "fields"});
  if (status) status = Member(node, pointer, "binding", 0, kMaxBinding, &compute->binding);
  if (status && node.Find("set") != nullptr) {
    status = Member(node, pointer, "set", 0, kMaxSet, &compute->set);
  }
  if (!status) return status;
  compute->has_buffer = true;
  const std::string where = JsonPointer(pointer, "fields");
  const JsonNode* fields = node.Find("fields");
  if (fields == nullptr) return Refuse(node, pointer, "\"fields\" is missing");
  if (fields->kind != Kind::kArray) return Refuse(*fields, where, "expected a list of fields");
  for (size_t i = 0; i < fields->items.size(); ++i) {
    const JsonNode& item = fields->items[i];
    const std::string place = JsonPointer(where, format("{}", i));
    if (status = Object(item, place, {"type", "data"}); !status) return status;
    const JsonNode* type = item.Find("type");
    const JsonNode* data = item.Find("data");
    if (type == nullptr || data == nullptr) {
      return Refuse(item, place, "expected \"type\" and \"data\"");
    }
    InputValue& value = compute->fields.emplace_back();
    if (!ParseFieldType(type->text, &value)) {
      return Refuse(*type, JsonPointer(place, "type"),
                    "expected a type such as int, uint, float or vec2");
    }
    const std::string data_pointer = JsonPointer(place, "data");
    if (status = Scalars(*data, data_pointer, &value); !status) return status;
    const size_t count = value.words.size() / value.rows;
    if (count * value.rows != value.words.size() || count < 1 || count > kMaxArrayElements) {
      return Refuse(*data, data_pointer,
                    format("expected {} numbers for each element, and 1 to {} elements", value.rows,
                           kMaxArrayElements));
    }
    value.count = static_cast<uint32_t>(count);
  }
  return {};
}

Status Reader::Compute(const JsonNode& node, const std::string& pointer,
                       ComputeInput* compute) const {
  Status status = Object(node, pointer, {"num_groups", "buffer"});
  if (status) status = Numbers(node, pointer, "num_groups", 1, kMaxGroups, 3, compute->groups);
  const JsonNode* buffer = node.Find("buffer");
  if (!status || buffer == nullptr) return status;
  return Buffer(*buffer, JsonPointer(pointer, "buffer"), compute);
}

Status Reader::SpecConstants(const JsonNode& node, const std::string& pointer,
                             Inputs* inputs) const {
  if (node.kind != Kind::kObject) return Refuse(node, pointer, "expected an object");
  std::set<uint32_t> ids;
  for (const auto& [key, value] : node.members) {
    const std::string where = JsonPointer(pointer, key);
    uint64_t id = 0;
    if (!ParseNumber(key, &id) || id > 0xffffffffu) {
      return Refuse(value, where, "the key is not a SpecId");
    }
    if (!ids.insert(static_cast<uint32_t>(id)).second) return Refuse(value, where, "twice");
    SpecConstant& constant = inputs->spec_constants.emplace_back();
    constant.id = static_cast<uint32_t>(id);
    switch (value.kind) {
      case Kind::kBool:
        constant.kind = SpecConstant::kBool;
        constant.bits = value.boolean ? 1 : 0;
        break;
      case Kind::kInteger:
      case Kind::kNegative:
        constant.negative = value.kind == Kind::kNegative;
        constant.bits = value.integer;
        break;
      case Kind::kReal:
        constant.kind = SpecConstant::kReal;
        if (!ParseFloat(value.text, 64, &constant.bits)) {
          return Refuse(value, where, "the number is too large for a float of 64 bits");
        }
        break;
      default:
        return Refuse(value, where, "expected a number, true or false");
    }
  }
  return {};
}

// The keys of "$framebuffer" for several samples.
Status Reader::Samples(const JsonNode& node, const std::string& pointer, Inputs* inputs) const {
  if (node.Find("samples") != nullptr) {
    Status status = Member(node, pointer, "samples", 1, kMostFrameSamples, &inputs->samples);
    if (!status) return status;
  }
  if (!std::has_single_bit(inputs->samples)) {
    return Refuse(*node.Find("samples"), JsonPointer(pointer, "samples"), "expected 1, 2, 4 or 8");
  }
  const JsonNode* each = node.Find("per_sample");
  if (each == nullptr) return {};
  if (each->kind != Kind::kBool) {
    return Refuse(*each, JsonPointer(pointer, "per_sample"), "expected true or false");
  }
  inputs->per_sample = each->boolean;
  if (inputs->per_sample && inputs->samples == 1) {
    return Refuse(*each, JsonPointer(pointer, "per_sample"),
                  "a frame with one sample has no such key");
  }
  return {};
}

Status Reader::Control(const std::string& key, const JsonNode& node, const std::string& pointer,
                       Inputs* inputs) const {
  if (key == "$framebuffer") {
    inputs->has_framebuffer = true;
    Status status = Object(node, pointer, {"width", "height", "format", "samples", "per_sample"});
    if (status) status = Member(node, pointer, "width", 1, kMaxSize, &inputs->width);
    if (status) status = Member(node, pointer, "height", 1, kMaxSize, &inputs->height);
    if (status) status = Samples(node, pointer, inputs);
    const JsonNode* target = node.Find("format");
    if (!status || target == nullptr) return status;
    if (target->kind != Kind::kString || (target->text != "rgba8" && target->text != "rgba32f")) {
      return Refuse(*target, JsonPointer(pointer, "format"), "expected \"rgba8\" or \"rgba32f\"");
    }
    inputs->float_target = FindTexelFormat(target->text)->format;
    return status;
  }
  if (key == "$depth") {
    inputs->depth.compare = BoundImage::kLessOrEqual;
    Status status = Object(node, pointer, {"clear", "compare"});
    if (const JsonNode* clear = node.Find("clear"); status && clear != nullptr) {
      status = Float(*clear, JsonPointer(pointer, "clear"), 0, 1, &inputs->depth.clear);
      if (status && inputs->depth.clear > 0 &&
          inputs->depth.clear < std::numeric_limits<float>::min()) {
        return Refuse(*clear, JsonPointer(pointer, "clear"),
                      "a denormal number, which devices may replace by 0");
      }
    }
    return status ? ReadCompare(*this, node, pointer, &inputs->depth.compare) : status;
  }
  if (key == "$grid") {
    inputs->has_grid = true;
    uint32_t dimensions[2] = {};
    Status status = Object(node, pointer, {"dimensions"});
    if (status) status = Numbers(node, pointer, "dimensions", 1, kMaxSize, 2, dimensions);
    inputs->grid_columns = dimensions[0];
    inputs->grid_rows = dimensions[1];
    return status;
  }
  if (key == "$vertices") {
    return ReadVertices(*this, node, pointer, &inputs->vertices.emplace());
  }
  if (key == "$tessellation") {
    return ReadTessellation(*this, node, pointer, &inputs->tessellation.emplace());
  }
  if (key == "$compute") return Compute(node, pointer, &inputs->compute.emplace());
  if (key == "$spec_constants") return SpecConstants(node, pointer, inputs);
  if (key == "$expected") {
    return ReadExpected(*this, node, pointer, &inputs->expected.emplace());
  }
  return Refuse(node, pointer,
                "unknown section; expected $compute, $depth, $expected, $framebuffer, "
                "$grid, $spec_constants, $tessellation or $vertices");
}

// Refuses two values at the same offset. Values that overlap are found later, with the module.
Status Reader::CheckPlaces(const JsonNode& root, const Inputs& inputs) const {
  std::set<std::tuple<std::string, bool, uint32_t, uint32_t, std::optional<uint32_t>, uint32_t>>
      offsets;
  for (const InputValue& value : inputs.values) {
    if (!value.offset.has_value()) continue;
    const bool is_new = offsets
                            .emplace(value.buffer, value.push_constant, value.set, value.binding,
                                     value.element, *value.offset)
                            .second;
    if (is_new) continue;
    return Refuse(*root.Find(value.name), JsonPointer("", value.name),
                  "another uniform has the same offset");
  }
  return {};
}

Result<Inputs> Reader::Read(const JsonNode& root) {
  if (root.kind != Kind::kObject) return Refuse(root, "", "expected an object");
  Inputs inputs;
  size_t scalars = 0;
  for (const auto& [key, node] : root.members) {
    const std::string pointer = JsonPointer("", key);
    Status status;
    if (key.starts_with('$')) {
      status = Control(key, node, pointer, &inputs);
    } else if (key.empty() || key.size() > kMaxInputNameBytes ||
               key.find('\0') != std::string::npos) {
      return Refuse(node, "/",
                    format("the name must have 1 to {} bytes, none of them 0", kMaxInputNameBytes));
    } else {
      InputValue& value = inputs.values.emplace_back();
      value.name = key;
      status = Uniform(node, pointer, &value);
      scalars += value.words.size();
      if (status && scalars > kMaxInputScalars) {
        status =
            Refuse(node, pointer, format("the file has more than {} scalars", kMaxInputScalars));
      }
    }
    if (!status) return status.error();
  }
  if (Status status = CheckPlaces(root, inputs); !status) return status.error();
  if (inputs.has_grid && inputs.vertices) {
    return Refuse(*root.Find("$vertices"), JsonPointer("", "$vertices"),
                  "$grid and $vertices cannot be used together");
  }
  return inputs;
}

}  // namespace

const InputValue* Inputs::Find(std::string_view name) const {
  for (const InputValue& value : values) {
    if (value.name == name) return &value;
  }
  return nullptr;
}

Result<Inputs> ParseInputs(const std::string& file, std::string_view text) {
  Result<JsonNode> root = ParseJson(file, text);
  if (!root) return WithSource(root.error(), file, text);
  Result<Inputs> inputs = Reader(file).Read(*root);
  if (!inputs) return WithSource(inputs.error(), file, text);
  return inputs;
}

Result<Inputs> LoadInputs(const std::string& path) {
  Result<std::string> text = ReadFile(path, kMaxFileBytes);
  if (!text) return text.error();
  return ParseInputs(path, *text);
}

}  // namespace input
}  // namespace refract
