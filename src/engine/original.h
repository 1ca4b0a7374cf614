// SPDX-License-Identifier: Apache-2.0
// The original: a valid module with its inputs, ready to be changed. `fuzz`, `replay` and `reduce`
// share what is decided here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/inputs.h"
#include "ir/tools.h"
#include "rules/context.h"

namespace refract {
inline namespace engine {

struct Original {
  std::string file;
  std::vector<uint32_t> words;
  std::string module_hash;  ///< ContentHash of the words
  /// ContentHash of the inputs in the form of WriteInputs; empty: no inputs.
  std::string inputs_hash;
  std::string companion_hash;  ///< HashOfWords of the companion; empty: no companion
  TargetEnvironment environment = TargetEnvironment::kUniversal10;
  ValidationOptions validation;
  /// spirv-val took long on it, so variants are validated under the same limits.
  bool is_slow_to_validate = false;
  uint32_t width = 256, height = 256;  ///< of the frame
  Context context;
};

struct OriginalOptions {
  std::string entry;       ///< empty: the only one
  bool any_entry = false;  ///< empty `entry`: if there are several, the first one
  std::optional<TargetEnvironment> environment;
  ValidationOptions validation;
  bool latest_shapes = false;
  bool cache_validation = false;  ///< cache the result of the validation for other processes
};

/// Reads and validates an original. `inputs` may be null. Refuses a module that is not valid for
/// the environment. The default environment is Vulkan in the version that fits the module, or
/// universal if the module is not valid for Vulkan. Also refuses a module with several entry points
/// if none is chosen (the error lists them; see any_entry), and an entry point that does not exist.
Result<Original> MakeOriginal(std::vector<uint32_t> words, const std::string& file,
                              std::shared_ptr<const Inputs> inputs, const OriginalOptions& options);

/// The inputs that the entry point reads and that have no value, each as a text; empty also if the
/// entry point cannot be run.
std::vector<std::string> MissingInputs(const Original& original);

/// The options with which a module is read and validated as `original` was.
OriginalOptions OptionsOf(const Original& original);

/// Returns the ContentHash of the inputs in the form of WriteInputs; empty without inputs.
std::string HashOfInputs(const Inputs* inputs);
/// Does the same, but does not compute the hash again for the inputs of `original`.
std::string HashOfInputs(const Inputs* inputs, const Original& original);
/// Returns the ContentHash of the words of a module in the byte order of a file.
std::string HashOfWords(const std::vector<uint32_t>& words);

}  // namespace engine
}  // namespace refract
