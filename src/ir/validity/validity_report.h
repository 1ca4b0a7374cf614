// SPDX-License-Identifier: Apache-2.0
// How the rules of validity report errors, and functions that several of them use.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ir/module.h"

namespace refract {
inline namespace ir {
namespace validity {

/// An instruction and its position as text: "%12 = OpIAdd in block %7 of function %4".
std::string DescribePlace(const Module& module, Inst inst);
/// A block as text: "%7".
std::string NameText(const Module& module, Block block);

Error Violation(std::string_view rule, std::string_view what, const Module& module, Inst where);
Error Violation(std::string_view rule, std::string_view what);

/// True if the capability is declared, or implied by a declared one (SPIR-V 3.31).
bool HasCapability(const Module& module, spv::Capability capability);

/// Checks the blocks of one function: each begins with a label and ends with its only terminator,
/// and branches and merge instructions name blocks of the function. If it passes, the control-flow
/// graph can be built.
Status CheckBlocks(const Module& module, Function function);

/// Checks the types of the operands and the result of computations that validity_types.cpp does not
/// check itself.
Status CheckOperation(const Module& module, Inst inst);
/// The types of operands and result of an instruction of GLSL.std.450.
enum class GlslSignature : uint8_t {
  kOther,
  kInts,     ///< integers that may differ in signedness only
  kFloats,   ///< floats of one type
  kCross,    ///< vectors of three floats of one type
  kLength,   ///< floats of one type; the result is a scalar of their component type
  kRefract,  ///< floats of one type, and a scalar
  kLdexp,    ///< floats, and an equal number of integers
  kPack,     ///< a vector of two or four floats; the result has 32 bits
  kUnpack,   ///< 32 bits; the result is a vector of two or four floats
};
GlslSignature GlslSignatureOf(uint32_t number);

/// Calls `check(Inst)` for every instruction in the order of the file, until one returns an error.
template <class Check>
Status ForEachUntilError(const Module& module, Check check) {
  Status status;
  const auto list = [&](Block block) {
    for (Inst i = module.First(block); status && i != Inst::kNone; i = module.Next(i)) {
      status = check(i);
    }
  };
  for (uint32_t s = 1; s < Index(Section::kTrailer); ++s) list(static_cast<Block>(s));
  ForEachFunction(module, [&](Function function) {
    list(module[function].head);
    ForEachBlock(module, function, list);
    list(module[function].tail);
  });
  list(Module::SectionBlock(Section::kTrailer));
  return status;
}

}  // namespace validity
}  // namespace ir
}  // namespace refract
