// SPDX-License-Identifier: Apache-2.0
// Linked into all programs of the tests: like the executable, they keep their processes for
// spirv-val. To start one for each module took half of the time of many tests.
#include "ir/tools.h"

namespace {

[[maybe_unused]] const bool kept = [] {
  refract::KeepValidators();
  return true;
}();

}  // namespace
