// SPDX-License-Identifier: Apache-2.0
// One descriptor set layout for the two shaders of a pipeline.
#pragma once

#include "base/result.h"
#include "input/bindings.h"

namespace refract::inline input {

/// Adds the buffers, images and push constants of `other` to those of `bindings`. What both have at
/// one place must be the same; of two buffers one may be longer. kUnavailable if it is not.
Status JoinBindings(const Bindings& other, Bindings* bindings);

}  // namespace refract::inline input
