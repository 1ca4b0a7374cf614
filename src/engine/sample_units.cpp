// SPDX-License-Identifier: Apache-2.0
#include "engine/sample_units.h"

namespace refract {
inline namespace engine {

bool IsDispatch(const EntryPoint& entry) {
  return entry.model == spv::ExecutionModel::GLCompute;
}

uint64_t CountSampleUnits(const EntryPoint& entry, const Bindings& bindings) {
  if (IsDispatch(entry)) {
    return uint64_t{bindings.groups[0]} * bindings.groups[1] * bindings.groups[2];
  }
  return uint64_t{(bindings.width + 1) / 2} * ((bindings.height + 1) / 2);
}

std::vector<uint32_t> PartOf(const std::vector<uint32_t>& sample, uint64_t all, size_t part) {
  const size_t size = sample.empty() ? all : sample.size();
  std::vector<uint32_t> some;
  if (size == 0) return some;
  for (size_t i = part / 2 % size; i < size; i += part) {
    some.push_back(sample.empty() ? static_cast<uint32_t>(i) : sample[i]);
  }
  return some;
}

}  // namespace engine
}  // namespace refract
