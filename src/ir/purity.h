// SPDX-License-Identifier: Apache-2.0
// The side effects of functions, and whether the promises in their control hold (SPIR-V 3.24).
// Pure: no side effects. Const: also accesses only its own memory. A promise applies to every call,
// so all instructions count, even those that are never executed. A function with a promise must
// end, so it has no loops. A promise does not say that the function is defined for all arguments:
// code that adds a call must know more.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ir/module.h"

namespace refract {
inline namespace ir {

class Editor;

constexpr uint32_t kPure = 0x4, kConst = 0x8, kPromises = kPure | kConst;

/// The effects of functions for one state of a module. Results are cached.
class Purity {
 public:
  explicit Purity(const Module& module);
  /// The bits of kPromises that are proven for the function.
  uint32_t Proven(Function function);

 private:
  static constexpr uint32_t kReadsOutside = 1;      // global variables, images
  static constexpr uint32_t kReadsParameters = 2;   // memory at pointers in its parameters
  static constexpr uint32_t kWritesParameters = 4;  // the same for writes
  static constexpr uint32_t kOther = 8;             // any other effect
  struct Known {
    bool entered = false, done = false;
    uint32_t effects = kOther;  // until `done`; recursive functions keep kOther
  };
  uint32_t EffectsOf(Function function);
  bool Visit(Function function, std::vector<Function>* pending);
  uint32_t EffectsOf(Inst inst) const;
  uint32_t EffectsOfCall(Inst call) const;
  uint32_t EffectsOfRead(Id pointer) const;
  uint32_t EffectsOfWrite(Id pointer) const;

  const Module& module_;
  bool is_structured_ = false;
  std::map<Function, Known> known_;
};

/// True if a new or changed instruction may break a promise that was true.
bool MayBreakPromises(const Module& module, Inst inst);

/// Removes promises that are not proven (any more) from the functions that the editor has touched
/// and from those that call them. A promise of the original that cannot be proven stays as long as
/// no step touches what the function does.
void DropUnprovenPromises(Editor& editor);

}  // namespace ir
}  // namespace refract
