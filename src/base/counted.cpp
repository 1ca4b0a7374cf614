// SPDX-License-Identifier: Apache-2.0
#include "base/counted.h"

#include "base/text.h"

namespace refract {
inline namespace base {

std::string Counted(uint64_t count, std::string_view noun) {
  return format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace base
}  // namespace refract
