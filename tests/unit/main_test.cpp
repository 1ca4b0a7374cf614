// SPDX-License-Identifier: Apache-2.0
// The main of all unit tests: a harness starts its own executable as worker, here too. And with
// REFRACT_SKIPS_FAIL in the environment a test that skips itself fails: `make test` runs on
// machines that `make setup` has equipped, where a driver that is not found must not look like
// success.
#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/worker.h"

namespace {

class SkipsFail : public testing::EmptyTestEventListener {
  // Called before the printer's, which then reports the failure.
  void OnTestEnd(const testing::TestInfo& test) override {
    if (test.result()->Skipped()) ADD_FAILURE() << "skipped, where no test may be";
  }
};

}  // namespace

int main(int argc, char** argv) {
  refract::BecomeWorkerIfAsked(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  if (std::getenv("REFRACT_SKIPS_FAIL") != nullptr) {
    testing::UnitTest::GetInstance()->listeners().Append(new SkipsFail);
  }
  return RUN_ALL_TESTS();
}
