// SPDX-License-Identifier: Apache-2.0
// Writes the output of a program at the end of main (emit.h): hashes of its variables.
#pragma once

#include <cstdint>

#include "generate/module_writer.h"
#include "generate/options.h"
#include "generate/tree.h"
#include "generate/write_expression.h"

namespace refract::generate {

class OutputWriter {
 public:
  OutputWriter(const GenerateOptions& options, const Tree& tree, ModuleWriter* module,
               ExpressionWriter* code)
      : options_(options), tree_(tree), module_(*module), code_(*code) {}

  /// Writes what an invocation does before it returns from main.
  void Write();

 private:
  uint32_t AddToHash(uint32_t hash, uint32_t word);
  uint32_t HashOf(uint32_t variable);
  void WriteColour(uint32_t hash);
  void WritePosition();

  const GenerateOptions& options_;
  const Tree& tree_;
  ModuleWriter& module_;
  ExpressionWriter& code_;
};

}  // namespace refract::generate
