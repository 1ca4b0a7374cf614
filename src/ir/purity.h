// SPDX-License-Identifier: Apache-2.0
// What a function does beside yielding a value, as its control may promise (SPIR-V 3.24): Pure, no
// side effects; Const, and no memory but its own. A promise is about every call, so all that is
// written down counts, whether it runs or not; and a function that is promised ends, so it has no
// loops. That it is defined on all arguments is not promised: who runs a call where none was has to
// know more.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ir/module.h"

namespace refract::inline ir {

class Editor;

constexpr uint32_t kPure = 0x4, kConst = 0x8, kPromises = kPure | kConst;

/// What functions do, for one state of a module: asked again of one it costs nothing.
class Purity {
 public:
  explicit Purity(const Module& module);
  /// Of kPromises those that are true of the function.
  uint32_t Proven(Function function);

 private:
  static constexpr uint32_t kReadsOutside = 1;      // global variables, images
  static constexpr uint32_t kReadsParameters = 2;   // what pointers that it is given lead to
  static constexpr uint32_t kWritesParameters = 4;  // the same
  static constexpr uint32_t kOther = 8;             // anything else
  struct Known {
    bool entered = false, done = false;
    uint32_t effects = kOther;  // until it is done: whoever calls itself is none of ours
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

/// Whether a new or changed instruction may make a promise untrue that was true.
bool MayBreakPromises(const Module& module, Inst inst);

/// Takes promises back from functions that the editor has touched, and from those that call them,
/// where they are not proven (any more): one that the original made and nobody can prove stays as
/// long as no step touches what the function does.
void DropUnprovenPromises(Editor& editor);

}  // namespace refract::inline ir
