// SPDX-License-Identifier: Apache-2.0
// The promises module.h makes about itself, proved for one module from scratch: a safety net under
// every edit. Slow (it visits everything, several times); for tests and self-checks.
#pragma once

#include "base/result.h"
#include "ir/module.h"

namespace refract::inline ir {

/// Passes if lists are linked both ways and ordered, uses are exact in both directions, names are
/// unique and found, the word count is the size as written, cached control flow equals control flow
/// built anew, and the module written and read again is the same file. The error is
/// "INVARIANT: what is wrong: INSTRUCTION".
Status CheckConsistency(const Module& module);

/// Whether two results of BuildControlFlow answer every question alike.
bool SameFlow(const ControlFlow& a, const ControlFlow& b);

}  // namespace refract::inline ir
