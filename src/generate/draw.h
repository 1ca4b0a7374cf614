// SPDX-License-Identifier: Apache-2.0
// Draws the tree of a generated program: the generator of ShaDiv (PLDI 2025, algorithms 1 to 8),
// with more kinds of statements, and with sound classes in loops and after jumps (environment.h).
#pragma once

#include <cstdint>

#include "generate/options.h"
#include "generate/tree.h"

namespace refract::generate {

/// Draws a tree. The options must satisfy CheckOptions. The same options and seed give the same
/// tree.
Tree DrawTree(const GenerateOptions& options, uint64_t seed);

}  // namespace refract::generate
