// SPDX-License-Identifier: Apache-2.0
// The original: a valid module with its inputs, ready to be changed. Everything that fuzz, replay
// and reduce have to agree on about it is decided here, once.
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

namespace refract::inline engine {

struct Original {
  std::string file;
  std::vector<uint32_t> words;
  std::string module_hash;     ///< ContentHash of the words
  std::string inputs_hash;     ///< ContentHash of the inputs as WriteInputs has them; empty: none
  std::string companion_hash;  ///< HashOfWords of the companion; empty: none
  TargetEnvironment environment = TargetEnvironment::kUniversal10;
  ValidationOptions validation;
  /// spirv-val took long over it: what is made of it is validated under the same limits.
  bool is_heavy = false;
  uint32_t width = 256, height = 256;  ///< of the frame
  Context context;
};

struct OriginalOptions {
  std::string entry;  ///< empty: the only one
  std::optional<TargetEnvironment> environment;
  ValidationOptions validation;
  bool latest_shapes = false;
  bool likely_again = false;  ///< it pays to keep whether the module is valid for other processes
};

/// Reads and validates. Refuses modules that are not valid for the environment (default: the Vulkan
/// one of the module's version, or the universal one where it is not valid Vulkan), several entry
/// points without a choice (the error lists them), and an entry point that is not there. `inputs`
/// may be null.
Result<Original> MakeOriginal(std::vector<uint32_t> words, const std::string& file,
                              std::shared_ptr<const Inputs> inputs, const OriginalOptions& options);

/// ContentHash of inputs as WriteInputs has them; empty for none.
std::string HashOfInputs(const Inputs* inputs);
/// The same, without looking at them where they are the original's own.
std::string HashOfInputs(const Inputs* inputs, const Original& original);
/// ContentHash of a module's words, as the file has them.
std::string HashOfWords(const std::vector<uint32_t>& words);

}  // namespace refract::inline engine
