// SPDX-License-Identifier: Apache-2.0
// Paths by name into a block: "lights[2].color" is member, element, member.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace refract::inline input {

class BlockNames {
 public:
  explicit BlockNames(const Module& module);

  /// OpName; empty if there is none.
  const std::string& NameOf(Id id) const;
  /// OpMemberName; empty if there is none.
  const std::string& MemberName(Id type, uint32_t member) const;

  /// The indices that `text` spells, from the variable down; nullopt if it is no such path. It may
  /// begin with the name of the variable or of its struct type.
  std::optional<std::vector<uint32_t>> FindPath(Id variable, std::string_view text) const;

  /// The path in words, as far as there are names: "buf0.lights[2].color".
  std::string Describe(Id variable, const std::vector<uint32_t>& path) const;

 private:
  std::optional<std::vector<uint32_t>> Walk(Id type, std::string_view text) const;

  const Module& module_;
  std::map<Id, std::string> names_;
  std::map<std::pair<Id, uint32_t>, std::string> member_names_;
};

}  // namespace refract::inline input
