// SPDX-License-Identifier: Apache-2.0
// Generated from proto/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/name.h"
#include "message/kind.h"

namespace refract::message {

/// A tree.
struct Tree {
  /// Which way it grows.
  enum class Growth : int32_t {
    kNotAtAll = 0,
    kUp = 7,
  };
  Tree::Growth growth = Tree::Growth::kNotAtAll;  ///< How.
  std::vector<Tree::Growth> earlier = {};  ///< How before.
  std::vector<Tree> branches = {};  ///< Smaller ones.
  std::string text = {};  ///< A comment above the field, of two lines.
  std::vector<std::string> texts = {};  ///< Texts.
  int64_t offset = 0;  ///< May be negative.
  bool dead = false;  ///< Or not.
  std::vector<Name> names = {};  ///< Names.

  friend bool operator==(const Tree&, const Tree&) = default;
};
void NamesIn(const Tree& message, NameSink& sink);

}  // namespace refract::message
