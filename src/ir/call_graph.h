// SPDX-License-Identifier: Apache-2.0
// Who calls whom, and which entry points (with their stages) reach a function.
#pragma once

#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <vector>

#include "ir/module.h"

namespace refract::inline ir {

/// Functions that `function` calls directly, each once, in order of the first call.
std::vector<Function> Callees(const Module& module, Function function);
/// Functions that `function` calls directly or not, itself included, callers before the calls they
/// make; also right for (invalid) recursion.
std::vector<Function> Reached(const Module& module, Function function);
/// The OpEntryPoint instructions whose function reaches `function`, in file order.
std::vector<Inst> EntryPointsReaching(const Module& module, Function function);
/// Whether `function` is what some OpEntryPoint names.
bool IsEntryPoint(const Module& module, Function function);

struct EntryPoint {
  Inst instruction = Inst::kNone;
  spv::ExecutionModel model = spv::ExecutionModel::Vertex;
  Function function = Function::kNone;
  std::string name;
  std::vector<Id> interface;
};
/// All entry points, in file order.
std::vector<EntryPoint> EntryPoints(const Module& module);

/// A literal string that begins at operand `index`; `*end` (if asked) is the operand after it.
std::string StringOperand(const Module& module, Inst inst, uint32_t index, uint32_t* end = nullptr);

}  // namespace refract::inline ir
