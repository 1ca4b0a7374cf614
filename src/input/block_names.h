// SPDX-License-Identifier: Apache-2.0
// Names of variables and members of blocks, and paths of names into a block: "lights[2].color" is a
// member, an element and a member.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace refract {
inline namespace input {

/// The name of the block in which the GLSL front end collects plain uniforms.
constexpr const char* kPlainUniformsBlock = "plain_uniforms";

class BlockNames {
 public:
  explicit BlockNames(const Module& module);

  /// The OpName of an id; empty if not found.
  const std::string& NameOf(Id id) const;
  /// The OpMemberName of a member; empty if not found.
  const std::string& MemberName(Id type, uint32_t member) const;

  /// The indices of the path `text`, from the block down; nullopt if `text` is not a path into the
  /// block. It may begin with the name of the variable or of its struct type. If the variable is an
  /// array of blocks, the block is `element`, and these names end in its index: "lights[2].color".
  std::optional<std::vector<uint32_t>> FindPath(Id variable, std::string_view text,
                                                uint32_t element = 0) const;

  /// The index in an array of descriptors with which the path `text` begins, after the name of the
  /// variable or of its block: 2 for "lights[2].color". The result is empty if the name has none.
  std::optional<uint32_t> FindElement(Id variable, std::string_view text) const;

  /// The path as text, with names where there are any: "buf0.lights[2].color".
  std::string Describe(Id variable, const std::vector<uint32_t>& path) const;

 private:
  Id DescriptorType(Id variable) const;
  std::optional<std::vector<uint32_t>> Walk(Id type, std::string_view text) const;

  const Module& module_;
  std::map<Id, std::string> names_;
  std::map<std::pair<Id, uint32_t>, std::string> member_names_;
};

}  // namespace input
}  // namespace refract
