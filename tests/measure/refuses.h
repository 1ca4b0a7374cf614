// SPDX-License-Identifier: Apache-2.0
// Selects which refusal in the sources of library transform is disabled. The copies of the sources
// that tools/open_refusals.py makes ask it. For one thread only.
#pragma once

namespace refract {

/// A place where a check refuses a message.
struct Refusal {
  const char* file;  ///< without its extension: the transformation, or the code that several share
  int line;
  const char* reason;
};

/// No refusal at all.
inline constexpr int kNoRefusal = -1;
/// The refusal that is disabled; kNoRefusal: none.
inline int disabled_refusal = kNoRefusal;
/// The last refusal that a check made.
inline int last_refusal = kNoRefusal;

/// Whether refusal `number` is enabled.
inline bool Refuses(int number) {
  if (number == disabled_refusal) return false;
  last_refusal = number;
  return true;
}

}  // namespace refract
