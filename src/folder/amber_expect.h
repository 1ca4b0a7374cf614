// SPDX-License-Identifier: Apache-2.0
// What must come out of a test, as the EXPECT lines of an AmberScript: values that the reference
// interpreter computes from the original, where it is certain of them, or that both modules leave
// the same.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "folder/amber_job.h"
#include "image/compare.h"
#include "interp/interpreter.h"

namespace refract::inline folder {

/// What the interpreter knows of an original.
struct Known {
  bool certain = false;   ///< well defined, and the same on every schedule
  std::string uncertain;  ///< why not, a sentence
  RunReport report;       ///< certain: what comes out
  StorageTypes types;     ///< of the storage buffers, which can hold what they begin and end with
};
Known KnowledgeOf(const AmberJob& original);

struct Expectations {
  std::string text;     ///< EXPECT lines; empty: nothing is certain
  std::string comment;  ///< what they are and what is left out, a line
  size_t left_out = 0;  ///< values of buffers that are not certain
};

/// Pixels of 8-bit pictures that `variant` must draw; of the whole if it is of one colour.
Expectations ExpectPixels(const AmberJob& original, const AmberJob& variant, const Known& known);
/// The words that storage buffers of `variant` must hold.
Expectations ExpectValues(const AmberJob& variant, const Known& known);
/// That both leave the same, by `rule`; `seen` is the difference of the pictures where it failed.
Result<Expectations> ExpectSame(const AmberJob& original, const AmberJob& variant, CompareRule rule,
                                const StorageTypes& types, const std::optional<Comparison>& seen);

}  // namespace refract::inline folder
