// SPDX-License-Identifier: Apache-2.0
// Compares the outputs of a run with the expected outputs that its inputs state (ExpectedOutputs of
// input/inputs.h).
#pragma once

#include "driver/run.h"

namespace refract {
inline namespace target {

/// If an output is not as expected, sets the verdict kUnexpected, and `detail` to the first wrong
/// pixel or word. Does nothing if the run failed or has no outputs.
void CompareWithExpected(const ExpectedOutputs& expected, RunResult* result);

}  // namespace target
}  // namespace refract
