// SPDX-License-Identifier: Apache-2.0
// Injects single faults into the code of a module that ran, as a miscompilation might, to measure
// whether the outputs of a reference show them. A fault is one edited instruction and leaves the
// module valid.
//
// Places for faults are instructions in blocks that ran. If an instruction has a result, some code
// must use it. All places are equally likely, however often they ran. At a place, one of the
// possible faults is drawn.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "interp/interpreter.h"
#include "ir/module.h"

namespace refract::measure {

enum class FaultKind : uint8_t {
  kOperand,   ///< two operands exchanged, or one replaced by another available value
  kConstant,  ///< a constant operand or a part of it changed by one; a boolean inverted
  kBranch,    ///< the targets of a conditional branch, or two of a switch, exchanged
  kLoopStep,  ///< what a loop computes from its own last value (i + 1, sum + x) no longer changes
};
constexpr std::array<FaultKind, 4> kFaultKinds = {FaultKind::kOperand, FaultKind::kConstant,
                                                  FaultKind::kBranch, FaultKind::kLoopStep};
/// "operand", "constant", "branch", "loop step".
std::string_view FaultKindName(FaultKind kind);

struct InjectedFault {
  FaultKind kind = FaultKind::kOperand;
  Module module;  ///< with the fault; has the version and the entry points of the original
  Inst place = Inst::kNone;  ///< the instruction that was edited
};

class FaultInjector {
 public:
  /// `ran` is RunReport::blocks of `module`, which must be valid and outlive this.
  FaultInjector(const Module& module, const std::vector<BlockCount>& ran, uint64_t seed);
  /// Draws a fault that was not drawn before; nullopt if hardly any are left.
  std::optional<InjectedFault> Draw();

 private:
  void AddPlace(Inst inst);
  Id Other(Inst inst, uint32_t operand);
  Id OffByOne(Module* module, Id constant);

  bool MakeOperand(Inst inst, Module* module);
  bool MakeConstant(Inst inst, Module* module);
  bool MakeBranch(Inst inst, Module* module);
  bool MakeLoopStep(Inst inst, Module* module);

  const Module& module_;
  Random random_;
  std::vector<Inst> places_;
  std::map<Id, std::vector<Id>> of_type_;  // what can replace an operand of the type
  std::set<uint64_t> drawn_;               // hashes of the modules
};

}  // namespace refract::measure
