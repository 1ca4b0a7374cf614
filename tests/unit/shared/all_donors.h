// SPDX-License-Identifier: Apache-2.0
// The donors of the repository.
#pragma once

#include "base/check.h"
#include "files/donor_files.h"

namespace refract {

inline constexpr const char* kDonors = REFRACT_SOURCE_DIR "/donors";

/// All of them. They are read at the first call, which takes seconds.
inline const DonorFiles& AllDonors() {
  static const DonorFiles donors = [] {
    auto read = LoadDonors({kDonors});
    CHECK(read);
    return std::move(*read);
  }();
  return donors;
}

}  // namespace refract
