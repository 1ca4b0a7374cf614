// SPDX-License-Identifier: Apache-2.0
// Makes a module that compares its own output, as the tests of a conformance suite do. The expected
// output comes from the interpreter.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/original.h"
#include "input/inputs.h"
#include "reduce/target_interestingness.h"
#include "target/harness.h"

namespace refract {
inline namespace reduce {

/// The most different pixels, and the most scalars of storage buffers, that a module compares.
constexpr uint32_t kMostCheckedPixels = 64;
constexpr uint32_t kMostCheckedScalars = 256;

struct SelfCheckingModule {
  std::vector<uint32_t> words;
  std::shared_ptr<const Inputs> inputs;
};

/// Returns a module whose entry point calls the function of the entry point of `source`, and then
/// compares the outputs with those of `expected`, which is of `source` and is exact:
/// - A fragment shader draws a pixel red at location 0 if the colours at all locations are right,
/// and
///   black otherwise.
/// - A compute shader of one workgroup writes 1 to a new storage buffer if all scalars of the other
///   storage buffers are right, and 0 otherwise.
/// "$expected" of the inputs is the output of a correct implementation. Fails with kUnavailable if
/// the outputs cannot be compared in this way: the error says why.
Result<SelfCheckingModule> MakeSelfChecking(const Original& source, const Interpretation& expected);

/// Makes the module and checks it without a target: it must be valid, and as expected in the
/// interpreter for every order of execution. Otherwise, or if MakeSelfChecking fails, the error is
/// kUnavailable.
Result<SelfCheckingModule> CheckedSelfChecking(const Original& source, const RunSettings& run);

/// Does the same, and the output must not be as expected in one of `runs` runs on the target.
Result<SelfCheckingModule> TestedSelfChecking(const Original& source, const Target& target,
                                              const RunSettings& run, uint32_t runs,
                                              Harness& harness);

}  // namespace reduce
}  // namespace refract
