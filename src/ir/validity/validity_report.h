// SPDX-License-Identifier: Apache-2.0
// How the rules of validity report, and questions that several of them ask.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ir/module.h"

namespace refract::inline ir::validity {

/// "%12 = OpIAdd in block %7 of function %4".
std::string Place(const Module& module, Inst inst);
/// "%7".
std::string Called(const Module& module, Block block);

Error Broken(std::string_view rule, std::string_view what, const Module& module, Inst where);
Error Broken(std::string_view rule, std::string_view what);

/// Whether the capability is declared, or implied by one that is (SPIR-V 3.31).
bool HasCapability(const Module& module, spv::Capability capability);

/// Blocks of one function: a label first, one terminator last, branches and merge instructions to
/// blocks of the function. After that its control-flow graph can be built.
Status CheckBlocks(const Module& module, Function function);

/// Types of the operands and the result of a computation, of those that validity_types.cpp does not
/// judge itself.
Status CheckOperation(const Module& module, Inst inst);
/// What operands and result of an instruction of GLSL.std.450 are, of those that are judged.
enum class GlslNumbers : uint8_t {
  kOther,
  kInts,     ///< integers alike but for signedness
  kFloats,   ///< floats of one type
  kCross,    ///< vectors of three floats of one type
  kLength,   ///< floats of one type give a scalar of their kind
  kRefract,  ///< floats of one type, and a scalar
  kLdexp,    ///< floats, and as many integers
  kPack,     ///< a vector of two or four floats gives 32 bits
  kUnpack,   ///< 32 bits give a vector of two or four floats
};
GlslNumbers NumbersOfGlsl(uint32_t number);

/// Calls `check(Inst)` for every instruction in the order of the file until one gives an error.
template <class Check>
Status ForEachUntilBroken(const Module& module, Check check) {
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

}  // namespace refract::inline ir::validity
