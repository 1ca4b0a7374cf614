// SPDX-License-Identifier: Apache-2.0
#include "input/block_names.h"

#include "base/text.h"
#include "ir/call_graph.h"
#include "ir/types.h"

namespace refract {
inline namespace input {
namespace {
const std::string kNoName;

// Takes a name, up to the next "." or "[", from the front of the text.
std::string_view TakeName(std::string_view* text) {
  const std::string_view name = text->substr(0, text->find_first_of(".["));
  text->remove_prefix(name.size());
  return name;
}

std::optional<uint32_t> TakeIndex(std::string_view* text) {
  const size_t end = text->find(']');
  uint64_t index = 0;
  if (end == std::string_view::npos || !ParseNumber(text->substr(1, end - 1), &index) ||
      index > 0xffffffffu) {
    return std::nullopt;
  }
  text->remove_prefix(end + 1);
  return static_cast<uint32_t>(index);
}
}  // namespace

BlockNames::BlockNames(const Module& module) : module_(module) {
  ForEachInstruction(module, Module::SectionBlock(Section::kDebug), [&](Inst inst) {
    if (module.Opcode(inst) == spv::Op::OpName) {
      names_.emplace(module.IdAt(inst, 0), StringOperand(module, inst, 1));
    } else if (module.Opcode(inst) == spv::Op::OpMemberName) {
      member_names_.emplace(std::pair(module.IdAt(inst, 0), module.Word(inst, 1)),
                            StringOperand(module, inst, 2));
    }
  });
}

const std::string& BlockNames::NameOf(Id id) const {
  const auto found = names_.find(id);
  return found == names_.end() ? kNoName : found->second;
}

const std::string& BlockNames::MemberName(Id type, uint32_t member) const {
  const auto found = member_names_.find({type, member});
  return found == member_names_.end() ? kNoName : found->second;
}

// The type of the variable or, for an array of descriptors, of its elements.
Id BlockNames::DescriptorType(Id variable) const {
  const Id type = ElementType(module_, module_.TypeOf(variable));
  return TypeOpcode(module_, type) == spv::Op::OpTypeArray ? ElementType(module_, type) : type;
}

std::optional<std::vector<uint32_t>> BlockNames::FindPath(Id variable, std::string_view text,
                                                          uint32_t element) const {
  const Id type = DescriptorType(variable);
  if (auto path = Walk(type, text)) return path;
  const bool in_array = type != ElementType(module_, module_.TypeOf(variable));
  for (const std::string* prefix : {&NameOf(variable), &NameOf(type)}) {
    if (prefix->empty() || !text.starts_with(*prefix)) continue;
    std::string_view rest = text.substr(prefix->size());
    if (in_array && (!rest.starts_with('[') || TakeIndex(&rest) != element)) continue;
    if (!rest.starts_with('.')) continue;
    if (auto path = Walk(type, rest.substr(1))) return path;
  }
  return std::nullopt;
}

std::optional<uint32_t> BlockNames::FindElement(Id variable, std::string_view text) const {
  for (const std::string* prefix : {&NameOf(variable), &NameOf(DescriptorType(variable))}) {
    if (prefix->empty() || !text.starts_with(*prefix)) continue;
    std::string_view rest = text.substr(prefix->size());
    if (!rest.starts_with('[')) continue;
    if (const std::optional<uint32_t> index = TakeIndex(&rest)) return index;
  }
  return std::nullopt;
}

std::optional<std::vector<uint32_t>> BlockNames::Walk(Id type, std::string_view text) const {
  std::vector<uint32_t> path;
  bool wants_name = true;  // at the beginning and after a point
  while (wants_name || !text.empty()) {
    if (wants_name) {
      const std::string_view name = TakeName(&text);
      const bool is_struct = TypeOpcode(module_, type) == spv::Op::OpTypeStruct;
      const uint32_t members = is_struct ? *PartCount(module_, type) : 0;
      uint32_t member = 0;
      while (member < members && MemberName(type, member) != name) ++member;
      if (name.empty() || member == members) return std::nullopt;
      path.push_back(member);
      type = PartType(module_, type, member);
      wants_name = false;
    } else if (text.front() == '.') {
      text.remove_prefix(1);
      wants_name = true;
    } else {
      const Id element = ElementType(module_, type);
      if (text.front() != '[') return std::nullopt;
      const std::optional<uint32_t> index = TakeIndex(&text);
      if (!index || element == Id::kNone) return std::nullopt;
      path.push_back(*index);
      type = element;
    }
  }
  return path;
}

std::string BlockNames::Describe(Id variable, const std::vector<uint32_t>& path) const {
  Id type = ElementType(module_, module_.TypeOf(variable));
  std::string text = NameOf(variable).empty() ? NameOf(DescriptorType(variable)) : NameOf(variable);
  for (const uint32_t index : path) {
    if (TypeOpcode(module_, type) == spv::Op::OpTypeStruct) {
      const std::string& name = MemberName(type, index);
      if (!text.empty()) text += '.';
      text += name.empty() ? format("member {}", index) : name;
      type = PartType(module_, type, index);
    } else {
      text += format("[{}]", index);
      type = ElementType(module_, type);
    }
  }
  return text;
}

}  // namespace input
}  // namespace refract
