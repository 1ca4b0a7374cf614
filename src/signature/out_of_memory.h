// SPDX-License-Identifier: Apache-2.0
// A program that dies for want of memory has no bug that its makers could mend: it is told apart
// from crashes by what it says.
#pragma once

#include <string_view>

namespace refract::inline signature {

/// Whether a program that died said that there was no memory for it: std::bad_alloc, LLVM's and the
/// sanitisers' words for it.
bool SaysOutOfMemory(std::string_view output);

}  // namespace refract::inline signature
