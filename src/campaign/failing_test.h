// SPDX-License-Identifier: Apache-2.0
// The test folder of a variant that fails on a target, reduced or as it was found.
#pragma once

#include <string>

#include "engine/original.h"
#include "folder/test_folder.h"
#include "message/recording.h"
#include "reduce/reduce.h"
#include "reduce/target_judge.h"

namespace refract::inline campaign {

struct FailingTest {
  const Original& original;
  const message::Recording& recording;   ///< the whole one
  Candidate variant;                     ///< its variant
  const Reduction* reduction = nullptr;  ///< null: not reduced
  TargetJudge& judge;                    ///< knows the signature
  const Target& target;
  RunSettings run;
  uint32_t confirmations = 3;
};

/// Runs the smallest variant so often to see whether it fails as it should, and writes the folder.
/// What it wrote as test.json is returned: `confirmed` of `runs`.
Result<TestRecord> WriteFailingTest(const std::string& folder, const FailingTest& test,
                                    Harness& harness);

}  // namespace refract::inline campaign
