// SPDX-License-Identifier: Apache-2.0
#include "shrink/smaller_regions.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "message/duplicate_region_with_selection.h"
#include "message/outline_function.h"
#include "message/wrap_region_in_loop.h"
#include "message/wrap_region_in_selection.h"
#include "message/wrap_region_in_waterfall.h"
#include "rules/legality/region.h"

namespace refract {
inline namespace shrink {
namespace {

constexpr size_t kMostParts = 12;

// The parts of a region that are regions themselves, by their number of instructions.
std::vector<std::pair<size_t, RegionEnds>> PartsOf(const Module& module, const RegionEnds& whole) {
  std::vector<std::pair<size_t, RegionEnds>> parts;
  const auto size_of = [](const Region& region) {
    size_t size = 0;
    region.ForEachInside([&](Inst) { ++size; });
    return size;
  };
  const Region region(module, whole.entry, whole.exit);
  const size_t size = size_of(region);
  for (const Block entry : region.Blocks()) {
    for (const Block exit : ExitsFrom(module, entry)) {
      if (!region.Has(exit) || (entry == whole.entry && exit == whole.exit)) continue;
      const Region part(module, entry, exit);
      if (!part.Check()) continue;
      const size_t smaller = size_of(part);
      if (smaller != 0 && smaller < size) parts.push_back({smaller, {entry, exit}});
    }
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return parts;
}

template <class Message>
bool AddParts(const Context& context, const AnyMessage& any, std::vector<AnyMessage>* smaller) {
  if (any.kind != message::kKindOf<Message>) return false;
  const Module& module = context.module;
  const Message& whole = any.As<Message>();
  const RegionEnds ends = FindEnds(View(context), whole.entry, whole.exit);
  if (!CheckEnds(module, ends)) return true;
  const auto parts = PartsOf(module, ends);
  for (size_t i = 0; i < parts.size() && i < kMostParts; ++i) {
    // Of many parts, some of each size.
    const size_t at = parts.size() <= kMostParts ? i : i * (parts.size() - 1) / (kMostParts - 1);
    Message part = whole;
    part.entry = module.NameOf(module.Label(parts[at].second.entry));
    part.exit = module.NameOf(module.Terminator(parts[at].second.exit));
    smaller->push_back(AnyMessage(std::move(part)));
  }
  return true;
}

}  // namespace

std::vector<AnyMessage> SmallerRegions(const Context& context, const AnyMessage& message) {
  std::vector<AnyMessage> smaller;
  AddParts<message::WrapRegionInSelection>(context, message, &smaller) ||
      AddParts<message::DuplicateRegionWithSelection>(context, message, &smaller) ||
      AddParts<message::WrapRegionInLoop>(context, message, &smaller) ||
      AddParts<message::WrapRegionInWaterfall>(context, message, &smaller) ||
      AddParts<message::OutlineFunction>(context, message, &smaller);
  return smaller;
}

}  // namespace shrink
}  // namespace refract
