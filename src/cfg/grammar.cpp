// SPDX-License-Identifier: Apache-2.0
#include "cfg/grammar.h"

#include "base/suggest.h"
#include "base/text.h"

namespace refract::cfg {
namespace {

constexpr std::string_view kProductionNames[] = {
    "selection",
    "loop",
    "switch",
    "end",
    "exit",
    "conditional-exit",
    "two-exits",
    "no-arm",
    "one-arm",
    "two-arms",
    "join",
    "into-arm",
    "single-block-loop",
    "no-body",
    "conditional-header",
    "conditional-back",
    "fall",
    "shared-label",
    "listed-merge",
};
static_assert(std::size(kProductionNames) == static_cast<size_t>(ProductionKind::kCount));

}  // namespace

std::string_view NameOf(ProductionKind trait) {
  return kProductionNames[static_cast<size_t>(trait)];
}

Result<Weights> ReadWeights(std::span<const std::string> texts) {
  Weights weights;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    uint64_t weight = 0;
    if (equals == std::string::npos || !ParseNumber(text.substr(equals + 1), &weight) ||
        weight > kMostWeight) {
      return Error{format("weights: \"{}\" is not NAME=NUMBER with a number of at most {}", text,
                          kMostWeight),
                   ErrorKind::kUsage};
    }
    size_t i = 0;
    while (i < std::size(kProductionNames) && kProductionNames[i] != text.substr(0, equals)) ++i;
    if (i == std::size(kProductionNames)) {
      std::string known;
      for (std::string_view name : kProductionNames) known += format(" {}", name);
      const std::string name = text.substr(0, equals);
      return Error{format("weights: unknown name \"{}\"; known names:{}{}", name, known,
                          DidYouMean(name, kProductionNames)),
                   ErrorKind::kUsage};
    }
    weights.Set(static_cast<ProductionKind>(i), weight);
  }
  return weights;
}

}  // namespace refract::cfg
