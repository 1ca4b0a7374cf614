// SPDX-License-Identifier: Apache-2.0
// Gives the images, samplers and acceleration structures of a module their values from shader.json.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "input/bindings.h"
#include "input/block_names.h"
#include "input/images.h"
#include "input/inputs.h"
#include "ir/call_graph.h"
#include "ir/module.h"

namespace refract {
inline namespace input {

/// One of these that no value goes to, and the format and size that it has by default.
struct OpenImage : ImageVariable {
  BoundImage image;  ///< without texels
};

struct ResolvedImages {
  std::vector<BoundImage> images;    ///< all images that the entry point uses
  std::vector<std::string> missing;  ///< read but not given: filled with zeros
  std::vector<std::string> unused;   ///< names of values that the module has no place for
  std::vector<OpenImage> open;       ///< read or not, in the order of ImagesOf
};

/// A value goes to the image or sampler at its binding or, without a binding, of its name. An
/// element of an array has the name "NAME[INDEX]". Errors call the inputs `file`. `constants` are
/// the specialisation constants in lengths of arrays.
Result<ResolvedImages> ResolveImages(const Module& module, const EntryPoint& entry,
                                     const BlockNames& names, const Inputs& inputs,
                                     const std::string& file,
                                     const std::vector<BoundConstant>& constants = {});

}  // namespace input
}  // namespace refract
