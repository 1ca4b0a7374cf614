// SPDX-License-Identifier: Apache-2.0
#include "interp/images.h"

namespace refract {

void ImageMemory::ReadBack(RunReport* report) const {
  for (const BoundImage& image : code_.bindings.images) {
    if (image.kind == BoundImage::kStorage) report->outputs.images.push_back(image);
  }
}

}  // namespace refract
