// SPDX-License-Identifier: Apache-2.0
#include "campaign/schedule.h"

#include <numeric>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "base/text.h"

namespace refract {
inline namespace campaign {

namespace {

// Campaigns of control-flow programs alone draw nothing here, so that their tests are the same as
// in earlier versions.
std::optional<ProgramKind> DrawKind(size_t references, ProgramShares shares, Random* random) {
  if (references == 0 && shares.generate == 0) return ProgramKind::kControlFlow;
  const uint64_t drawn = random->Below(100);
  if (drawn < shares.flesh) return ProgramKind::kControlFlow;
  if (drawn < shares.sum()) return ProgramKind::kGenerated;
  return std::nullopt;
}

}  // namespace

TestPlan PlanTest(uint64_t campaign_seed, uint64_t index, size_t references, ProgramShares shares,
                  std::span<const size_t> first_round) {
  CHECK(first_round.empty() || first_round.size() == references);
  CHECK(shares.sum() <= 100);
  CHECK(references > 0 || shares.sum() == 100 || (shares.flesh > 0 && shares.generate == 0));
  TestPlan plan;
  // 32 bits, so that people can type the seed. It does no harm if two tests of a reference share
  // one.
  plan.seed = Mix(Mix(campaign_seed, 1), index) >> 32;
  Random source(Mix(Mix(campaign_seed, 2), index));
  plan.program = DrawKind(references, shares, &source);
  plan.varied = !plan.program || source.Percent(50);
  if (plan.program) return plan;
  if (index < first_round.size()) {
    plan.reference = first_round[index];
    return plan;
  }
  // Each round has all references, in an order of its own.
  std::vector<size_t> order(references);
  std::iota(order.begin(), order.end(), size_t{0});
  Random random(Mix(campaign_seed, index / references));
  for (size_t i = references; i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
  plan.reference = order[index % references];
  return plan;
}

Result<Shard> ParseShard(const std::string& text) {
  const std::vector<std::string> parts = Split(text, '/');
  Shard shard;
  if (parts.size() != 2 || !ParseNumber(parts[0], &shard.number) ||
      !ParseNumber(parts[1], &shard.of) || shard.number == 0 || shard.number > shard.of) {
    return Error{format("--shard {}: expected NUMBER/COUNT, for example 2/4", text),
                 ErrorKind::kUsage};
  }
  return shard;
}

std::optional<double> ParseDuration(std::string_view text) {
  double unit = 1;
  if (text.ends_with('s') || text.ends_with('m') || text.ends_with('h')) {
    unit = text.back() == 'h' ? 3600 : text.back() == 'm' ? 60 : 1;
    text.remove_suffix(1);
  }
  const size_t point = text.find('.');
  uint64_t whole = 0, tenths = 0;
  const bool has_tenths = point != std::string_view::npos;
  if (has_tenths && point + 2 != text.size()) return std::nullopt;  // exactly one decimal digit
  if (!ParseNumber(text.substr(0, point), &whole) || whole > 100'000'000) return std::nullopt;
  if (has_tenths && !ParseNumber(text.substr(point + 1), &tenths)) return std::nullopt;
  return (static_cast<double>(whole) + static_cast<double>(tenths) / 10) * unit;
}

}  // namespace campaign
}  // namespace refract
