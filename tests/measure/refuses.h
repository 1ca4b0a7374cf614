// SPDX-License-Identifier: Apache-2.0
// Which of the refusals in the sources of room transform is switched off: what the copies that
// tools/open_refusals.py makes of them ask. One thread.
#pragma once

namespace refract {

/// A place where a check says No.
struct Refusal {
  const char* file;  ///< without its ending: the transformation or what several share
  int line;
  const char* reason;
};

/// No refusal at all.
inline constexpr int kNoRefusal = -1;
/// The one that is left out; kNoRefusal: none.
inline int refusal_left_out = kNoRefusal;
/// The last that was made.
inline int refusal_made = kNoRefusal;

/// Whether refusal `number` is made.
inline bool Refuses(int number) {
  if (number == refusal_left_out) return false;
  refusal_made = number;
  return true;
}

}  // namespace refract
