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
inline int disabled_refusal = kNoRefusal;
/// The last that was made.
inline int last_refusal = kNoRefusal;

/// Whether refusal `number` is made.
inline bool Refuses(int number) {
  if (number == disabled_refusal) return false;
  last_refusal = number;
  return true;
}

}  // namespace refract
