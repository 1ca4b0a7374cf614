// SPDX-License-Identifier: Apache-2.0
// Whether a run left behind what its inputs say it must (input/inputs.h, ExpectedOutputs).
#pragma once

#include "driver/run.h"

namespace refract::inline target {

/// Makes the verdict of a run that went well kUnexpected if something is not as expected; `detail`
/// says which pixel or word is the first. What a pipeline target did not run is not judged.
void JudgeOutputs(const ExpectedOutputs& expected, RunResult* result);

}  // namespace refract::inline target
