// SPDX-License-Identifier: Apache-2.0
// Reading shader.json. Each function takes a node of the parsed text and the JSON pointer that
// leads to it, fills in one structure, and returns an error that names both.
#include "input/inputs.h"

#include <set>
#include <tuple>

#include "base/file.h"
#include "base/text.h"
#include "input/input_func.h"
#include "input/json_text.h"
#include "input/scalar.h"

namespace refract {
namespace {

using Kind = JsonNode::Kind;

constexpr uint64_t kMaxFileBytes = uint64_t{16} << 20;
constexpr uint32_t kMaxCount = 1u << 20;  // of an array
constexpr uint32_t kMaxSize = 16384;      // of a picture or a grid
constexpr uint32_t kMaxGroups = 65535;    // maxComputeWorkGroupCount every device has
constexpr uint32_t kMaxSet = 31;          // maxBoundDescriptorSets is 32 where it is large
constexpr uint32_t kMaxBinding = 0xffff;  // descriptor tables are as long as the binding
constexpr size_t kMaxNameBytes = 1024;

// Reads one file; keeps its name for errors.
class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  Result<Inputs> Read(const JsonNode& root);

 private:
  Error Refuse(const JsonNode& node, std::string_view pointer, std::string_view what) const {
    return Error{format("{}:{}: {}: {}", file_, node.line, pointer.empty() ? "/" : pointer, what)};
  }
  Status Object(const JsonNode& node, const std::string& pointer,
                std::initializer_list<std::string_view> keys) const;
  Status Number(const JsonNode& node, const std::string& pointer, uint32_t low, uint32_t high,
                uint32_t* number) const;
  Status Member(const JsonNode& parent, const std::string& pointer, std::string_view key,
                uint32_t low, uint32_t high, uint32_t* number) const;
  Status Numbers(const JsonNode& parent, const std::string& pointer, std::string_view key,
                 uint32_t low, uint32_t high, size_t count, uint32_t* numbers) const;
  Status Scalar(const JsonNode& node, const std::string& pointer, const InputValue& type,
                uint64_t* word) const;
  Status Scalars(const JsonNode& node, const std::string& pointer, InputValue* value) const;
  Status Place(const JsonNode& node, const std::string& pointer, InputValue* value) const;
  Status Uniform(const JsonNode& node, const std::string& pointer, InputValue* value) const;
  Status Texture(const JsonNode& node, const std::string& pointer, InputValue* value) const;
  Status Control(const std::string& key, const JsonNode& node, const std::string& pointer,
                 Inputs* inputs) const;
  Status Compute(const JsonNode& node, const std::string& pointer, ComputeInput* compute) const;
  Status Buffer(const JsonNode& node, const std::string& pointer, ComputeInput* compute) const;
  Status SpecConstants(const JsonNode& node, const std::string& pointer, Inputs* inputs) const;
  Status CheckPlaces(const JsonNode& root, const Inputs& inputs) const;

  const std::string& file_;
};

Status Reader::Object(const JsonNode& node, const std::string& pointer,
                      std::initializer_list<std::string_view> keys) const {
  if (node.kind != Kind::kObject) return Refuse(node, pointer, "expected an object");
  for (const auto& [key, member] : node.members) {
    bool known = false;
    for (const std::string_view candidate : keys) known = known || candidate == key;
    if (!known) return Refuse(member, JsonPointer(pointer, key), "unknown key");
  }
  return {};
}

Status Reader::Number(const JsonNode& node, const std::string& pointer, uint32_t low, uint32_t high,
                      uint32_t* number) const {
  if (node.kind != Kind::kInteger || node.integer < low || node.integer > high) {
    return Refuse(node, pointer, format("expected an integer from {} to {}", low, high));
  }
  *number = static_cast<uint32_t>(node.integer);
  return {};
}

Status Reader::Member(const JsonNode& parent, const std::string& pointer, std::string_view key,
                      uint32_t low, uint32_t high, uint32_t* number) const {
  const JsonNode* node = parent.Find(key);
  if (node == nullptr) return Refuse(parent, pointer, format("\"{}\" is missing", key));
  return Number(*node, JsonPointer(pointer, key), low, high, number);
}

Status Reader::Numbers(const JsonNode& parent, const std::string& pointer, std::string_view key,
                       uint32_t low, uint32_t high, size_t count, uint32_t* numbers) const {
  const JsonNode* node = parent.Find(key);
  if (node == nullptr) return Refuse(parent, pointer, format("\"{}\" is missing", key));
  const std::string where = JsonPointer(pointer, key);
  if (node->kind != Kind::kArray || node->items.size() != count) {
    return Refuse(*node, where, format("expected a list of {} integers", count));
  }
  for (size_t i = 0; i < count; ++i) {
    const std::string item = JsonPointer(where, format("{}", i));
    if (Status status = Number(node->items[i], item, low, high, &numbers[i]); !status) {
      return status;
    }
  }
  return {};
}

Status Reader::Scalar(const JsonNode& node, const std::string& pointer, const InputValue& type,
                      uint64_t* word) const {
  const uint64_t mask = type.width == 64 ? ~uint64_t{0} : (uint64_t{1} << type.width) - 1;
  if (type.scalar == InputValue::kFloat) {
    std::string text = node.text;
    if (node.kind == Kind::kInteger) {
      text = format("{}", node.integer);
    } else if (node.kind == Kind::kNegative) {
      text = format("{}", static_cast<int64_t>(node.integer));
    } else if (node.kind != Kind::kReal) {
      return Refuse(node, pointer, "expected a number");
    }
    if (ParseFloat(text, type.width, word)) return {};
    return Refuse(node, pointer, format("too large for a float of {} bits", type.width));
  }
  if (node.kind != Kind::kInteger && node.kind != Kind::kNegative) {
    return Refuse(node, pointer, "expected an integer");
  }
  const bool is_signed = type.scalar == InputValue::kInt;
  const bool negative = node.kind == Kind::kNegative;
  const uint64_t largest = is_signed ? mask >> 1 : mask;
  const bool fits = negative ? is_signed && ~node.integer <= largest : node.integer <= largest;
  if (!fits) {
    return Refuse(node, pointer,
                  format("does not fit into {} integer of {} bits",
                         is_signed ? "a signed" : "an unsigned", type.width));
  }
  *word = node.integer & mask;
  return {};
}

Status Reader::Scalars(const JsonNode& node, const std::string& pointer, InputValue* value) const {
  if (node.kind != Kind::kArray) return Refuse(node, pointer, "expected a list of numbers");
  value->words.resize(node.items.size());
  for (size_t i = 0; i < node.items.size(); ++i) {
    const std::string where = JsonPointer(pointer, format("{}", i));
    Status status = Scalar(node.items[i], where, *value, &value->words[i]);
    if (!status) return status;
  }
  return {};
}

// Where the value goes: set, binding, push_constant, offset.
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
    if (!value->has_binding) return Refuse(node, pointer, "a \"set\" without a \"binding\"");
    status = Member(node, pointer, "set", 0, kMaxSet, &value->set);
  }
  if (status && node.Find("offset") != nullptr) {
    if (!value->has_binding && !value->push_constant) {
      return Refuse(node, pointer, "an \"offset\" without a \"binding\" or \"push_constant\"");
    }
    value->offset = 0;
    status = Member(node, pointer, "offset", 0, 0x7fffffff, &*value->offset);
  }
  if (status && value->push_constant && value->has_binding) {
    return Refuse(node, pointer, "both a \"binding\" and a \"push_constant\"");
  }
  return status;
}

Status Reader::Texture(const JsonNode& node, const std::string& pointer, InputValue* value) const {
  const JsonNode* texture = node.Find("texture");
  if (texture == nullptr) return Refuse(node, pointer, "\"texture\" is missing");
  if (texture->kind != Kind::kString || texture->text != "DEFAULT") {
    return Refuse(*texture, JsonPointer(pointer, "texture"), "the only texture is \"DEFAULT\"");
  }
  for (const std::string_view key : {"args", "count", "offset", "push_constant"}) {
    if (node.Find(key) == nullptr) continue;
    return Refuse(node, JsonPointer(pointer, key), "not for a texture");
  }
  value->texture = texture->text;
  return Place(node, pointer, value);
}

Status Reader::Uniform(const JsonNode& node, const std::string& pointer, InputValue* value) const {
  Status status =
      Object(node, pointer,
             {"func", "args", "count", "binding", "set", "offset", "push_constant", "texture"});
  if (!status) return status;
  const JsonNode* func = node.Find("func");
  if (func == nullptr) return Refuse(node, pointer, "\"func\" is missing");
  bool is_array = false;
  if (func->kind != Kind::kString || !ParseInputFunc(func->text, value, &is_array)) {
    return Refuse(*func, JsonPointer(pointer, "func"),
                  "expected glUniform1f and the like, glUniformMatrix2fv and the like, sampler2D "
                  "or sampler3D");
  }
  if (func->text.starts_with("sampler")) return Texture(node, pointer, value);
  if (const JsonNode* texture = node.Find("texture")) {
    return Refuse(*texture, JsonPointer(pointer, "texture"), "only with sampler2D or sampler3D");
  }
  const JsonNode* args = node.Find("args");
  if (args == nullptr) return Refuse(node, pointer, "\"args\" is missing");
  const std::string args_pointer = JsonPointer(pointer, "args");
  if (status = Scalars(*args, args_pointer, value); !status) return status;
  if (node.Find("count") != nullptr) {
    if (!is_array && value->columns == 1) {
      return Refuse(node, JsonPointer(pointer, "count"), "only with a func that ends in v");
    }
    status = Member(node, pointer, "count", 1, kMaxCount, &value->count);
    if (!status) return status;
  } else if (is_array) {
    const size_t count = value->words.size() / value->rows;
    if (count < 1 || count > kMaxCount) {
      return Refuse(*args, args_pointer, format("expected 1 to {} elements", kMaxCount));
    }
    value->count = static_cast<uint32_t>(count);
  }
  if (value->words.size() != value->elements()) {
    return Refuse(
        *args, args_pointer,
        format("expected a list of {}, there are {}", value->elements(), value->words.size()));
  }
  return Place(node, pointer, value);
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
                    "expected int, uint, float, vec2 or the like");
    }
    const std::string data_pointer = JsonPointer(place, "data");
    if (status = Scalars(*data, data_pointer, &value); !status) return status;
    const size_t count = value.words.size() / value.rows;
    if (count * value.rows != value.words.size() || count < 1 || count > kMaxCount) {
      return Refuse(
          *data, data_pointer,
          format("expected a multiple of {} numbers, 1 to {} elements", value.rows, kMaxCount));
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
          return Refuse(value, where, "too large for a float of 64 bits");
        }
        break;
      default:
        return Refuse(value, where, "expected a number, true or false");
    }
  }
  return {};
}

Status Reader::Control(const std::string& key, const JsonNode& node, const std::string& pointer,
                       Inputs* inputs) const {
  if (key == "$framebuffer") {
    inputs->has_framebuffer = true;
    Status status = Object(node, pointer, {"width", "height"});
    if (status) status = Member(node, pointer, "width", 1, kMaxSize, &inputs->width);
    if (status) status = Member(node, pointer, "height", 1, kMaxSize, &inputs->height);
    return status;
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
  if (key == "$compute") return Compute(node, pointer, &inputs->compute.emplace());
  if (key == "$spec_constants") return SpecConstants(node, pointer, inputs);
  return Refuse(node, pointer,
                "expected $compute, $framebuffer, $grid or $spec_constants after a \"$\"");
}

// Two values for the same bytes are a mistake; overlapping ones are found against the module.
Status Reader::CheckPlaces(const JsonNode& root, const Inputs& inputs) const {
  std::set<std::tuple<bool, uint32_t, uint32_t, uint32_t>> offsets;
  for (const InputValue& value : inputs.values) {
    if (!value.offset.has_value()) continue;
    if (offsets.emplace(value.push_constant, value.set, value.binding, *value.offset).second) {
      continue;
    }
    return Refuse(*root.Find(value.name), JsonPointer("", value.name),
                  "another uniform has this offset");
  }
  return {};
}

Result<Inputs> Reader::Read(const JsonNode& root) {
  if (root.kind != Kind::kObject) return Refuse(root, "", "expected an object");
  Inputs inputs;
  for (const auto& [key, node] : root.members) {
    const std::string pointer = JsonPointer("", key);
    Status status;
    if (key.starts_with('$')) {
      status = Control(key, node, pointer, &inputs);
    } else if (key.empty() || key.size() > kMaxNameBytes || key.find('\0') != std::string::npos) {
      return Refuse(node, "/", format("a name has 1 to {} bytes, none of them 0", kMaxNameBytes));
    } else {
      InputValue& value = inputs.values.emplace_back();
      value.name = key;
      status = Uniform(node, pointer, &value);
    }
    if (!status) return status.error();
  }
  if (Status status = CheckPlaces(root, inputs); !status) return status.error();
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
  if (!root) return root.error();
  return Reader(file).Read(*root);
}

Result<Inputs> LoadInputs(const std::string& path) {
  Result<std::string> text = ReadFile(path, kMaxFileBytes);
  if (!text) return text.error();
  return ParseInputs(path, *text);
}

}  // namespace refract
