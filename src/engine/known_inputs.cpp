// SPDX-License-Identifier: Apache-2.0
#include "engine/known_inputs.h"

#include "input/resolve.h"

namespace refract {
inline namespace engine {

Result<std::vector<KnownValue>> KnownInputsOf(const Module& module, const std::string& entry,
                                              const Inputs& inputs, const std::string& file) {
  if (entry.empty()) return std::vector<KnownValue>();
  const Result<EntryPoint> entry_point = FindEntryPoint(module, entry, file);
  if (!entry_point && entry_point.error().kind == ErrorKind::kUnavailable) {
    return std::vector<KnownValue>();
  }
  if (!entry_point) return entry_point.error();
  // This does not check whether the entry point can be run with the inputs.
  const ResolveOptions options{.zero_inputs = true, .known_only = true};
  Result<ResolvedInputs> resolved = Resolve(module, *entry_point, inputs, file, options);
  if (!resolved && resolved.error().kind == ErrorKind::kUnavailable &&
      inputs.companion != nullptr) {
    Inputs alone = inputs;  // shaders that do not fit together can still be changed one by one
    alone.companion.reset();
    resolved = Resolve(module, *entry_point, alone, file, options);
  }
  if (resolved) return std::move(resolved->known);
  if (resolved.error().kind == ErrorKind::kUnavailable) return std::vector<KnownValue>();
  return resolved.error();
}

}  // namespace engine
}  // namespace refract
