// SPDX-License-Identifier: Apache-2.0
#include "input/json_fields.h"

#include <bit>

#include "base/suggest.h"
#include "base/text.h"
#include "input/scalar.h"

namespace refract {
inline namespace input {

using Kind = JsonNode::Kind;

Error JsonFields::Refuse(const JsonNode& node, std::string_view pointer,
                         std::string_view what) const {
  return Error{format("{}:{}:{}: {}: {}", file_, node.line, node.column,
                      pointer.empty() ? "/" : pointer, what)};
}

Status JsonFields::Object(const JsonNode& node, const std::string& pointer,
                          std::initializer_list<std::string_view> keys) const {
  if (node.kind != Kind::kObject) return Refuse(node, pointer, "expected an object");
  for (const auto& [key, member] : node.members) {
    bool known = false;
    for (const std::string_view candidate : keys) known = known || candidate == key;
    if (known) continue;
    std::string names;
    for (const std::string_view candidate : keys) {
      names += format("{}{}", names.empty() ? "" : ", ", candidate);
    }
    return Refuse(member, JsonPointer(pointer, key),
                  format("unknown key; known keys: {}{}", names,
                         DidYouMean(key, std::span(keys.begin(), keys.size()))));
  }
  return {};
}

Status JsonFields::Number(const JsonNode& node, const std::string& pointer, uint32_t low,
                          uint32_t high, uint32_t* number) const {
  if (node.kind != Kind::kInteger || node.integer < low || node.integer > high) {
    return Refuse(node, pointer, format("expected an integer from {} to {}", low, high));
  }
  *number = static_cast<uint32_t>(node.integer);
  return {};
}

Status JsonFields::Member(const JsonNode& parent, const std::string& pointer, std::string_view key,
                          uint32_t low, uint32_t high, uint32_t* number) const {
  const JsonNode* node = parent.Find(key);
  if (node == nullptr) return Refuse(parent, pointer, format("\"{}\" is missing", key));
  return Number(*node, JsonPointer(pointer, key), low, high, number);
}

Status JsonFields::Numbers(const JsonNode& parent, const std::string& pointer, std::string_view key,
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

Status JsonFields::Float(const JsonNode& node, const std::string& pointer, float low, float high,
                         float* number) const {
  InputValue type;
  type.scalar = InputValue::kFloat;
  uint64_t bits = 0;
  if (Status status = Scalar(node, pointer, type, &bits); !status) return status;
  *number = std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (*number >= low && *number <= high) return {};
  return Refuse(node, pointer, format("expected a number from {} to {}", low, high));
}

Status JsonFields::Scalar(const JsonNode& node, const std::string& pointer, const InputValue& type,
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
    return Refuse(node, pointer,
                  format("the number is too large for a float of {} bits", type.width));
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
                  format("the number does not fit into {} integer of {} bits",
                         is_signed ? "a signed" : "an unsigned", type.width));
  }
  *word = node.integer & mask;
  return {};
}

// "NAME", "NAME+OFFSET" or null.
Status JsonFields::Address(const JsonNode& node, const std::string& pointer,
                           AddressInput* address) const {
  if (node.kind == Kind::kNull) return {};
  if (node.kind != Kind::kString || node.text.empty()) {
    return Refuse(node, pointer, "expected the name of a buffer, NAME+OFFSET or null");
  }
  address->buffer = node.text;
  const size_t plus = node.text.rfind('+');
  if (plus == std::string::npos) return {};
  uint64_t offset = 0;
  if (plus == 0 || !ParseNumber(std::string_view(node.text).substr(plus + 1), &offset) ||
      offset > kMaxBufferBytes) {
    return Refuse(node, pointer,
                  format("expected NAME+OFFSET with an offset up to {}", kMaxBufferBytes));
  }
  address->buffer.resize(plus);
  address->offset = static_cast<uint32_t>(offset);
  return {};
}

Status JsonFields::Scalars(const JsonNode& node, const std::string& pointer,
                           InputValue* value) const {
  if (node.kind != Kind::kArray) return Refuse(node, pointer, "expected a list of numbers");
  value->words.resize(node.items.size());
  if (value->scalar == InputValue::kAddress) value->addresses.resize(node.items.size());
  for (size_t i = 0; i < node.items.size(); ++i) {
    const std::string where = JsonPointer(pointer, format("{}", i));
    Status status = value->scalar == InputValue::kAddress
                        ? Address(node.items[i], where, &value->addresses[i])
                        : Scalar(node.items[i], where, *value, &value->words[i]);
    if (!status) return status;
  }
  return {};
}

Status JsonFields::Words(const JsonNode& parent, const std::string& pointer, std::string_view key,
                         std::vector<uint32_t>* words) const {
  const JsonNode* list = parent.Find(key);
  if (list == nullptr) return Refuse(parent, pointer, format("\"{}\" is missing", key));
  InputValue value;
  value.scalar = InputValue::kUint;
  if (Status read = Scalars(*list, JsonPointer(pointer, key), &value); !read) return read;
  words->assign(value.words.begin(), value.words.end());
  return {};
}

Status JsonFields::Elements(const JsonNode& node, const std::string& pointer, bool is_array,
                            InputValue* value) const {
  const JsonNode* args = node.Find("args");
  if (args == nullptr) return Refuse(node, pointer, "\"args\" is missing");
  const std::string args_pointer = JsonPointer(pointer, "args");
  Status status = Scalars(*args, args_pointer, value);
  if (!status) return status;
  const size_t element = size_t{value->rows} * value->columns;
  if (node.Find("count") != nullptr) {
    if (!is_array && value->columns == 1) {
      return Refuse(node, JsonPointer(pointer, "count"),
                    "\"count\" needs a \"func\" that ends in v");
    }
    status = Member(node, pointer, "count", 1, kMaxArrayElements, &value->count);
    if (!status) return status;
    if (value->words.size() == element) {
      value->words.reserve(element * value->count);
      if (!value->addresses.empty()) value->addresses.resize(value->count, value->addresses[0]);
      while (value->words.size() < element * value->count) {
        value->words.push_back(value->words[value->words.size() - element]);
      }
    }
  } else if (is_array) {
    const size_t count = value->words.size() / element;
    if (count < 1 || count > kMaxArrayElements) {
      return Refuse(*args, args_pointer, format("expected 1 to {} elements", kMaxArrayElements));
    }
    value->count = static_cast<uint32_t>(count);
  }
  if (value->words.size() == value->elements()) return {};
  return Refuse(*args, args_pointer,
                format("wrong number of values: expected {}, found {}", value->elements(),
                       value->words.size()));
}

}  // namespace input
}  // namespace refract
