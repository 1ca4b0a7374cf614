// SPDX-License-Identifier: Apache-2.0
// The tests of originals. A target may fail on a reference without any change. This failure is
// filed like that of a test, and this test has a number of its own: the numbers of the tests that
// the schedule makes are below kFirstOriginalTest.
#pragma once

#include <cstddef>
#include <cstdint>

namespace refract {
inline namespace campaign {

inline constexpr uint64_t kFirstOriginalTest = 1'000'000'000'000;

/// Whether the test runs a reference without any change.
inline bool IsOriginalTest(uint64_t test) {
  return test >= kFirstOriginalTest;
}
/// The test of a reference, which is given by its index in CampaignSetup::sources.
inline uint64_t OriginalTestOf(size_t reference) {
  return kFirstOriginalTest + reference;
}
inline size_t ReferenceOfOriginalTest(uint64_t test) {
  return static_cast<size_t>(test - kFirstOriginalTest);
}

}  // namespace campaign
}  // namespace refract
