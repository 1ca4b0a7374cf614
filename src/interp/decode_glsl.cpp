// SPDX-License-Identifier: Apache-2.0
#include "interp/decode.h"

namespace refract {

Status Decoder::DecodeGlsl(const Form& form, uint32_t) {
  return Cannot(form.inst, "not there");
}

}  // namespace refract
