// SPDX-License-Identifier: Apache-2.0
#include "dedup/ignored_types.h"

#include "base/text.h"
#include "message/any.h"
#include "message/info.h"

namespace refract {
inline namespace dedup {

Result<std::set<std::string>> ParseIgnoredTypes(const std::string& file, std::string_view text) {
  std::set<std::string> types;
  size_t number = 0;
  for (const std::string& each : Split(text, '\n')) {
    ++number;
    const std::string_view line = Trim(each);
    if (line.empty() || line.starts_with('#')) continue;
    const std::string type(line.substr(0, line.find_first_of(" \t")));
    if (message::KindNamed(type) == 0) {
      return Error{format("{}:{}: unknown transformation '{}'; `refract list` prints all{}", file,
                          number, type, message::DidYouMeanKind(type))};
    }
    types.insert(type);
  }
  return types;
}

}  // namespace dedup
}  // namespace refract
