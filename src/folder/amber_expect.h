// SPDX-License-Identifier: Apache-2.0
// The expected outputs of a test as EXPECT lines of an AmberScript: values that the interpreter
// computes from the original, where they are certain, or that the outputs of both modules are the
// same.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "folder/amber_job.h"
#include "image/compare.h"
#include "interp/interpreter.h"

namespace refract {
inline namespace folder {

/// What the interpreter finds for an original.
struct KnownOutputs {
  bool certain = false;   ///< well defined, and the same on every schedule
  std::string uncertain;  ///< the reason if not certain
  RunReport report;       ///< if certain: the outputs
  StorageTypes types;     ///< of the storage buffers: fit their first and last contents
};
/// Runs the original in the interpreter.
KnownOutputs InterpretOriginal(const AmberJob& original);

/// The expected outputs.
struct Expectations {
  std::string text;     ///< EXPECT lines; empty: nothing is certain
  std::string comment;  ///< a line that says what they are and what is left out
  size_t left_out = 0;  ///< number of values of buffers that are not certain
  bool whole = false;   ///< of ExpectPixels: every pixel of every colour target is expected
};

/// Pixels of 8-bit images that `variant` must draw. An image of one colour is expected as a whole.
Expectations ExpectPixels(const AmberJob& original, const AmberJob& variant,
                          const KnownOutputs& known);
/// The values that the storage buffers of `variant` must hold at the end.
Expectations ExpectValues(const AmberJob& variant, const KnownOutputs& known);
/// That the outputs of both are the same by `rule`. `seen` is the difference of the images when the
/// test failed.
Result<Expectations> ExpectSame(const AmberJob& original, const AmberJob& variant, CompareRule rule,
                                const StorageTypes& types, const std::optional<Comparison>& seen);

}  // namespace folder
}  // namespace refract
