// SPDX-License-Identifier: Apache-2.0
#include "cfg/sampler.h"

namespace refract::cfg {
namespace {

class RandomChooser {
 public:
  RandomChooser(OptionTable& table, Random& random) : table_(table), random_(random) {}

  const Option& Choose(const State& state) {
    const auto [entries, count] = table_.Of(state);
    if (count == 1) return entries[0].option;
    const uint64_t number = random_.Next();
    uint32_t low = 0, high = count - 1;  // the chosen option is from low to high
    while (high - low > 8) {
      const uint32_t middle = low + (high - low) / 2;
      if (number < entries[middle].below) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    while (low < high && number >= entries[low].below) ++low;
    return entries[low].option;
  }

 private:
  OptionTable& table_;
  Random& random_;
};

}  // namespace

void Sampler::Append(ChainKind kind, Context context, uint8_t depth, uint32_t size, Random* random,
                     Tree* tree) {
  RandomChooser chooser(table_, *random);
  Deriver(productions_, chooser, tree).Chain(kind, context, depth, size);
}

void Sampler::Draw(uint32_t blocks, Random* random, Tree* tree) {
  tree->Clear();
  Append(ChainKind::kEntry, kMayEnd, productions_.OuterDepth(), blocks, random, tree);
}

Option Sampler::Draw(const State& state, Random* random) {
  return RandomChooser(table_, *random).Choose(state);
}

}  // namespace refract::cfg
