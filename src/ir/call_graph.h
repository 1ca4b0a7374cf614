// SPDX-License-Identifier: Apache-2.0
// Which function calls which, and which entry points reach a function.
#pragma once

#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <vector>

#include "ir/module.h"

namespace refract {
inline namespace ir {

/// The functions that `function` calls directly, each once, in order of the first call.
std::vector<Function> Callees(const Module& module, Function function);
/// `function` and the functions that it calls directly or indirectly, callers before callees. Also
/// terminates on (invalid) recursion.
std::vector<Function> Reached(const Module& module, Function function);
/// The OpEntryPoint instructions whose function reaches `function`, in the order of the file.
std::vector<Inst> EntryPointsReaching(const Module& module, Function function);
/// True if some OpEntryPoint names `function`.
bool IsEntryPoint(const Module& module, Function function);

struct EntryPoint {
  Inst instruction = Inst::kNone;
  spv::ExecutionModel model = spv::ExecutionModel::Vertex;
  Function function = Function::kNone;
  std::string name;
  std::vector<Id> interface;
};
/// All entry points, in the order of the file.
std::vector<EntryPoint> EntryPoints(const Module& module);

/// The literal string that begins at operand `index`. If `end` is not null, `*end` becomes the
/// index of the operand after it.
std::string StringOperand(const Module& module, Inst inst, uint32_t index, uint32_t* end = nullptr);

}  // namespace ir
}  // namespace refract
