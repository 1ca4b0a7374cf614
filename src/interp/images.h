// SPDX-License-Identifier: Apache-2.0
// Images and samplers as a run sees them. Inside this room only.
#pragma once

#include "interp/code.h"

namespace refract {

class ImageMemory {
 public:
  explicit ImageMemory(const Program::Code& code) : code_(code) {}
  /// The storage images and their shadows into the report.
  void ReadBack(RunReport* report) const;

 private:
  const Program::Code& code_;
};

}  // namespace refract
