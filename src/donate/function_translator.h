// SPDX-License-Identifier: Apache-2.0
// Translates one function of a donor to the message that adds it to another module. Its variables
// and the module variables that it uses become local variables. Instructions that a recipient may
// not support (images, atomics, derivatives, barriers and so on) are replaced by others of the same
// type, or dropped if they have no result.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "donate/donated_types.h"
#include "message/add_function.h"

namespace refract {
inline namespace donate {

/// Names another donated function of the donor. `max_array_length` is that of DonatedTypes.
struct DonatedCallee {
  uint64_t origin = 0;
  uint32_t max_array_length = 0;
};

class FunctionTranslator {
 public:
  /// `callees` are the functions that were donated before. Calls of other functions are replaced.
  FunctionTranslator(const Module& module, Function function, uint32_t max_array_length,
                     const std::map<Function, DonatedCallee>& callees)
      : module_(module),
        function_(function),
        max_array_length_(max_array_length),
        types_(module, max_array_length),
        callees_(callees) {}

  /// Returns the reason if the function cannot be translated, else null. `message` is then the
  /// function, neither live-safe nor with an origin.
  const char* Translate(message::AddFunction* message);

 private:
  using Operands = std::vector<message::DonatedOperand>;

  // function_translator.cpp
  uint32_t LocalOf(Id id);
  bool IsInexpressible(Id id);
  bool UsesInexpressible(Inst inst);
  void AddGlobals();
  void AddParameters();
  void AddBlock(Block block);
  void AddInstruction(Inst inst);
  void AddPlain(Inst inst);
  void AddPhi(Inst phi);
  void AddCall(Inst inst);
  void AddEnd(Inst inst);
  void FitIndices(Inst inst, message::DonatedInstruction* donated) const;
  message::DonatedOperand Operand(Inst inst, uint32_t index);
  message::DonatedOperand Value(Id id);
  void Emit(spv::Op opcode, uint32_t local, const message::Type& type, Operands operands);
  void AddVariable(uint32_t local, const message::Type& pointer, Operands initializer);

  // replaced_instructions.cpp
  bool Replace(Inst inst);
  void Substitute(Inst inst);
  void CopyMemory(Inst inst);
  bool ReplaceAtomic(Inst inst);
  void ReplaceCompareExchange(Inst inst, const message::Type& type);

  const Module& module_;
  const Function function_;
  const uint32_t max_array_length_;
  const DonatedTypes types_;
  const std::map<Function, DonatedCallee>& callees_;
  message::AddFunction* message_ = nullptr;
  message::DonatedBlock* block_ = nullptr;              // the block that is being filled
  std::vector<message::DonatedInstruction> variables_;  // of the entry block
  const char* reason_ = nullptr;
  std::set<Id> inexpressible_;  // ids whose types a message cannot express
  std::map<Id, uint32_t> locals_;
  uint32_t next_ = 1;
};

}  // namespace donate
}  // namespace refract
