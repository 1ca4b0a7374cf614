// SPDX-License-Identifier: Apache-2.0
#include "reduce/subset_replay.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "engine/replay.h"

namespace refract {
inline namespace reduce {
namespace {

// The number of steps between two stored contexts. To copy a context costs as much as a dozen
// steps, with the pages that later steps write again.
constexpr size_t kStride = 64;

size_t CommonPrefixLength(const Subset& a, const Subset& b) {
  const size_t most = std::min(a.size(), b.size());
  size_t common = 0;
  while (common < most && a[common] == b[common]) ++common;
  return common;
}

}  // namespace

Result<SubsetReplay> SubsetReplay::Make(const Original& original,
                                        const message::Recording& recording) {
  Result<Context> begin = BeginReplay(original, recording);
  if (!begin) return begin.error();
  return SubsetReplay(recording, std::move(*begin));
}

SubsetReplay::SubsetReplay(const message::Recording& recording, Context begin)
    : recording_(&recording), declarations_(recording.declarations), begin_(std::move(begin)) {}

SubsetReplay::Replayed SubsetReplay::ReplayAll() {
  CheckNote note("");
  Replayed all{{}, begin_};
  for (uint32_t step = 0; step < recording_->steps.size(); ++step) {
    note.Set(format("reducing: step {}", recording_->steps[step].number));
    if (!Apply(step, &all.context)) continue;
    all.applied.push_back(step);
    if (all.applied.size() % kStride == 0) {
      whole_.contexts.emplace(all.applied.size(), all.context);
    }
  }
  whole_.steps = all.applied;
  whole_.contexts.emplace(all.applied.size(), all.context);
  return all;
}

bool SubsetReplay::Apply(uint32_t step, Context* context) const {
  const message::Step& at = recording_->steps[step];
  return static_cast<bool>(
      declarations_.ApplyStep(*context, at.number, at.transformation).check_result);
}

SubsetReplay::Replayed SubsetReplay::Replay(const Subset& wanted) {
  Unfinished replay = Begin(wanted);
  Continue(&replay, wanted.size());
  return std::move(replay.replayed);
}

SubsetReplay::Unfinished SubsetReplay::Begin(const Subset& wanted) const {
  const size_t common_whole = CommonPrefixLength(whole_.steps, wanted);
  const size_t common_latest = CommonPrefixLength(latest_.steps, wanted);
  const StoredPrefixes& path = common_latest > common_whole ? latest_ : whole_;
  const auto after = path.contexts.upper_bound(std::max(common_latest, common_whole));
  if (after == path.contexts.begin()) return {wanted, 0, {{}, begin_}};
  const auto& [applied, context] = *std::prev(after);
  return {wanted, applied, {Prefix(wanted, applied), context}};
}

bool SubsetReplay::Continue(Unfinished* replay, size_t steps) {
  CheckNote note("");
  const Subset& wanted = replay->wanted;
  Subset& applied = replay->replayed.applied;
  const size_t end = replay->at + std::min(steps, wanted.size() - replay->at);
  for (; replay->at < end; ++replay->at) {
    const uint32_t step = wanted[replay->at];
    note.Set(format("reducing: step {}", recording_->steps[step].number));
    if (!Apply(step, &replay->replayed.context)) continue;
    applied.push_back(step);
    if (applied.size() % kStride != 0) continue;
    if (CommonPrefixLength(latest_.steps, applied) < applied.size()) continue;
    latest_.contexts.emplace(applied.size(), replay->replayed.context);
  }
  return replay->at == wanted.size();
}

void SubsetReplay::ExpectPrefix(const Subset& applied) {
  const size_t common = CommonPrefixLength(latest_.steps, applied);
  latest_.contexts.erase(latest_.contexts.upper_bound(common), latest_.contexts.end());
  latest_.steps = applied;
}

}  // namespace reduce
}  // namespace refract
