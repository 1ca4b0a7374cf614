// SPDX-License-Identifier: Apache-2.0
// All transformations, in the order of the oneof in proto/transformation.proto.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "rules/rule.h"

namespace refract {
inline namespace transform {

struct RegistryEntry {
  std::string_view name;  ///< "split_block"
  const Rule* rule;
};

std::span<const RegistryEntry> Registry();
/// The rule of a message; nullptr for an empty message.
const Rule* RuleOf(const AnyMessage& message);
/// Position in Registry(); -1 if there is no such name.
int RegistryIndex(std::string_view name);
/// Position in Registry() by kind; -1 if there is no such kind.
int RegistryIndex(int kind);
/// True for the transformations of the family `float`. They may change results as far as
/// implementations may differ anyway, so a run uses them only if asked, and its result needs a
/// certificate of the interpreter (engine/certifier.h).
bool IsOptIn(size_t index);

}  // namespace transform
}  // namespace refract
