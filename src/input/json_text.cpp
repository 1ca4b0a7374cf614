// SPDX-License-Identifier: Apache-2.0
#include "input/json_text.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace refract {
inline namespace input {
namespace {

// Limits. Real files have less than 100 KiB and are nested five deep.
constexpr size_t kMaxTextBytes = size_t{16} << 20;
constexpr size_t kMaxNesting = 32;
constexpr size_t kMaxNodes = size_t{1} << 20;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// An iterator over the text that records how far the parser has read.
struct Cursor {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  const char** reached = nullptr;

  reference operator*() const { return *at; }
  Cursor& operator++() {
    *reached = ++at;
    return *this;
  }
  Cursor operator++(int) {
    Cursor before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Cursor& other) const { return at == other.at; }
  bool operator!=(const Cursor& other) const { return at != other.at; }
};

// Receives the events of nlohmann's parser. A false result ends the parse; error_ has the reason.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(const std::string& file, std::string_view text) : file_(file), text_(text) {
    reached_ = line_begin_ = scanned_ = after_ = text.data();
    if (text.starts_with(kByteOrderMark)) after_ += kByteOrderMark.size();
  }

  const char** reached() { return &reached_; }
  Error TakeError() { return Error{std::move(error_)}; }
  JsonNode TakeRoot() { return std::move(root_); }

  bool null() override { return Add(JsonNode::Kind::kNull) != nullptr; }
  bool boolean(bool value) override {
    JsonNode* node = Add(JsonNode::Kind::kBool);
    if (node != nullptr) node->boolean = value;
    return node != nullptr;
  }
  bool number_integer(number_integer_t value) override {
    // The library passes every number with a minus sign here, even "-0".
    return AddInteger(value < 0 ? JsonNode::Kind::kNegative : JsonNode::Kind::kInteger,
                      static_cast<uint64_t>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return AddInteger(JsonNode::Kind::kInteger, value);
  }
  bool number_float(number_float_t, const string_t& text) override {
    return AddText(JsonNode::Kind::kReal, text);
  }
  bool string(string_t& value) override { return AddText(JsonNode::Kind::kString, value); }
  bool binary(binary_t&) override { return Fail(TakeColumn(), "binary data is not allowed"); }
  bool start_object(size_t) override { return Open(JsonNode::Kind::kObject); }
  bool start_array(size_t) override { return Open(JsonNode::Kind::kArray); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(string_t& name) override {
    const uint32_t column = TakeColumn();
    if (!keys_.back().insert(name).second) {
      return Fail(column, format("duplicate key {}", JsonString(name)));
    }
    key_ = name;
    return true;
  }

  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception& exception) override {
    // The library's text ends in "...column N: REASON". Only REASON is kept, in printable
    // characters.
    std::string what = exception.what();
    const size_t column = what.find("column ");
    const size_t colon = what.find(": ", column == std::string::npos ? 0 : column);
    if (colon != std::string::npos) what.erase(0, colon + 2);
    for (char& c : what) {
      if (c < ' ' || c > '~') c = '?';
    }
    if (what.size() > 200) what.resize(200);
    reached_ = text_.data() + std::min(position, text_.size());
    const size_t line = Line();
    error_ = format("{}:{}:{}: invalid JSON: {}", file_, line, Column(), what);
    return false;
  }

 private:
  // Counts the lines up to where the parser has read. The parser never goes back, so each character
  // is visited once, however long the line is. The last character read is left for the next call:
  // the parser recognises the end of a number only by the next character, which may be the end of
  // the line.
  uint32_t Line() {
    for (; scanned_ + 1 < reached_; ++scanned_) {
      if (*scanned_ != '\n') continue;
      line_begin_ = scanned_ + 1;
      ++line_;
    }
    return line_;
  }
  std::ptrdiff_t Column() const { return std::max<std::ptrdiff_t>(reached_ - line_begin_, 1); }

  // Returns the column at which the value or key began that the parser has just read. It begins
  // after the previous value, key or bracket and the separators that follow.
  uint32_t TakeColumn() {
    constexpr std::string_view kBetween = " \t\r\n,:";
    const char* begin = after_;
    while (begin < reached_ && kBetween.find(*begin) != std::string_view::npos) ++begin;
    after_ = reached_;
    Line();
    return begin < line_begin_ ? 1 : static_cast<uint32_t>(begin - line_begin_) + 1;
  }

  bool Fail(uint32_t column, std::string_view what) {
    error_ = format("{}:{}:{}: {}", file_, Line(), column, what);
    return false;
  }

  JsonNode* Add(JsonNode::Kind kind) {
    const uint32_t column = TakeColumn();
    if (++nodes_ > kMaxNodes) {
      Fail(column, format("the file has more than {} values", kMaxNodes));
      return nullptr;
    }
    JsonNode* node = &root_;
    if (!open_.empty()) {
      JsonNode& parent = *open_.back();
      if (parent.kind == JsonNode::Kind::kArray) {
        node = &parent.items.emplace_back();
      } else {
        node = &parent.members.emplace_back(JsonMember{std::move(key_), JsonNode()}).value;
      }
    }
    node->kind = kind;
    node->line = Line();
    node->column = column;
    return node;
  }
  bool AddInteger(JsonNode::Kind kind, uint64_t value) {
    JsonNode* node = Add(kind);
    if (node != nullptr) node->integer = value;
    return node != nullptr;
  }
  bool AddText(JsonNode::Kind kind, const std::string& text) {
    JsonNode* node = Add(kind);
    if (node != nullptr) node->text = text;
    return node != nullptr;
  }
  // The vector of a parent does not grow while a child is open, so the pointers in open_ stay
  // valid.
  bool Open(JsonNode::Kind kind) {
    if (open_.size() >= kMaxNesting) {
      return Fail(TakeColumn(),
                  format("lists and objects are nested more than {} levels deep", kMaxNesting));
    }
    JsonNode* node = Add(kind);
    if (node == nullptr) return false;
    open_.push_back(node);
    keys_.emplace_back();
    return true;
  }
  bool Close() {
    after_ = reached_;
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  const std::string& file_;
  std::string_view text_;
  const char* reached_;
  const char* line_begin_;
  const char* scanned_;  // the newlines before it are counted
  const char* after_;    // the end of the last value, key or bracket
  uint32_t line_ = 1;
  size_t nodes_ = 0;
  JsonNode root_;
  std::string key_;
  std::vector<JsonNode*> open_;
  std::vector<std::set<std::string>> keys_;
  std::string error_;
};

}  // namespace

const JsonNode* JsonNode::Find(std::string_view key) const {
  for (const auto& [name, node] : members) {
    if (name == key) return &node;
  }
  return nullptr;
}

Result<JsonNode> ParseJson(const std::string& file, std::string_view text) {
  if (text.size() > kMaxTextBytes) {
    return Error{format("{}: larger than the limit of {} bytes", file, kMaxTextBytes)};
  }
  TreeBuilder builder(file, text);
  const Cursor begin{text.data(), builder.reached()};
  const Cursor end{text.data() + text.size(), builder.reached()};
  if (!nlohmann::json::sax_parse(begin, end, &builder)) return builder.TakeError();
  return builder.TakeRoot();
}

std::string JsonString(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string_view ListSeparator(size_t index, size_t count, ListForm form) {
  constexpr size_t kMaxOnOneLine = 64, kPerLine = 16;
  const bool breaks = form == ListForm::kLines && count > kMaxOnOneLine && index % kPerLine == 0;
  if (index == 0) return breaks ? "\n    " : "";
  return breaks ? ",\n    " : ", ";
}

std::string WordList(const std::vector<uint32_t>& words, ListForm form) {
  std::string list = "[";
  for (size_t i = 0; i < words.size(); ++i) {
    list += ListSeparator(i, words.size(), form);
    list += format("{}", words[i]);
  }
  return list + "]";
}

std::string JsonPointer(std::string_view parent, std::string_view key) {
  std::string pointer(parent);
  pointer += '/';
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
  return pointer;
}

}  // namespace input
}  // namespace refract
