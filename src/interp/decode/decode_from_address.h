// SPDX-License-Identifier: Apache-2.0
// Instructions on integers in modules with addresses of buffers. Private to this library.
#pragma once

#include "interp/decode/decoder.h"
#include "interp/decode/operation.h"

namespace refract {
inline namespace interp {

/// After the op of an instruction: if its operands and results are integers, emits an op that
/// corrects the results that are computed from addresses (address_worlds.h). Does nothing for other
/// instructions, and in modules without addresses.
Status EmitFromAddress(Decoder& decoder, const Operation& operation);

}  // namespace interp
}  // namespace refract
