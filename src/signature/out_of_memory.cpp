// SPDX-License-Identifier: Apache-2.0
#include "signature/out_of_memory.h"

#include <algorithm>
#include <optional>
#include <string>

#include "signature/message_rules.h"

namespace refract {
inline namespace signature {

bool ReportsOutOfMemory(std::string_view output) {
  const std::optional<MessageMatch> words =
      FindMessage(LinesOf(output), MessageKind::kCrashPattern);
  if (!words) return false;
  std::string key = words->key;
  std::transform(key.begin(), key.end(), key.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (const std::string_view text :
       {"out of memory", "out-of-memory", "bad_alloc", "allocation-size-too-big"}) {
    if (key.find(text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace signature
}  // namespace refract
