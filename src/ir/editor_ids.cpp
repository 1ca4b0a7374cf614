// SPDX-License-Identifier: Apache-2.0
// Which id of the file a new instruction gets: the one its name has in the table of a recording,
// else the next above all ids, else, at the limit of the bound, one that nobody uses.
#include <algorithm>

#include "ir/binary.h"
#include "ir/editor.h"

namespace refract {
namespace {

// More than any run makes: the growth limit ends it first.
constexpr size_t kSpareIds = size_t{1} << 20;

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
    if (id == 0 || id >= kMaxIdBound) return true;
    if (id >= used.size()) used.resize(id + 1, false);
    if (used[id]) return true;
    used[id] = true;
    return false;
  });
  module_.id_table_ = std::make_shared<const IdTable>(std::move(entries));
  module_.next_file_id_ = std::max(module_.bound_, module_.id_table_->largest() + 1);
}

void Editor::FindSpareIds() {
  std::vector<bool> used = UsedIds(module_);
  used.resize(kMaxIdBound, false);
  if (module_.id_table_) {
    for (const auto& [name, id] : module_.id_table_->entries()) used[id] = true;
  }
  std::vector<uint32_t> spare;
  for (uint32_t id = 1; id < used.size() && spare.size() < kSpareIds; ++id) {
    if (!used[id]) spare.push_back(id);
  }
  module_.spare_ids_ = std::make_shared<const std::vector<uint32_t>>(std::move(spare));
  module_.next_spare_ = 0;
}

Id Editor::BindNewId(Name name) {
  if (module_.id_table_) {
    const uint32_t bound = module_.id_table_->Find(name);
    if (bound != 0 && module_.Find(name) == Inst::kNone) return NewId(bound);
  }
  if (module_.next_file_id_ < kMaxIdBound) return NewId(module_.next_file_id_++);
  if (!module_.spare_ids_) FindSpareIds();
  if (module_.next_spare_ < module_.spare_ids_->size()) {
    return NewId((*module_.spare_ids_)[module_.next_spare_++]);
  }
  return NewId(module_.next_file_id_++);
}

}  // namespace refract
