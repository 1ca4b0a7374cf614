// SPDX-License-Identifier: Apache-2.0
#include "shrink/simpler_messages.h"

#include <algorithm>

#include "message/fields.h"
#include "message/values.h"

namespace refract {
inline namespace shrink {
namespace {

using message::Constant;
using message::Literal;
using message::Type;
using TypeKind = Type::Kind;

// Counts the possible changes and makes the one with the number `wanted`.
class ChangeVisitor : public message::FieldVisitor {
 public:
  static constexpr size_t kNone = static_cast<size_t>(-1);
  explicit ChangeVisitor(size_t wanted) : wanted_(wanted) {}
  size_t count() const { return count_; }

 protected:
  bool IsWanted() { return count_++ == wanted_; }
  void Number(uint64_t value, const std::function<void(uint64_t)>& set) {
    if (value > 0 && IsWanted()) set(0);
    if (value > 1 && IsWanted()) set(1);
    if (value > 3 && IsWanted()) set(value / 2);
  }

 private:
  const size_t wanted_;
  size_t count_ = 0;
};

class SmallerVisitor : public ChangeVisitor {
 public:
  using ChangeVisitor::ChangeVisitor;

  bool Enter(std::string_view type, void* message) override {
    // Bodies of functions are shrunk as functions (donated_function_module.h).
    if (type == "DonatedBlock" || type == "DonatedParameter") return false;
    if (type == "AddFunction") is_function_ = true;
    if (type == "Constant" || type == "Literal") return false;
    if (type != "Type") return true;
    if (!is_function_) PartOf(*static_cast<Type*>(message));
    return false;
  }
  void Visit(bool& value) override {
    if (value && IsWanted()) value = false;
  }
  void Visit(uint32_t& value) override {
    Number(value, [&](uint64_t other) { value = static_cast<uint32_t>(other); });
  }
  void Visit(uint64_t& value) override {
    // The origin of a donated function identifies it, so it must stay.
    if (!is_function_) Number(value, [&](uint64_t other) { value = other; });
  }
  void Visit(std::string& value) override {
    if (!value.empty() && IsWanted()) value.clear();
  }
  void Visit(Name& value) override {
    if (value && IsWanted()) value = {};
  }
  void VisitEnum(int32_t& value, std::span<const int32_t> values) override {
    const auto at = std::find(values.begin(), values.end(), value);
    for (auto plainer = values.begin(); plainer != at && plainer != values.end(); ++plainer) {
      if (IsWanted()) value = *plainer;
    }
  }
  void VisitList(size_t size, const Erase& erase) override {
    if (is_function_) return;
    if (size > 1 && IsWanted()) erase(0, size);
    if (size > 3 && IsWanted()) erase(size / 2, size - size / 2);
    if (size > 3 && IsWanted()) erase(0, size / 2);
    for (size_t i = size; i-- > 0;) {
      if (IsWanted()) erase(i, 1);
    }
  }

 private:
  // Replaces a composite type, or the type that a pointer points to, by one of its parts.
  void PartOf(Type& type) {
    Type* composite = &type;
    while (composite->kind == TypeKind::kPointer && !composite->parts.empty()) {
      composite = &composite->parts[0];
    }
    const bool has_parts =
        composite->kind == TypeKind::kVector || composite->kind == TypeKind::kMatrix ||
        composite->kind == TypeKind::kArray || composite->kind == TypeKind::kStruct;
    if (!has_parts) return;
    for (size_t i = 0; i < composite->parts.size(); ++i) {
      if (!IsWanted()) continue;
      const Type part = composite->parts[i];
      *composite = part;
      return;
    }
  }

  bool is_function_ = false;
};

class PlainerVisitor : public ChangeVisitor {
 public:
  PlainerVisitor(size_t wanted, const PlainerNames& names) : ChangeVisitor(wanted), names_(names) {}

  bool Enter(std::string_view type, void* message) override {
    if (type == "DonatedBlock" || type == "Type") return false;
    if (type == "Literal") {
      Words(static_cast<Literal*>(message)->words, 1);
      return false;
    }
    if (type != "Constant") return true;
    Value(*static_cast<Constant*>(message));
    return false;
  }
  void Visit(bool&) override {}
  void Visit(uint32_t&) override {}
  void Visit(uint64_t&) override {}
  void Visit(std::string&) override {}
  void Visit(Name& value) override {
    if (!value) return;
    const Name before = value;
    for (const Name& other : names_(before)) {
      if (IsWanted()) value = other;
    }
  }
  void VisitEnum(int32_t&, std::span<const int32_t>) override {}
  void VisitList(size_t, const Erase&) override {}

 private:
  void Value(Constant& constant) {
    if (!constant.parts.empty()) {
      if (IsWanted()) {
        constant.parts.clear();
        constant.is_null = true;
        return;
      }
      for (Constant& part : constant.parts) Value(part);
      return;
    }
    const bool is_float = constant.type.kind == TypeKind::kFloat;
    if (is_float && constant.type.width != 32) return Words(constant.words, 0);
    Words(constant.words, is_float ? 0x3f800000 : 1);
  }

  // Offers zero and, unless the words are already `one` or `one` is 0, `one`.
  void Words(std::vector<uint32_t>& words, uint32_t one) {
    const auto is_zero = [](uint32_t word) { return word == 0; };
    if (words.empty() || std::all_of(words.begin(), words.end(), is_zero)) return;
    const auto become = [&](uint32_t low) {
      std::fill(words.begin(), words.end(), 0);
      words[0] = low;
    };
    const bool is_one = words[0] == one && std::all_of(words.begin() + 1, words.end(), is_zero);
    if (IsWanted()) return become(0);
    if (one != 0 && !is_one && IsWanted()) become(one);
  }

  const PlainerNames& names_;
};

template <class MakeChange>
std::vector<AnyMessage> All(const AnyMessage& message, MakeChange make) {
  auto counter = make(ChangeVisitor::kNone);
  message::RewriteFields(message, counter);
  std::vector<AnyMessage> changed;
  for (size_t i = 0; i < counter.count(); ++i) {
    auto change = make(i);
    AnyMessage other = message::RewriteFields(message, change);
    if (!(other == message)) changed.push_back(std::move(other));
  }
  return changed;
}

}  // namespace

std::vector<AnyMessage> SmallerMessages(const AnyMessage& message) {
  return All(message, [](size_t wanted) { return SmallerVisitor(wanted); });
}

std::vector<AnyMessage> PlainerMessages(const AnyMessage& message, const PlainerNames& names) {
  return All(message, [&](size_t wanted) { return PlainerVisitor(wanted, names); });
}

}  // namespace shrink
}  // namespace refract
