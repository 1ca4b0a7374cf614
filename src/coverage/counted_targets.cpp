// SPDX-License-Identifier: Apache-2.0
#include "coverage/counted_targets.h"

#include <utility>

#include "base/text.h"

namespace refract {
inline namespace coverage {

Result<std::unique_ptr<CountedTarget>> CountedTargets::Take() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<CountedTarget> target = std::move(free_.back());
      free_.pop_back();
      return target;
    }
  }
  Result<CountedTarget> opened = CountedTarget::Open(build_, name_, files_);
  if (!opened) return opened.error();
  return std::make_unique<CountedTarget>(std::move(*opened));
}

Status CountedTargets::LoadMap(const std::vector<BlockAddress>& blocks) {
  const std::lock_guard lock(mutex_);
  if (map_ != nullptr) return {};
  Result<SourceMap> map = MapOfBuild(folder_, build_, blocks);
  if (!map) return map.error();
  map_ = std::make_unique<const SourceMap>(std::move(*map));
  program_ = BlocksHash(blocks);
  return {};
}

Result<TestHits> CountedTargets::HitsOf(const Job& job) {
  Result<std::unique_ptr<CountedTarget>> target = Take();
  if (!target) return target.error();
  RunResult ran;
  const Result<std::vector<bool>> marks = (*target)->Run(harness_, job, &ran);
  if (!marks) return marks.error();
  if (marks->empty()) {
    return Error{format("the target did not run: {}", ran.detail), ErrorKind::kUnavailable};
  }
  if (Status loaded = LoadMap((*target)->blocks()); !loaded) return loaded.error();
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(*target));
  return map_->HitsOf("", *marks);
}

}  // namespace coverage
}  // namespace refract
