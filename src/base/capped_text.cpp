// SPDX-License-Identifier: Apache-2.0
#include "base/capped_text.h"

#include <algorithm>

#include "base/text.h"

namespace refract {
inline namespace base {

void CappedText::Append(std::string_view text) {
  const size_t head = std::min(text.size(), kPart - first_.size());
  first_.append(text.substr(0, head));
  last_.append(text.substr(head));
  if (last_.size() > 2 * kPart) {
    dropped_ += last_.size() - kPart;
    last_.erase(0, last_.size() - kPart);
  }
}

std::string CappedText::Text() const {
  const size_t surplus = last_.size() > kPart ? last_.size() - kPart : 0;
  if (dropped_ + surplus == 0) return first_ + last_;
  return format("{}\n[... {} bytes left out ...]\n{}", first_, dropped_ + surplus,
                std::string_view(last_).substr(surplus));
}

}  // namespace base
}  // namespace refract
