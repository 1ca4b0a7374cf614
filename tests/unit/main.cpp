// SPDX-License-Identifier: Apache-2.0
// The main of all unit tests: a harness starts its own executable as worker, here too. No test
// skips itself: `make setup` provides every driver, and one that is not found must not look like
// success.
#include <gtest/gtest.h>

#include <cstdlib>

#include "driver/worker.h"

int main(int argc, char** argv) {
  refract::BecomeWorkerIfAsked(argc, argv);
  // Tests neither read nor fill the cache of who runs them.
  ::setenv("REFRACT_CACHE", "off", 1);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
