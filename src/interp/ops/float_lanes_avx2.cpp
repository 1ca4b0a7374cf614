// SPDX-License-Identifier: Apache-2.0
// float_lanes_body.h for AVX2 (cmake/libraries.cmake has the flags). Includes nothing else.
#include "interp/ops/float_lanes.h"

#ifdef __AVX2__
#include "interp/ops/float_lanes_body.h"

namespace refract::inline interp {
const FloatLoops* const kFloatLoopsAvx2 = &kLoops;
}
#else
namespace refract::inline interp {
const FloatLoops* const kFloatLoopsAvx2 = nullptr;
}
#endif
