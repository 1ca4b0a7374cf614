// SPDX-License-Identifier: Apache-2.0
// Joins the inputs of the shaders of a pipeline, which share one descriptor set layout.
#pragma once

#include <string_view>

#include "base/result.h"
#include "input/bindings.h"

namespace refract {
inline namespace input {

/// Adds the addresses of `other`, sorted and each once.
void JoinAddresses(const std::vector<BoundAddress>& other, std::vector<BoundAddress>* addresses);

/// Adds the buffers, images and push constants of `other` to `bindings`. If both have a resource at
/// the same place, it must be the same in both, except that one buffer may be longer. Otherwise the
/// error is kUnavailable, and `shaders` names the two, such as "two shaders of the pipeline".
Status JoinBindings(const Bindings& other, std::string_view shaders, Bindings* bindings);

}  // namespace input
}  // namespace refract
