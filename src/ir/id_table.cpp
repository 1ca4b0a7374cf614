// SPDX-License-Identifier: Apache-2.0
#include "ir/id_table.h"

#include <algorithm>

namespace refract {
inline namespace ir {

IdTable::IdTable(std::vector<std::pair<Name, uint32_t>> entries) : entries_(std::move(entries)) {
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  entries_.erase(std::unique(entries_.begin(), entries_.end(),
                             [](const auto& a, const auto& b) { return a.first == b.first; }),
                 entries_.end());
  for (const auto& [name, id] : entries_) largest_ = std::max(largest_, id);
}

uint32_t IdTable::Find(Name name) const {
  const auto it = std::lower_bound(entries_.begin(), entries_.end(), name,
                                   [](const auto& entry, Name n) { return entry.first < n; });
  return it != entries_.end() && it->first == name ? it->second : 0;
}

}  // namespace ir
}  // namespace refract
