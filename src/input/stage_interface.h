// SPDX-License-Identifier: Apache-2.0
// The values that a shader passes to the next stage, by location (Vulkan 1.3, "Shader
// Input and Output Interfaces").
#pragma once

#include <cstdint>
#include <optional>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/bindings.h"
#include "ir/call_graph.h"
#include "ir/module.h"

namespace refract {
inline namespace input {

/// A scalar or vector that is passed at one location or as a built-in: a whole variable, or an
/// element, column or member of one.
struct InterfaceSlot {
  enum Kind : uint8_t { kFloat, kInt, kUint, kOther };
  Id variable = Id::kNone;
  Id type = Id::kNone;      ///< type of the scalar or vector
  uint32_t first = 0;       ///< number of scalars of the variable before it
  uint32_t components = 1;  ///< 1 to 4
  Kind kind = kFloat;
  uint32_t width = 32;
  std::optional<spv::BuiltIn> built_in;  ///< if absent, it has a location
  uint32_t location = 0;
  uint32_t component = 0;  ///< the first component at the location
  bool whole = false;      ///< it is the whole variable, or an element of it (arrayed)
  bool arrayed = false;    ///< the variable has an element for each vertex of a primitive or patch
  bool patch = false;      ///< one value for a patch
  bool primitive = false;  ///< one value for each primitive of a mesh shader (PerPrimitiveEXT)
  bool flat = false;
  bool no_perspective = false;
  /// Where it is interpolated in frames with several samples. With one, it is at the centre.
  bool centroid = false, sample = false;

  bool HasComponent(uint32_t wanted) const {
    return wanted >= component && wanted < component + components;
  }
};

/// The slots of the entry point's variables of storage class `storage` (Input or Output) that its
/// functions use. The error is kUnavailable, without a file name, for variables that cannot be
/// linked: arrays of unknown length, variables without a location, numbers at locations that have
/// not 32 bits. Inputs of vertex shaders may have 16 and 64 bits. Of a variable with an element for
/// each vertex of a patch, primitive or mesh, or for each primitive of a mesh, the slots are those
/// of one element.
Result<std::vector<InterfaceSlot>> InterfaceOf(const Module& module, const EntryPoint& entry,
                                               spv::StorageClass storage);

/// The slot of `outputs` that the component `component` of `wanted` reads; null if not found.
const InterfaceSlot* FindOutput(const std::vector<InterfaceSlot>& outputs,
                                const InterfaceSlot& wanted, uint32_t component);

/// The reason why the outputs of a shader do not match the inputs of the next stage: an input has
/// no output, or another type, or only one of them is for primitives. Empty if they match.
std::string LinkProblem(const std::vector<InterfaceSlot>& outputs,
                        const std::vector<InterfaceSlot>& wanted,
                        spv::ExecutionModel from = spv::ExecutionModel::Vertex,
                        spv::ExecutionModel to = spv::ExecutionModel::Fragment);

/// Calls `visit` with each execution mode of the entry point and its first number, or 0.
template <class Visit>
void ForEachMode(const Module& module, const EntryPoint& entry, Visit visit) {
  const Id function = module.IdAt(entry.instruction, 1);
  ForEachInstruction(module, Module::SectionBlock(Section::kExecutionModes), [&](Inst inst) {
    if (module.IdAt(inst, 0) != function) return;
    visit(static_cast<spv::ExecutionMode>(module.Word(inst, 1)),
          module.OperandCount(inst) > 2 ? module.Word(inst, 2) : 0);
  });
}

/// Whether the entry point has the execution mode.
bool HasMode(const Module& module, const EntryPoint& entry, spv::ExecutionMode mode);

/// The reason why a fragment shader cannot be run for each pixel of a frame with several samples;
/// empty if it can, and for other shaders and frames. Its interface has an input with the built-in
/// SampleId or SamplePosition, or with the decoration Sample, for which it runs for each sample
/// (Vulkan, "Sample Shading"); a tool could remove the variable. Or it stores to memory or reads a
/// multisampled input attachment, although Vulkan allows to run it more often than once.
std::string PixelProblem(const Module& module, const EntryPoint& entry, const Bindings& bindings);

/// Whether the entry point stores to buffers or images.
bool StoresToMemory(const Module& module, const EntryPoint& entry);

/// The reason why a vertex or tessellation evaluation shader cannot be run: it stores to memory,
/// although it may run any number of times for a vertex. Empty if it can be run.
std::string StoreProblem(const Module& module, const EntryPoint& entry);

/// The reason why a vertex shader cannot be run: it reads attributes that the mesh does not have,
/// or it stores to memory, although it may run any number of times for a vertex. Empty if it can be
/// run.
std::string VertexProblem(const Module& module, const EntryPoint& entry,
                          const std::vector<InterfaceSlot>& inputs, const BoundMesh& mesh);

}  // namespace input
}  // namespace refract
