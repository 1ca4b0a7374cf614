// SPDX-License-Identifier: Apache-2.0
// Matches the attributes of "$vertices" with the inputs of a vertex shader.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "input/bindings.h"
#include "input/inputs.h"
#include "input/stage_interface.h"
#include "ir/call_graph.h"
#include "ir/module.h"

namespace refract {
inline namespace input {

/// What a vertex shader reads at one location.
struct WantedAttribute {
  InterfaceSlot slot;       ///< of one of the variables at the location
  uint32_t components = 0;  ///< how many components a vector needs for all of them
};

/// What the entry point reads, by location. The error (kUnavailable, without a file name) is for
/// inputs that no attribute can give.
Result<std::vector<WantedAttribute>> WantedAttributes(const Module& module,
                                                      const EntryPoint& entry);

/// Whether the attribute `attribute` has a column at `location`.
bool HasColumnAt(const AttributeInput& attribute, uint32_t location);

/// The mesh with the attributes that the vertex shader reads. `missing` gets the descriptions of
/// those without a value, which are zero.
Result<BoundMesh> ResolveVertices(const Module& module, const EntryPoint& entry,
                                  const Inputs& inputs, const std::string& file,
                                  std::vector<std::string>* missing);

}  // namespace input
}  // namespace refract
