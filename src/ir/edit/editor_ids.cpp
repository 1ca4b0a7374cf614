// SPDX-License-Identifier: Apache-2.0
// Chooses the id that a new instruction has in the file: the id of its name in the table of a
// recording, or else the next id above all others. The caller has checked that the bound allows a
// new id (SPIR-V 2.17).
#include <algorithm>

#include "ir/binary.h"
#include "ir/edit/editor.h"

namespace refract {
inline namespace ir {
namespace {

// Ids from a recording must leave free the largest number of ids that a step may need.
constexpr uint32_t kLargestBound = kMaxIdBound - (1u << 16);

/// A flag for each file id: true if the module uses it. Its size is the bound of the module.
std::vector<bool> UsedIds(const Module& module) {
  std::vector<bool> used(module.bound(), false);
  for (size_t i = 1; i < module.id_slots(); ++i) used[module.FileId(static_cast<Id>(i))] = true;
  return used;
}

}  // namespace

Id Editor::NewId(uint32_t file_id) {
  if (module_.ids_.empty()) module_.ids_.push_back({});
  const Id id = static_cast<Id>(module_.ids_.size());
  module_.ids_.push_back({Inst::kNone, file_id, Use::kNone});
  module_.bound_ = std::max(module_.bound_, file_id + 1);
  return id;
}

void Editor::BindIds(std::vector<std::pair<Name, uint32_t>> entries) {
  // The recording may belong to another module or be damaged, so entries that do not fit are
  // ignored.
  std::vector<bool> used = UsedIds(module_);
  std::sort(entries.begin(), entries.end());
  std::erase_if(entries, [&](const auto& entry) {
    const uint32_t id = entry.second;
    if (id == 0 || id >= kLargestBound) return true;
    if (id >= used.size()) used.resize(id + 1, false);
    if (used[id]) return true;
    used[id] = true;
    return false;
  });
  module_.id_table_ = std::make_shared<const IdTable>(std::move(entries));
  module_.next_file_id_ = std::max(module_.bound_, module_.id_table_->largest() + 1);
}

Id Editor::BindNewId(Name name) {
  if (module_.id_table_) {
    const uint32_t bound = module_.id_table_->Find(name);
    if (bound != 0 && module_.Find(name) == Inst::kNone) return NewId(bound);
  }
  return NewId(module_.next_file_id_++);
}

}  // namespace ir
}  // namespace refract
