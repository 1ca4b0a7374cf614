// SPDX-License-Identifier: Apache-2.0
#include "reduce/subset.h"

#include <algorithm>
#include <iterator>

namespace refract {
inline namespace reduce {

Subset Union(const Subset& a, const Subset& b) {
  Subset both;
  both.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

Subset Intersection(const Subset& a, const Subset& b) {
  Subset both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

Subset Without(const Subset& a, const Subset& b) {
  Subset rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
  return rest;
}

Subset Prefix(const Subset& all, size_t count) {
  return {all.begin(), all.begin() + static_cast<Subset::difference_type>(count)};
}

Subset WithoutRange(const Subset& all, size_t begin, size_t end) {
  Subset rest = Prefix(all, begin);
  rest.insert(rest.end(), all.begin() + static_cast<Subset::difference_type>(end), all.end());
  return rest;
}

}  // namespace reduce
}  // namespace refract
