// SPDX-License-Identifier: Apache-2.0
// Decodes functions: the order of blocks, in which control flow joins as early as possible, and
// phis as moves on edges. Private to this library.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "interp/decode/variable_decoder.h"

namespace refract {
inline namespace interp {

class FunctionDecoder {
 public:
  FunctionDecoder(Decoder& decoder, VariableDecoder& variables)
      : decoder_(decoder), variables_(variables) {}

  /// Decodes functions. The first one is where invocations start; it calls the others.
  Status DecodeAll(const std::vector<Function>& functions);

 private:
  Status CheckCalls(Function function, uint32_t depth, std::map<Function, uint32_t>* depths);
  Status Declare(Function function);
  Status Decode(Function function);
  std::vector<Block> OrderBlocks(Function function) const;
  Status DecodeBlock(FunctionCode& function, Block block, const ControlFlow& flow);
  Status DecodeTerminator(BlockCode* code, Inst terminator);
  Status DecodeSwitch(BlockCode* code, Inst terminator);
  Status AddEdge(Block from, Id target);

  Decoder& decoder_;
  VariableDecoder& variables_;
  std::map<Block, uint32_t> positions_;  // in the function that is being decoded
};

}  // namespace interp
}  // namespace refract
