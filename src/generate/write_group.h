// SPDX-License-Identifier: Apache-2.0
// Writes operations that the invocations of a workgroup or a subgroup execute together.
#pragma once

#include <cstdint>

#include "generate/module_writer.h"
#include "generate/write_expression.h"

namespace refract::generate {

class GroupWriter {
 public:
  GroupWriter(const GenerateOptions& options, ModuleWriter* module, ExpressionWriter* code)
      : options_(options), module_(*module), code_(*code) {}

  /// Writes the operation on the value and returns the result.
  uint32_t Write(GroupOperation operation, uint32_t value);

 private:
  void Barrier();
  uint32_t Exchange(uint32_t value);
  uint32_t Atomic(spv::Op op, uint32_t value);
  uint32_t Subgroup(GroupOperation operation, uint32_t value);

  const GenerateOptions& options_;
  ModuleWriter& module_;
  ExpressionWriter& code_;
};

}  // namespace refract::generate
