// SPDX-License-Identifier: Apache-2.0
// Writes expressions as instructions. What could be undefined or inexact is guarded here: divisors,
// shifts, indices, and the range of floats.
//
// FLOATS. Every variable has multiples of 1/16 (16 bits: of 1/4) from -4 to 4. The writer knows for
// every value a bound of its magnitude and the number of its fraction bits, in any order of
// evaluation. Before a value needs more bits than a significand has, its operands are brought back
// to that form. So nothing is ever rounded, and all implementations compute the same, whatever they
// rearrange. Zeros may have either sign: only conversions to integers and comparisons leave floats,
// and they do not see the sign.
//
// BOUNDED OPERATIONS (write_bounded.cpp). Their operands are values as variables have them, so
// there are few. Their results are rounded to sixteenths at limits that are far from all possible
// results.
#pragma once

#include <spirv/unified1/GLSL.std.450.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "generate/module_writer.h"
#include "generate/tree.h"

namespace refract::generate {

class ExpressionWriter {
 public:
  ExpressionWriter(const GenerateOptions& options, const Tree& tree, ModuleWriter* module)
      : options_(options),
        tree_(tree),
        module_(*module),
        ids_(tree.variables.size()),
        counters_(tree.loops) {}

  struct Value {
    uint32_t id = 0;
    double bound = 0;       ///< floats: no more than this, with all signs made positive
    uint32_t fraction = 0;  ///< floats: multiples of 2 to the power of minus this
  };

  /// Begins a function. Its code starts empty.
  void Begin();
  Words& code() { return code_; }
  /// Code at the begin of the function. It loads what the function uses of the invocation.
  Words& prologue() { return prologue_; }

  Value Write(uint32_t expression);
  /// A value as variables have it.
  uint32_t WriteStored(uint32_t expression);
  uint32_t Invocation();  ///< its number, a uint
  uint32_t LocalIndex();  ///< within the workgroup
  uint32_t Workgroup();

  void SetVariable(uint32_t variable, uint32_t id) { ids_[variable] = id; }
  uint32_t IdOf(uint32_t variable) const { return ids_[variable]; }
  void SetCounter(uint32_t loop, uint32_t id) { counters_[loop] = id; }
  /// The value at the place, which is no parameter that is passed by value. `part` replaces the
  /// index of an array or matrix, if not kNone.
  uint32_t Load(const Place& place, uint32_t part = kNone);
  void Store(const Place& place, uint32_t value, uint32_t part = kNone);
  /// Converts a value of that type to a value of uints that has all of its information or, for
  /// integers of 64 bits, a hash of it.
  uint32_t ToUints(uint32_t value, Type type);

  uint32_t Add(spv::Op op, uint32_t type, std::initializer_list<uint32_t> operands);
  uint32_t Add(spv::Op op, Type type, std::initializer_list<uint32_t> operands) {
    return Add(op, module_.TypeId(type), operands);
  }
  uint32_t Extended(GLSLstd450 op, Type type, std::initializer_list<uint32_t> operands);

  /// Where the results of expressions are listed; null: nowhere.
  void ListResults(std::vector<uint32_t>* list) { results_ = list; }

 private:
  uint32_t PointerTo(const Place& place, uint32_t part);
  uint32_t Texel();  // the coordinates of the texel of the invocation
  Value WriteLeaf(const Expression& node);
  Value WriteUnary(const Expression& node);
  Value WriteShape(const Expression& node);
  Value WriteTexel(const Expression& node);
  Value WriteConvert(const Expression& node);
  Value ToFloat(uint32_t id, Type from, Type to);
  Value WriteBinary(const Expression& node);
  Value WriteFloat(const Expression& node);
  Value WriteBounded(const Expression& node);
  // Rounds a value that is near enough to a result of the operator.
  Value Rounded(Operator op, Type type, uint32_t value);
  uint32_t WriteInteger(const Expression& node);
  uint32_t WriteComparison(const Expression& node);
  Value WriteTernary(const Expression& node);
  Value Stored(const Value& value, Type type);
  // Whether such a value needs no more bits than a significand of that type has.
  static bool Fits(Scalar scalar, double bound, uint32_t fraction);
  uint32_t Masked(uint32_t value, Type type, uint64_t mask);
  // Between types of integers.
  uint32_t ConvertInteger(uint32_t value, Type from, Type to);

  const GenerateOptions& options_;
  const Tree& tree_;
  ModuleWriter& module_;
  Words code_, prologue_;
  std::vector<uint32_t> ids_, counters_;  // by variable, by loop
  uint32_t invocation_ = 0, local_index_ = 0, workgroup_ = 0;
  std::vector<uint32_t>* results_ = nullptr;
};

}  // namespace refract::generate
