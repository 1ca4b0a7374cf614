// SPDX-License-Identifier: Apache-2.0
// Generated from proto/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "message/kind.h"

namespace refract::message {

/// Rests.
/// Needs: nothing.
/// Keeps: everything.
/// Family: garden.
struct Rest {

  friend bool operator==(const Rest&, const Rest&) = default;
};
void NamesIn(const Rest& message, NameSink& sink);
template <>
inline constexpr int kKindOf<Rest> = 2;

}  // namespace refract::message
