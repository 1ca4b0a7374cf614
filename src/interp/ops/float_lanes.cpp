// SPDX-License-Identifier: Apache-2.0
#include "interp/ops/float_lanes.h"

#include "interp/ops/float_lanes_body.h"

namespace refract {
inline namespace interp {
namespace {

const FloatLoops& Choose() {
#if defined(__x86_64__)
  if (kFloatLoopsAvx2 != nullptr && __builtin_cpu_supports("avx2")) return *kFloatLoopsAvx2;
#endif
  return kLoops;
}

}  // namespace

const FloatLoops& FloatLoopsOfThisMachine() {
  static const FloatLoops& loops = Choose();
  return loops;
}

const FloatLoops& PlainFloatLoops() {
  return kLoops;
}

}  // namespace interp
}  // namespace refract
