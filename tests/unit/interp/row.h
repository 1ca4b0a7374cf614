// SPDX-License-Identifier: Apache-2.0
// A row of the tables of instructions: what is run on which operands, and what must come out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "interp/math/precision.h"
#include "values.h"

namespace refract {

/// What comes of one tuple of operands.
struct Want {
  enum class Kind : uint8_t {
    kUnknown,    ///< nobody has computed it: the drivers are the witnesses
    kValue,      ///< `bits`, rounded to nearest even where rounding is allowed
    kUndefined,  ///< the value is undefined
    kTrap,       ///< the behaviour is
  };
  Kind kind = Kind::kUnknown;
  Bits bits;

  static Want Value(Bits bits) { return {Kind::kValue, std::move(bits)}; }
  static Want Undefined() { return {Kind::kUndefined, {}}; }
  static Want Trapped() { return {Kind::kTrap, {}}; }
};

struct TableRow {
  /// "OpIAdd", or the name of a GLSL.std.450 instruction: "FMin".
  std::string instruction;
  std::string result;                 ///< "u32"; two results that make a struct: "u32 u32"
  std::vector<std::string> operands;  ///< types
  std::vector<Bits> tuples;           ///< each: the scalars of all operands
  std::function<Want(const Bits&)> want = nullptr;
  /// What an approximate result may be; default: not compared with the drivers'.
  std::function<math::Range(const Bits&, size_t component)> allowed = nullptr;
  double gaps = 1;            ///< an approximate result may be off from `want` by so many
  bool exact = false;         ///< no result is approximate
  bool approximate = false;   ///< some result is
  bool by_component = false;  ///< vectors work alike: the row is run on them, too
  bool no_contraction = false;
  /// The instructions instead of "%r = INSTRUCTION %T %0 %1 ...": $0, $1, ... are the operands, $r
  /// the result, ~ makes ids unique. Blocks may begin and end in it.
  std::string body = {};
  std::string types = {};    ///< more types that are to be there: "v2f32 m2x2f32"
  std::string globals = {};  ///< declarations, after the types
  std::string decorations = {};
  std::string locals = {};        ///< variables of main
  std::string functions = {};     ///< after main
  std::string interface = {};     ///< ids of variables that the entry point has to list
  std::string capabilities = {};  ///< lines
  uint32_t version = 3;           ///< SPIR-V 1.x
  bool fold = true;               ///< spirv-opt is a witness, too
  bool optimised = false;         ///< the drivers optimise; else they compile faster
  std::string modes = {};         ///< execution modes, lines
  /// Whether a proven bug that docs/bugs.md tells of hits the tuple on a driver ("lavapipe"), or
  /// "folded" by spirv-opt: not compared then.
  std::function<bool(const std::string& who, const Bits&)> wrong = nullptr;

  std::vector<TableType> OperandTypes() const;
  std::vector<TableType> ResultTypes() const;
  std::string Name() const;  ///< "OpIAdd u32 <- u32 u32"
};

/// The same row on vectors of `n`, each of the tuples' scalars in some component.
TableRow OnVectors(const TableRow& row, int n);

/// What a row's module does with its operands.
enum class RowForm {
  kBuffers,    ///< one workgroup for each tuple, operands from binding 0, results to binding 1
  kConstants,  ///< operands are constants, all tuples one after the other in one invocation
};
/// The module in assembly.
std::string RowAssembly(const TableRow& row, const std::vector<Bits>& tuples, RowForm form);
/// The operands as words of binding 0.
std::string OperandBytes(const TableRow& row, const std::vector<Bits>& tuples);
size_t ResultWords(const TableRow& row);

}  // namespace refract
