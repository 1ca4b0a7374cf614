// SPDX-License-Identifier: Apache-2.0
// Recognises programs that died because memory ran out. That is no bug of the program, so such an
// end is not counted as a crash.
#pragma once

#include <string_view>

namespace refract {
inline namespace signature {

/// Whether the output of a program that died says that memory ran out: std::bad_alloc, or the
/// messages of LLVM or a sanitiser.
bool ReportsOutOfMemory(std::string_view output);

}  // namespace signature
}  // namespace refract
