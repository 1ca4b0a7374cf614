// SPDX-License-Identifier: Apache-2.0
// What a vertex shader hands to a fragment shader, location by location (Vulkan 1.3, "Shader
// Input and Output Interfaces").
#pragma once

#include <cstdint>
#include <optional>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <vector>

#include "base/result.h"
#include "ir/call_graph.h"
#include "ir/module.h"

namespace refract::inline input {

/// A scalar or vector that is passed at one location, or as a built-in: all of a variable, or an
/// element, column or member of it.
struct InterfaceSlot {
  enum Kind : uint8_t { kFloat, kInt, kUint, kOther };
  Id variable = Id::kNone;
  Id type = Id::kNone;      ///< of the scalar or vector
  uint32_t first = 0;       ///< scalars of the variable before it
  uint32_t components = 1;  ///< 1 to 4
  Kind kind = kFloat;
  uint32_t width = 32;
  std::optional<spv::BuiltIn> built_in;  ///< else it has a location
  uint32_t location = 0;
  uint32_t component = 0;  ///< the first one at the location
  bool whole = false;      ///< it is all of the variable
  bool flat = false;
  bool no_perspective = false;
  bool elsewhere = false;  ///< Centroid or Sample: with one sample a pixel, the centre as well

  bool Gives(uint32_t wanted) const {
    return wanted >= component && wanted < component + components;
  }
};

/// The slots of the entry point's variables of class `storage` (Input or Output) that its functions
/// use. kUnavailable, without a file name, for what cannot be linked: arrays without a known
/// length, numbers of 64 bits at locations, variables without location.
Result<std::vector<InterfaceSlot>> InterfaceOf(const Module& module, const EntryPoint& entry,
                                               spv::StorageClass storage);

/// The slot of `given` that component `component` of `wanted` reads; null if there is none.
const InterfaceSlot* FindGiven(const std::vector<InterfaceSlot>& given, const InterfaceSlot& wanted,
                               uint32_t component);

/// Why the outputs of a vertex shader do not do for the inputs of a fragment shader: something that
/// it reads is not given, or of another type. Empty: they do.
std::string LinkProblem(const std::vector<InterfaceSlot>& given,
                        const std::vector<InterfaceSlot>& wanted);

/// Why a vertex shader cannot be drawn with: it reads attributes other than the position, which is
/// of floats at location 0; it stores to memory, which may happen any number of times for a vertex.
/// Empty: it can.
std::string VertexProblem(const Module& module, const EntryPoint& entry,
                          const std::vector<InterfaceSlot>& inputs);

}  // namespace refract::inline input
