// SPDX-License-Identifier: Apache-2.0
// The code that a self-checking module has in addition to its own: it runs after the function of
// the entry point, and compares the outputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/inputs.h"
#include "input/outputs.h"
#include "ir/edit/editor.h"
#include "ir/module.h"
#include "message/values.h"
#include "target/original_check.h"

namespace refract {
inline namespace reduce {

/// Adds a function to a module, and appends code to it. Finish makes it the function of the entry
/// point.
class SelfCheckCode {
 public:
  /// `module` must outlive this.
  SelfCheckCode(Module& module, const EntryPoint& entry);

  /// Calls the function of the entry point as it was.
  void Call();

  Editor& editor() { return editor_; }
  const Module& module() const { return module_; }
  const EntryPoint& entry() const { return entry_; }
  Function function() const { return function_; }
  Name NewName() { return editor_.Made(++names_); }

  /// Appends an instruction with or without a result.
  Id Value(spv::Op opcode, Id type, const Args& args);
  void Plain(spv::Op opcode, const Args& args);

  /// Types and constants.
  Id Type(const message::Type& type);
  Id Bool();
  Id Uint();
  Id Bits(Id type, uint64_t bits);
  Id Uint(uint32_t value) { return Bits(Uint(), value); }
  Id Float(float value);
  Id Composite(Id type, const Args& parts);

  /// The input variable of the entry point that is this built-in; a new one has the type `type`.
  Id BuiltInVariable(spv::BuiltIn built_in, Id type);
  void Decorate(const Args& args);
  void DecorateMember(const Args& args);

  /// Ends the block with a selection whose merge block follows, and continues in the arm.
  void BeginIf(Id condition);
  void EndIf();

  void Finish();

 private:
  Module& module_;
  const EntryPoint entry_;
  Editor editor_;
  uint64_t names_ = 0;
  Id void_ = Id::kNone;
  Function function_ = Function::kNone;
  Block block_ = Block::kNone, merge_ = Block::kNone;
  Id merge_label_ = Id::kNone;
};

/// An error of kind kUnavailable: the outputs cannot be compared in this way.
Error CannotCheck(std::string why);

/// The word of a decoration; 0 without this decoration.
uint32_t DecorationValue(const Module& module, Id id, spv::Decoration decoration);

/// Adds the call and the comparison with `outputs` to a fragment or a compute shader, as
/// MakeSelfChecking says. Changes `inputs` to those of the new module.
Status CheckColours(SelfCheckCode& code, const Outputs& outputs, Inputs* inputs);
Status CheckBuffers(SelfCheckCode& code, const Outputs& outputs,
                    const std::vector<BufferLayout>& layouts, Inputs* inputs);

}  // namespace reduce
}  // namespace refract
