// SPDX-License-Identifier: Apache-2.0
#include "coverage/counted_targets.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "coverage/map_file.h"

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
  const std::string program = BlocksHash(blocks);
  if (map_ != nullptr && program == program_) return {};
  Result<SourceMap> map = MapOfBuild(folder_, build_, blocks);
  if (!map) return map.error();
  map_ = std::make_unique<const SourceMap>(std::move(*map));
  program_ = program;
  return {};
}

Result<std::vector<bool>> CountedTargets::MarksOf(const Job& job) {
  Result<std::unique_ptr<CountedTarget>> target = Take();
  if (!target) return target.error();
  RunResult ran;
  Result<std::vector<bool>> marks = (*target)->Run(harness_, job, &ran);
  if (!marks) return marks.error();
  if (marks->empty()) {
    return Error{format("the target did not run: {}", ran.detail), ErrorKind::kUnavailable};
  }
  if (Status loaded = LoadMap((*target)->blocks()); !loaded) return loaded.error();
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(*target));
  return marks;
}

Result<TestHits> CountedTargets::HitsOf(const Job& job) {
  const Result<std::vector<bool>> marks = MarksOf(job);
  if (!marks) return marks.error();
  return map_->HitsOf("", *marks);
}

Result<std::pair<size_t, size_t>> CountedTargets::CountLines(const std::string& program,
                                                             std::vector<bool> marks) {
  {
    const std::lock_guard lock(mutex_);
    if (map_ == nullptr) {
      Result<SourceMap> map = ReadSourceMap(folder_ + "/source_map.json.gz", program);
      if (!map) return map.error();
      map_ = std::make_unique<const SourceMap>(std::move(*map));
      program_ = program;
    }
  }
  marks.resize(map_->lines.size());
  const TestHits hits = map_->HitsOf("", marks);
  const auto ran = std::count(hits.lines.begin(), hits.lines.end(), true);
  return std::pair(static_cast<size_t>(ran), hits.lines.size());
}

}  // namespace coverage
}  // namespace refract
