// SPDX-License-Identifier: Apache-2.0
#include "interp/decode.h"

namespace refract {

Status Decoder::DecodeAtomic(const Form&, bool* done) {
  *done = false;
  return {};
}

}  // namespace refract
