// SPDX-License-Identifier: Apache-2.0
// The main function of all unit tests. It can also be a worker, because a harness starts its own
// executable as worker. No test skips itself: `make setup` provides every driver, and a driver that
// is not found must not look like success.
#include <gtest/gtest.h>

#include <cstdlib>

#include "driver/worker.h"

int main(int argc, char** argv) {
  refract::BecomeWorkerIfAsked(argc, argv);
  // Tests neither read nor write the user's cache.
  ::setenv("REFRACT_CACHE", "off", 1);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
