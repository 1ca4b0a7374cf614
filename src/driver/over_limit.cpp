// SPDX-License-Identifier: Apache-2.0
#include "driver/over_limit.h"

#include <algorithm>

#include "base/text.h"

namespace refract {
inline namespace driver {

std::string Over(std::string_view what, uint64_t wanted, uint64_t limit) {
  return wanted > limit
             ? format("{}: the module needs {}, but the device allows {}", what, wanted, limit)
             : std::string();
}

std::string FirstProblem(std::initializer_list<std::string> problems) {
  for (const std::string& problem : problems) {
    if (!problem.empty()) return problem;
  }
  return {};
}

std::string OverWorkgroupSize(const std::optional<uint32_t> (&local_size)[3],
                              const uint32_t (&most)[3], uint32_t most_invocations) {
  uint64_t invocations = 1;
  for (int i = 0; i < 3; ++i) {
    const uint64_t size = local_size[i].value_or(1);
    invocations *= std::min(size, uint64_t{1} << 20);
    std::string problem = Over("invocations of a workgroup in one dimension", size, most[i]);
    if (!problem.empty()) return problem;
  }
  return Over("invocations of a workgroup", invocations, most_invocations);
}

std::string OverWorkgroupCount(const uint32_t (&groups)[3], const uint32_t (&most)[3]) {
  for (int i = 0; i < 3; ++i) {
    std::string problem = Over("workgroups in one dimension", groups[i], most[i]);
    if (!problem.empty()) return problem;
  }
  return {};
}

}  // namespace driver
}  // namespace refract
