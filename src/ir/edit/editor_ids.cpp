// SPDX-License-Identifier: Apache-2.0
// Which id of the file a new instruction gets: the one its name has in the table of a recording,
// else the next above all ids. Who edits has asked whether there is room (SPIR-V 2.17).
#include <algorithm>

#include "ir/binary.h"
#include "ir/edit/editor.h"

namespace refract::inline ir {
namespace {

// What a step may take at most is left free, whatever a recording says.
constexpr uint32_t kLargestBound = kMaxIdBound - (1u << 16);

/// By file id: whether the module uses it. Sized by what it uses, at most the limit of the bound.
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
  // The recording may be another module's, or not be ours at all: what does not fit is left out.
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

}  // namespace refract::inline ir
