// SPDX-License-Identifier: Apache-2.0
// Decodes variables: rows of invocations, shared objects, built-ins, inputs and outputs. Private to
// this library.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/decode/decoder.h"

namespace refract {
inline namespace interp {

class VariableDecoder {
 public:
  explicit VariableDecoder(Decoder& decoder);

  /// Adds the objects of null addresses and of addressed buffers. Called before any variable is
  /// decoded. Errors name `model`.
  Status AddAddressed(Inst model);
  /// Emits the op that initialises the variable, if it has rows.
  Status Decode(Inst inst);

  // --- linked_variables.cpp: the values that a vertex shader passes to a fragment shader
  /// Reads the inputs of a linked program. Called before any variable is decoded.
  Status ReadInterface();
  /// Records the rows of a vertex program's outputs, after all variables have got their rows.
  Status RecordVertexOutputs();
  /// Finds the output with the depth, if the shader replaces it.
  void FindDepth();

 private:
  void SetAddresses(BoundAddress::Memory memory, ObjectCode* object) const;
  Status AllocateRows(Inst inst, const TypeInfo& type, PointerInfo* pointer);
  Status EmitInitializer(Inst inst, const PointerInfo& pointer, const TypeInfo& type);
  Status DecodeShared(Inst inst, PointerInfo pointer);
  Status DecodeBuffers(Id id, PointerInfo pointer, bool in_array, ObjectCode object);
  Status SetDescriptors(Id id, const PointerInfo& pointer, bool in_array, uint32_t found,
                        uint32_t set, uint32_t binding);
  Status FindWorkgroupSize(Inst inst, const PointerInfo& pointer, ObjectCode* object);
  Status DecodeResource(Inst inst, PointerInfo pointer);
  Status DecodeInput(Inst inst, const PointerInfo& pointer);
  Status DecodeMadeUpInput(Inst inst, const PointerInfo& pointer);
  Status DecodeOutput(Inst inst, Id type, uint32_t row, uint32_t location);
  bool DecodeLinkedInput(Inst inst, const PointerInfo& pointer);
  void AddBatchInput(uint32_t row, BatchInputCode input);

  Decoder& decoder_;
  const bool has_narrow_types_;  // the module has 8-bit or 16-bit numbers
  uint64_t sparse_rows_ = 0;
  std::vector<InterfaceSlot> inputs_;  // for a linked program
};

}  // namespace interp
}  // namespace refract
