// SPDX-License-Identifier: Apache-2.0
#include "cfg/switch_shapes.h"

#include <algorithm>

namespace refract::cfg {

bool LabelsTogether(std::span<const uint16_t> labels) {
  std::vector<bool> seen(labels.size() + 1, false);
  for (size_t i = 1; i < labels.size(); ++i) {
    if (i > 1 && labels[i] == labels[i - 1]) continue;
    if (seen[labels[i]]) return false;
    seen[labels[i]] = true;
  }
  return true;
}

bool FallsInOrder(std::span<const uint16_t> labels, std::span<const uint16_t> falls) {
  constexpr uint32_t kUnlisted = 0;  // the position of the default
  const uint32_t cases = static_cast<uint32_t>(falls.size());
  std::vector<uint32_t> first(cases + 1, kUnlisted), last(cases + 1, kUnlisted);
  for (uint32_t i = 1; i < labels.size(); ++i) {
    if (first[labels[i]] == kUnlisted) first[labels[i]] = i;
    last[labels[i]] = i;
  }
  std::vector<bool> fallen_into(cases + 1, false);
  for (uint32_t i = 1; i <= cases; ++i) {
    uint32_t to = falls[i - 1];
    if (to == 0) continue;
    if (fallen_into[to]) return false;
    fallen_into[to] = true;
    if (to == labels[0] && first[to] == kUnlisted) to = falls[to - 1];
    if (to == 0 || last[i] == kUnlisted || first[to] == kUnlisted) continue;
    if (last[i] + 1 != first[to]) return false;
  }
  // Each case is the target of at most one fall-through, so an endless walk can only be a cycle.
  for (uint32_t i = 1; i <= cases; ++i) {
    uint32_t at = i;
    for (uint32_t steps = 0; at != 0 && steps <= cases; ++steps) at = falls[at - 1];
    if (at != 0) return false;
  }
  return true;
}

namespace {

class ShapeLister {
 public:
  explicit ShapeLister(const Grammar& grammar) : grammar_(grammar) { Extend(0); }
  std::vector<SwitchShape> shapes;

 private:
  // Lists all shapes whose labels begin with `labels_`.
  void Extend(uint16_t cases) {
    if (!labels_.empty()) List(cases);
    if (labels_.size() == grammar_.width) return;
    for (uint16_t label = 0; label <= cases + 1; ++label) {
      const bool known = std::find(labels_.begin(), labels_.end(), label) != labels_.end();
      if (known && grammar_.distinct_labels) continue;
      labels_.push_back(label);
      Extend(std::max(cases, label));
      labels_.pop_back();
    }
  }
  void List(uint16_t cases) {
    if (!LabelsTogether(labels_)) return;
    falls_.assign(cases, 0);
    ExtendFalls(0);
  }
  void ExtendFalls(size_t next) {
    if (next == falls_.size()) {
      if (FallsInOrder(labels_, falls_)) Add();
      return;
    }
    for (uint16_t to = 0; to <= falls_.size(); ++to) {
      if (to == next + 1) continue;
      if (to != 0 &&
          std::find(falls_.begin(), falls_.begin() + next, to) != falls_.begin() + next) {
        continue;
      }
      falls_[next] = to;
      ExtendFalls(next + 1);
    }
    falls_[next] = 0;
  }
  void Add() {
    SwitchShape shape;
    shape.labels = labels_;
    shape.falls = falls_;
    const Weights& weights = grammar_.weights;
    for (uint16_t fall : falls_) {
      if (fall == 0) continue;
      ++shape.falling;
      shape.weight = shape.weight * weights[ProductionKind::kFall];
    }
    for (size_t i = 1; i < labels_.size(); ++i) {
      if (labels_[i] == 0) shape.weight = shape.weight * weights[ProductionKind::kListedMerge];
      if (std::find(labels_.begin(), labels_.begin() + i, labels_[i]) != labels_.begin() + i) {
        shape.weight = shape.weight * weights[ProductionKind::kSharedLabel];
      }
    }
    if (!shape.weight.IsZero()) shapes.push_back(std::move(shape));
  }

  const Grammar& grammar_;
  std::vector<uint16_t> labels_, falls_;
};

}  // namespace

std::vector<SwitchShape> ListSwitchShapes(const Grammar& grammar) {
  return ShapeLister(grammar).shapes;
}

}  // namespace refract::cfg
