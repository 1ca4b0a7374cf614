// SPDX-License-Identifier: Apache-2.0
// Certifies variants with steps that may change a result a little, such as identities of floats.
// The interpreter runs original and variant on the inputs as given. The variant is certified if
// FindUncertified (compare_runs.h) finds nothing. Limits are in steps, not in seconds, so that the
// same seed gives the same variant everywhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/run_inputs.h"
#include "interp/interpreter.h"
#include "message/recording.h"
#include "rules/context.h"

namespace refract {
inline namespace engine {

/// True if a step needs a certificate: its transformation is of the family `float`.
bool NeedsCertificate(const message::Step& step);
/// The same for any step of a recording.
bool NeedsCertificate(const message::Recording& recording);

class Certifier {
 public:
  /// Keeps a copy of the original, which shares its pages. Errors call the module `file`. Runs
  /// nothing yet.
  Certifier(const Context& original, const std::string& file);

  /// Why no variant can be certified: the interpreter cannot run the original, the original has
  /// undefined behaviour, or it takes too long. Empty if variants can be certified. The first call
  /// runs the original.
  const std::string& unavailable();
  /// What keeps the variant from being certified, or nullopt if it is. Runs the variant on the
  /// whole image or dispatch, or else on a small part of it, which certifies nothing but is fast.
  /// A variant that takes more than 2^25 steps and more than 8 times the steps of the original is
  /// not certified.
  std::optional<std::string> FindUncertified(const Context& variant, bool whole);

 private:
  struct Part {
    std::vector<uint32_t> sample;  // empty: everything
    RunReport report;              // of the original
  };
  std::string RunOriginal();

  const Context original_;
  const std::string file_;
  std::optional<std::string> unavailable_;
  Part whole_, some_;
};

}  // namespace engine
}  // namespace refract
