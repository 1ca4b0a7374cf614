// SPDX-License-Identifier: Apache-2.0
#include "flesh/direction.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace refract::flesh {
namespace {

constexpr uint32_t kMostUniformBytes = 16384;  // the lowest maxUniformBufferRange of a device
constexpr uint32_t kMostPushWords = 32;        // the lowest maxPushConstantsSize, in words
constexpr uint32_t kMostHidden = 1024;
constexpr uint32_t kMostCompared = 32;  // visits of a block whose directions are computed

class Choice {
 public:
  Choice(const cfg::Graph& graph, const Prediction& prediction, uint32_t paths,
         DirectionSources sources, Payload* payload, Random* random)
      : graph_(graph),
        prediction_(prediction),
        sources_(sources),
        payload_(*payload),
        random_(*random) {
    made_.of_block.resize(graph.size());
    made_.stride = std::bit_ceil(prediction.longest);
    made_.paths = std::bit_ceil(paths);
  }

  Directions Make() {
    for (uint32_t block = 0; block < graph_.size(); ++block) {
      if (graph_.Targets(block).size() > 1) Choose(block);
    }
    return std::move(made_);
  }

 private:
  size_t entries() const { return size_t{made_.stride} * made_.paths; }

  // Tries the sources in random order. The storage buffer always works.
  void Choose(uint32_t block) {
    Direction& direction = made_.of_block[block];
    DirectionSource order[static_cast<size_t>(DirectionSource::kCount)];
    size_t count = 0;
    for (uint32_t i = 0; i < static_cast<uint32_t>(DirectionSource::kCount); ++i) {
      if ((sources_ >> i & 1) != 0) order[count++] = static_cast<DirectionSource>(i);
    }
    for (; count > 0; --count) {
      std::swap(order[random_.Below(count)], order[count - 1]);
      direction.source = order[count - 1];
      if (Use(block, &direction)) return;
    }
    direction.source = DirectionSource::kBuffer;
    Use(block, &direction);
  }

  bool Use(uint32_t block, Direction* direction) {
    switch (direction->source) {
      case DirectionSource::kBuffer:
        made_.buffer.resize(entries());
        return Fill(block, &made_.buffer);
      case DirectionSource::kUniform:
        if (entries() > kMostUniformBytes || graph_.Targets(block).size() > 256) return false;
        made_.uniform.resize(std::max<size_t>(entries(), 16));
        return Fill(block, &made_.uniform);
      case DirectionSource::kPushConstant:
        return UsePush(block, direction);
      case DirectionSource::kSpecialisation:
        return UseConstant(block, direction);
      case DirectionSource::kComputed:
        return graph_.blocks[block].is_switch ? UseLiterals(block, direction)
                                              : UseComparison(block, direction);
      case DirectionSource::kCount:
        break;
    }
    return false;
  }

  template <class Word>
  bool Fill(uint32_t block, std::vector<Word>* table) {
    for (const Visit& visit : prediction_.Of(block)) {
      (*table)[visit.path * made_.stride + visit.position] = static_cast<Word>(visit.choice);
    }
    return true;
  }

  // Usable if each path takes the same target at all its visits.
  bool UsePush(uint32_t block, Direction* direction) {
    const uint32_t most = static_cast<uint32_t>(graph_.Targets(block).size() - 1);
    const uint32_t bits = static_cast<uint32_t>(std::bit_width(most));
    if (made_.paths > kMostPushWords || push_bits_ + bits > 32) return false;
    const auto visits = prediction_.Of(block);
    for (size_t i = 1; i < visits.size(); ++i) {
      if (visits[i].path == visits[i - 1].path && visits[i].choice != visits[i - 1].choice) {
        return false;
      }
    }
    made_.push.resize(made_.paths);
    direction->shift = push_bits_;
    direction->bits = bits;
    for (size_t i = 0; i < visits.size(); ++i) {
      if (i > 0 && visits[i].path == visits[i - 1].path) continue;
      made_.push[visits[i].path] |= uint32_t{visits[i].choice} << push_bits_;
    }
    push_bits_ += bits;
    return true;
  }

  // Usable if all paths take the same target at all visits.
  bool UseConstant(uint32_t block, Direction* direction) {
    const auto visits = prediction_.Of(block);
    for (const Visit& visit : visits) {
      if (visit.choice != visits[0].choice) return false;
    }
    const uint32_t targets = static_cast<uint32_t>(graph_.Targets(block).size());
    const uint32_t choice =
        visits.empty() ? static_cast<uint32_t>(random_.Below(targets)) : visits[0].choice;
    SpecialisedDirection& constant = made_.specialised.emplace_back();
    constant.id = direction->constant = static_cast<uint32_t>(made_.specialised.size() - 1);
    constant.is_bool = !graph_.blocks[block].is_switch;
    const uint32_t other = (choice + 1) % targets;
    constant.value = constant.is_bool ? choice == 0 : choice;
    constant.in_module = constant.is_bool ? other == 0 : other;
    return true;
  }

  bool UseComparison(uint32_t block, Direction* direction) {
    const auto visits = prediction_.Of(block);
    if (visits.size() > kMostCompared) return false;
    for (int tries = 0; tries < 8; ++tries) {
      direction->carried = static_cast<uint32_t>(random_.Below(payload_.carried));
      direction->multiplier = random_.Percent(50) ? 1 : static_cast<uint32_t>(random_.Next()) | 1;
      if (FindDistinguishingBound(visits, direction)) return true;
    }
    return false;
  }

  // Finds a test and a bound so that the test holds exactly at the visits that take the first
  // target.
  bool FindDistinguishingBound(std::span<const Visit> visits, Direction* direction) {
    uint32_t least[2] = {0xffffffffu, 0xffffffffu}, most[2] = {};
    bool any[2] = {};
    for (const Visit& visit : visits) {
      const uint32_t value = prediction_.Carried(visit, direction->carried) * direction->multiplier;
      const size_t way = visit.choice == 0 ? 0 : 1;
      least[way] = std::min(least[way], value);
      most[way] = std::max(most[way], value);
      any[way] = true;
    }
    const bool apart = !any[0] || !any[1] || most[0] < least[1] || most[1] < least[0];
    if (!apart) return OneAgainstMany(visits, direction);
    // The target with the lower values: the first one (0) or the other (1).
    const size_t low = any[0] && any[1] ? (most[0] < least[1] ? 0 : 1) : random_.Below(2);
    const uint64_t from = any[low] ? uint64_t{most[low]} + 1 : 0;
    const uint64_t to = any[1 - low] ? least[1 - low] : 0xffffffffu;
    if (from > to) return false;
    direction->test = low == 0 ? BoundTest::kLess : BoundTest::kNotLess;
    direction->bound =
        Bound(static_cast<uint32_t>(random_.Percent(50) ? from : random_.Between(from, to)));
    return true;
  }

  // Tests for equality if one target is taken for a single value and the other for all other
  // values.
  bool OneAgainstMany(std::span<const Visit> visits, Direction* direction) {
    for (const uint16_t way : {0, 1}) {
      std::optional<uint32_t> one;
      bool only = true;
      const auto value = [&](const Visit& visit) {
        return prediction_.Carried(visit, direction->carried) * direction->multiplier;
      };
      for (const Visit& visit : visits) {
        if ((visit.choice != 0) != (way != 0)) continue;
        only = only && (!one || *one == value(visit));
        one = value(visit);
      }
      for (const Visit& visit : visits) {
        only = only && ((visit.choice != 0) == (way != 0) || value(visit) != *one);
      }
      if (!only) continue;
      direction->test = way == 0 ? BoundTest::kEqual : BoundTest::kNotEqual;
      direction->bound = Bound(*one);
      return true;
    }
    return false;
  }

  Operand Bound(uint32_t value) {
    if (random_.Percent(50) || payload_.hidden.size() >= kMostHidden) {
      return {Operand::kConstant, value};
    }
    payload_.hidden.push_back(value);
    return {Operand::kHidden, static_cast<uint32_t>(payload_.hidden.size() - 1)};
  }

  // The literals of the switch are the hashes at its visits.
  bool UseLiterals(uint32_t block, Direction* direction) {
    const auto visits = prediction_.Of(block);
    const size_t targets = graph_.Targets(block).size();
    std::vector<uint32_t> literals(targets);
    std::vector<bool> known(targets);
    for (const Visit& visit : visits) {
      if (visit.choice == 0) continue;
      const uint32_t value = prediction_.Carried(visit, kHash);
      if (known[visit.choice] && literals[visit.choice] != value) return false;
      known[visit.choice] = true;
      literals[visit.choice] = value;
    }
    for (size_t i = 1; i < targets; ++i) {
      if (!known[i]) literals[i] = static_cast<uint32_t>(random_.Next());
    }
    for (size_t i = 1; i < targets; ++i) {
      for (const Visit& visit : visits) {
        if (visit.choice != i && prediction_.Carried(visit, kHash) == literals[i]) return false;
      }
      for (size_t j = 1; j < i; ++j) {
        if (literals[i] == literals[j]) return false;
      }
    }
    literals.erase(literals.begin());
    direction->carried = kHash;
    direction->multiplier = 1;
    direction->literals = std::move(literals);
    return true;
  }

  const cfg::Graph& graph_;
  const Prediction& prediction_;
  const DirectionSources sources_;
  Payload& payload_;
  Random& random_;
  uint32_t push_bits_ = 0;
  Directions made_;
};

}  // namespace

Directions ChooseDirections(const cfg::Graph& graph, const Prediction& prediction, uint32_t paths,
                            DirectionSources sources, Payload* payload, Random* random) {
  return Choice(graph, prediction, paths, sources, payload, random).Make();
}

}  // namespace refract::flesh
