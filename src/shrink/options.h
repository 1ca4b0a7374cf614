// SPDX-License-Identifier: Apache-2.0
// What all that shrinks is told and reports. Who judges is the caller's: a function that says
// whether a candidate is still interesting. One question to it is a try, and no candidate is asked
// about twice. The same input and the same answers give the same result.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>

namespace refract::inline shrink {

/// Makes a little more ready of what is likely to be asked next; false if all of that is.
using Meanwhile = std::function<bool()>;

/// Where it stands, after each try.
struct ShrinkProgress {
  std::string_view pass;    ///< "skip constructs"
  size_t tries = 0;         ///< so far
  size_t instructions = 0;  ///< of the best module so far
};

struct ShrinkOptions {
  size_t budget = std::numeric_limits<size_t>::max();  ///< tries
  /// Called after each try; to return false is to stop. May be empty.
  std::function<bool(const ShrinkProgress&)> progress;
};

/// What was done.
struct ShrinkReport {
  size_t tries = 0;     ///< questions to the judge
  size_t accepted = 0;  ///< of those, answered with yes
  size_t unsound = 0;  ///< candidates that were no valid module, or did not replay: not asked about
  size_t known = 0;    ///< candidates that had been asked about before
  bool is_finished =
      true;  ///< false: budget or progress ended it; what there is holds all the same
  std::map<std::string, size_t> accepted_by;  ///< by pass: changes that the result has
};

}  // namespace refract::inline shrink
