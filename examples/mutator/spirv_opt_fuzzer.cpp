// SPDX-License-Identifier: Apache-2.0
// A fuzz target: the passes of spirv-opt -O on the variant of a mutated file. It aborts if the
// optimiser refuses a valid module, or makes an invalid one of it.
#include <refract/refract.h>

#include <cstdlib>
#include <cstring>
#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // The trailer is not for the code under test.
  const size_t module = refract_mutated_module_size(data, size);
  if (module < 20 || module % 4 != 0) return 0;
  std::vector<uint32_t> words(module / 4), optimised;
  std::memcpy(words.data(), data, module);
  constexpr spv_target_env kEnvironment = SPV_ENV_UNIVERSAL_1_6;
  const spvtools::SpirvTools tools(kEnvironment);
  // The seeds may be anything. Every variant of a valid seed is valid.
  if (!tools.Validate(words)) return 0;
  spvtools::Optimizer optimiser(kEnvironment);
  optimiser.RegisterPerformancePasses();
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);
  if (!optimiser.Run(words.data(), words.size(), &optimised, options)) std::abort();
  if (!tools.Validate(optimised)) std::abort();
  return 0;
}
