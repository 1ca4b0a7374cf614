// SPDX-License-Identifier: Apache-2.0
// The units of a sample: quads of a fragment shader, workgroups of a compute shader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "input/resolve.h"

namespace refract {
inline namespace engine {

/// True if the entry point runs in workgroups, false if it runs in quads.
bool IsDispatch(const EntryPoint& entry);
/// The number of quads or workgroups of a whole run with these bindings.
uint64_t CountSampleUnits(const EntryPoint& entry, const Bindings& bindings);
/// Returns one in `part` units of the sample, at least one. An empty sample stands for all `all`
/// units.
std::vector<uint32_t> PartOf(const std::vector<uint32_t>& sample, uint64_t all, size_t part);

}  // namespace engine
}  // namespace refract
