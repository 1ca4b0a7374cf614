// SPDX-License-Identifier: Apache-2.0
#include "reduce/strategy.h"

#include <utility>

#include "base/check.h"
#include "reduce/bisect.h"
#include "reduce/chunks.h"

namespace refract {
inline namespace reduce {

std::unique_ptr<Strategy> MakeStrategy(Algorithm algorithm, Subset all,
                                       std::shared_ptr<const DependencyLists> needs) {
  switch (algorithm) {
    case Algorithm::kBisect:
      return MakeBisect(std::move(all), std::move(needs));
    case Algorithm::kHalving:
      return std::make_unique<Halving>(std::move(all));
    case Algorithm::kCounter:
      return MakeCounter(std::move(all));
  }
  CHECK(false);
}

std::string_view AlgorithmName(Algorithm algorithm) {
  return algorithm == Algorithm::kBisect    ? "bisect"
         : algorithm == Algorithm::kHalving ? "halving"
                                            : "counter";
}

std::optional<Algorithm> AlgorithmByName(std::string_view name) {
  for (const Algorithm one : {Algorithm::kBisect, Algorithm::kHalving, Algorithm::kCounter}) {
    if (AlgorithmName(one) == name) return one;
  }
  return std::nullopt;
}

}  // namespace reduce
}  // namespace refract
