// SPDX-License-Identifier: Apache-2.0
// The donors of the repository.
#pragma once

#include "files/donor_files.h"

namespace refract {

constexpr const char* kDonors = REFRACT_SOURCE_DIR "/donors";

/// All of them. They are read at the first call, which takes seconds.
const DonorFiles& AllDonors();

}  // namespace refract
