// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "base/suggest.h"
#include "message/info.h"

namespace refract::message {

std::string DidYouMeanKind(std::string_view typed) {
  std::vector<std::string_view> names;
  for (const MessageInfo& info : MessageInfos()) names.push_back(info.name);
  return DidYouMean(typed, names);
}

}  // namespace refract::message
