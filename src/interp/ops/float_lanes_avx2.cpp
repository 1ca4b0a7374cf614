// SPDX-License-Identifier: Apache-2.0
// Compiles float_lanes_body.h for AVX2 (flags in cmake/libraries.cmake). It must not include
// anything else.
#include "interp/ops/float_lanes.h"

#ifdef __AVX2__
#include "interp/ops/float_lanes_body.h"

namespace refract {
inline namespace interp {
const FloatLoops* const kFloatLoopsAvx2 = &kLoops;
}  // namespace interp
}  // namespace refract
#else
namespace refract {
inline namespace interp {
const FloatLoops* const kFloatLoopsAvx2 = nullptr;
}  // namespace interp
}  // namespace refract
#endif
