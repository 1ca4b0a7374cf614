// SPDX-License-Identifier: Apache-2.0
#include "all_donors.h"

#include "base/check.h"

namespace refract {

const DonorFiles& AllDonors() {
  static const DonorFiles donors = [] {
    auto read = LoadDonors({kDonors});
    CHECK(read);
    return std::move(*read);
  }();
  return donors;
}

}  // namespace refract
