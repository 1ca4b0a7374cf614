// SPDX-License-Identifier: Apache-2.0
#include "donate/donor_pool.h"

#include <numeric>
#include <unordered_set>

#include "base/random.h"
#include "message/add_function.h"

namespace refract {
inline namespace donate {
namespace {

// The choice has its own random numbers, so that the number of donors changes nothing else in a
// run.
constexpr uint64_t kSeedSalt = 0x646f6e6f72;

}  // namespace

std::vector<size_t> ChooseDonors(uint64_t seed, size_t count) {
  Random random(Mix(seed, kSeedSalt));
  std::vector<size_t> chosen;
  for (size_t i = 0; i < count && chosen.size() < kMaxDonorsPerRun; ++i) {
    if (random.Below(count - i) < kMaxDonorsPerRun - chosen.size()) chosen.push_back(i);
  }
  return chosen;
}

std::vector<AnyMessage> DonorPool::FunctionsOf(uint64_t seed) const {
  std::vector<AnyMessage> functions;
  std::unordered_set<uint64_t> origins;
  for (const size_t donor : ChooseDonors(seed, donors_.size())) {
    for (const AnyMessage& function : donors_[donor]) {
      const uint64_t origin = function.As<message::AddFunction>().origin;
      if (origins.insert(origin).second) functions.push_back(function);
    }
  }
  return functions;
}

}  // namespace donate
}  // namespace refract
