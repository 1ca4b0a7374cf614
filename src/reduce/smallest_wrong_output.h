// SPDX-License-Identifier: Apache-2.0
// Makes the whole module of a reduced variant smaller if the failure is a wrong output. The output
// of each candidate is compared with that of the interpreter, so the candidates may compute
// something else than the variant.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/original.h"
#include "reduce/reduce.h"
#include "reduce/reduce_module.h"
#include "reduce/target_interestingness.h"
#include "target/harness.h"

namespace refract {
inline namespace reduce {

struct SmallestWrongOutput {
  ModuleReduction reduction;
  std::string why_not;  ///< if it ended with kNotInteresting: why there is no result
};

/// `words` and `inputs` are those of the variant; `original` is that of the variant. Of `options`,
/// it uses what ReduceModule uses. Fails as ReduceModule does.
Result<SmallestWrongOutput> ReduceWrongOutput(const Original& original,
                                              const std::vector<uint32_t>& words,
                                              const std::shared_ptr<const Inputs>& inputs,
                                              const Target& target, const RunSettings& run,
                                              ReduceOptions options, Harness& harness);

}  // namespace reduce
}  // namespace refract
