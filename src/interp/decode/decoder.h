// SPDX-License-Identifier: Apache-2.0
// What the functions that decode instructions work on. Private to this library.
//
// DECODING. A module becomes Program::Code. Its parts build on each other: rows (RowTable), the
// values of constants (ConstantTable), types as rows (TypeTable) and as bytes (MemoryLayout),
// pointers (PointerTable), and ops (CodeWriter). opcode_table.h names the function that decodes an
// instruction, by opcode. variable_decoder.h and function_decoder.h decode what has several
// instructions.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "interp/decode/audit_index.h"
#include "interp/decode/code_writer.h"
#include "interp/decode/constant_table.h"
#include "interp/decode/decode_source.h"
#include "interp/decode/memory_layout.h"
#include "interp/decode/pointer_table.h"
#include "interp/decode/row_table.h"
#include "interp/decode/type_table.h"

namespace refract {
inline namespace interp {

struct Decoder {
  /// `linked`: the bindings have a companion.
  Decoder(const Module& module, const EntryPoint& entry, const Bindings& bindings,
          const std::string& file, const DecodeOptions& options, bool linked);

  Error Cannot(Inst inst, std::string_view why) const { return source.Cannot(inst, why); }
  std::optional<uint64_t> ConstantValue(Id constant) { return types.ConstantValue(constant); }

  const Module& module;
  const EntryPoint& entry;
  const DecodeOptions& options;
  const DecodeSource source;
  std::unique_ptr<Program::Code> owned_code;
  Program::Code& code;
  RowTable rows;
  ConstantTable constants;
  TypeTable types;
  MemoryLayout layout;
  PointerTable pointers;
  CodeWriter writer;
  AuditIndex audit;
  std::map<Function, uint32_t> functions;  ///< the index of a function in Code::functions
  bool linear_quads = false;               ///< the execution mode DerivativeGroupLinear
};

/// Decodes a constant or an OpUndef of the module.
Status DecodeConstant(Decoder& decoder, Inst inst);

/// Decodes a module, without a companion.
Result<std::unique_ptr<Program::Code>> DecodeModule(const Module& module, const EntryPoint& entry,
                                                    const Bindings& bindings,
                                                    const std::string& file,
                                                    const DecodeOptions& options, bool linked);

}  // namespace interp
}  // namespace refract
