// SPDX-License-Identifier: Apache-2.0
// The disassembled line of each instruction of a module, for messages to people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace refract::measure {

class Listing {
 public:
  /// `module` must outlive this.
  explicit Listing(const Module& module);
  /// The line of an instruction of a function, with ids as names. Its opcode if the line is not
  /// found.
  std::string Line(Inst inst) const;
  /// "%main"
  std::string FunctionName(Inst inst) const;

 private:
  const Module& module_;
  std::vector<std::string> lines_;
  std::vector<size_t> line_of_;  // by instruction; lines_.size() if not found
};

}  // namespace refract::measure
