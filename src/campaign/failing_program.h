// SPDX-License-Identifier: Apache-2.0
// A fleshed program that fails on a target by itself: made smaller, and its test folder.
#pragma once

#include <functional>
#include <string>

#include "campaign/fleshed.h"
#include "flesh/reduce_recipe.h"
#include "folder/test_folder.h"

namespace refract::inline campaign {

struct FailingProgram {
  const FleshedProgram& found;
  Target target;
  std::string signature;  ///< of the failure
  RunSettings run;
  uint32_t confirmations = 3;
};

/// The smallest program that fails there alike, where the interpreter says of those that leave
/// something wrong that what is foretold is right (flesh/reduce_recipe.h). Ends with what was found
/// so far once the target is lost (Harness::IsLost).
Result<flesh::ReducedRecipe> ReduceProgram(const FailingProgram& test, Harness& harness,
                                           const std::function<bool()>& stop);

/// Runs the program (`reduced` if that is not null, else as it was found) so often to see whether
/// it fails as it should, and writes the folder; what test.json says is returned. A target that is
/// lost by one of these runs has no more of them.
Result<TestRecord> WriteFailingProgram(const std::string& folder, const FailingProgram& test,
                                       const flesh::ReducedRecipe* reduced, Harness& harness);

}  // namespace refract::inline campaign
