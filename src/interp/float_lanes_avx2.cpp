// SPDX-License-Identifier: Apache-2.0
// float_lanes_body.h for AVX2 (cmake/rooms.cmake has the flags). Includes nothing else.
#include "interp/float_lanes.h"

#ifdef __AVX2__
#include "interp/float_lanes_body.h"

namespace refract {
const FloatLoops* const kFloatLoopsAvx2 = &kLoops;
}
#else
namespace refract {
const FloatLoops* const kFloatLoopsAvx2 = nullptr;
}
#endif
