// SPDX-License-Identifier: Apache-2.0
// Tries the passes on a module: all that one finds at once, then halves, then single ones, pass
// after pass until none has anything left. Whoever is asked sees smaller modules only.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "shrink/pass.h"

namespace refract::inline shrink {

/// What a search makes less of, the first that differs counting: each candidate has less than the
/// one it was made from, so that a search ends.
struct Weight {
  uint64_t body = 0;          ///< instructions in functions, parameters too
  uint64_t operands = 0;      ///< how far value operands are from plain, older ones being plainer
  uint64_t instructions = 0;  ///< all
  uint64_t words = 0;
  uint64_t literals = 0;  ///< how far constants and controls are from plain
  friend auto operator<=>(const Weight&, const Weight&) = default;
};
Weight WeightOf(const Module& module);

enum class Answer : uint8_t { kNo, kYes, kStop };
/// Asked about a candidate that `pass` made.
using Ask = std::function<Answer(const Module& candidate, std::string_view pass)>;

/// The module after all that was answered with yes; of a function alone if `only` is one. Ends at
/// the first kStop.
Module SearchSmaller(Module start, Function only, const Ask& ask);

}  // namespace refract::inline shrink
