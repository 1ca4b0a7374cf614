// SPDX-License-Identifier: Apache-2.0
// Generated from proto/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/name.h"
#include "message/kind.h"
#include "message/shared.h"

namespace refract::message {

/// Plants a tree, and says
/// so "in two lines".
/// Needs: a name;
/// or two.
/// Keeps: the rest.
/// Family: garden.
struct PlantTree {
  Name at = {};  ///< Where.
  Tree tree = {};  ///< What.
  std::vector<uint32_t> depths = {};  ///< How deep.

  friend bool operator==(const PlantTree&, const PlantTree&) = default;
};
void NamesIn(const PlantTree& message, NameSink& sink);
template <>
inline constexpr int kKindOf<PlantTree> = 9;

}  // namespace refract::message
