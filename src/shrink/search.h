// SPDX-License-Identifier: Apache-2.0
// Tries the shrink passes on a module. For each pass it tries all changes at once, then chunks of
// half the size, then single changes. It repeats all passes until none finds a change. The
// interestingness test gets only modules with less weight than the best one so far.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "shrink/pass.h"

namespace refract {
inline namespace shrink {

/// What a search minimises; the first field that differs decides. Each candidate weighs less than
/// the module it was made from, so a search ends.
struct Weight {
  uint64_t body = 0;          ///< instructions in functions, parameters included
  uint64_t operands = 0;      ///< how far value operands are from plain; older values are plainer
  uint64_t instructions = 0;  ///< all instructions
  uint64_t words = 0;
  uint64_t literals = 0;  ///< how far constants and control masks are from plain
  friend auto operator<=>(const Weight&, const Weight&) = default;
};
Weight WeightOf(const Module& module);

/// An answer of the interestingness test; kStop ends the search.
enum class Answer : uint8_t { kNo, kYes, kStop };
/// Called with a candidate and the pass that made it.
using Ask = std::function<Answer(const Module& candidate, std::string_view pass)>;

/// Returns the module with all accepted changes, in the whole module or in the function `only`.
/// Ends at the first kStop.
Module SearchSmaller(Module start, Function only, const Ask& ask);

}  // namespace shrink
}  // namespace refract
