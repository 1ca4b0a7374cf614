// SPDX-License-Identifier: Apache-2.0
#include "interp/decode.h"

namespace refract {

Status Decoder::DecodeImage(const Form&, bool* done) {
  *done = false;
  return {};
}

Status Decoder::LoadResource(const Form& form, const PointerInfo&) {
  return Cannot(form.inst, "images are not");
}

}  // namespace refract
