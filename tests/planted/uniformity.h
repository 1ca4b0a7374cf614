// SPDX-License-Identifier: Apache-2.0
// The optimiser's own divergence analysis: which values are the same in all invocations of a
// subgroup that compute them together, and which blocks all invocations of a subgroup enter
// together. It follows the variables of a function from store to store. Without a bug it is sound:
// what it calls uniform is uniform. The bugs of the group kDivergence that are in it call some
// divergent values uniform.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "planted/flow.h"
#include "planted/program.h"

namespace refract::planted {

class Uniformity {
 public:
  explicit Uniformity(Program* program);

  /// Whether invocations may have different values. Ids that are newer than the analysis are
  /// divergent.
  bool IsDivergent(uint32_t id) const { return id >= divergent_.size() || divergent_[id]; }
  /// Whether only some invocations may enter the block, by numbers of the function and the block.
  bool IsDivergentBlock(size_t function, uint32_t block) const {
    return functions_[function].divergent_block[block];
  }
  /// Whether the block ends with a branch on a divergent condition or selector.
  bool IsDivergentBranch(size_t function, uint32_t block) const;
  const Flow& FlowOf(size_t function) const { return functions_[function].flow; }
  /// The variable of a function or of an invocation that a pointer is into; 0 if the analysis does
  /// not know all that is stored to it.
  uint32_t VariableOf(uint32_t pointer) const;

 private:
  using Classes = std::vector<bool>;  // by number of a variable: divergent

  struct OfFunction {
    explicit OfFunction(const Function& function) : flow(function) {}
    Flow flow;
    bool is_opaque = false;                       // has blocks from which no exit is reached
    bool divergent = false;                       // called in divergent control flow
    bool returns_divergent = false;               // a returned value, or a return, is divergent
    std::vector<uint32_t> joins;                  // by block: its immediate post-dominator; kNone
    std::vector<std::vector<uint32_t>> deciders;  // by block: whose branches decide its entry
    std::vector<bool> divergent_block;
    std::vector<bool> divergent_selection;  // for another reason than exits of loops around it
    std::vector<Classes> at_entry;          // by block
  };

  void FindVariables();
  void FindDeciders(OfFunction* of);
  void UpdateBlocks(size_t number);
  void UpdateValues(size_t number);
  void Visit(OfFunction& of, uint32_t block, const Instruction& instruction, Classes* now);
  void VisitStore(const OfFunction& of, uint32_t block, const Instruction& store, Classes* now);
  bool LoadIsDivergent(const Instruction& load, const Classes& now);
  bool CallIsDivergent(OfFunction& of, uint32_t block, const Instruction& call, Classes* now);
  bool ResultIsDivergent(OfFunction& of, uint32_t block, const Instruction& instruction,
                         Classes* now);
  bool AnyOperandIsDivergent(const Instruction& instruction) const;
  bool SelectsUniform(const Instruction& select) const;
  bool HasDivergentIndex(uint32_t pointer) const;
  uint32_t RootOf(uint32_t pointer) const;
  bool IsInLoop(const Flow& flow, uint32_t header, uint32_t block) const;
  bool IsExit(const OfFunction& of, uint32_t branch, uint32_t block) const;
  void SetDivergent(uint32_t id);

  Program& program_;
  const Definitions definitions_;
  std::vector<bool> divergent_;  // by id
  std::vector<OfFunction> functions_;
  std::map<uint32_t, size_t> function_of_;  // by id
  std::map<uint32_t, uint32_t> roots_;      // by id of an access chain: the pointer at its begin
  std::map<uint32_t, size_t> variables_;    // by id: the number of a variable in Classes
  std::map<uint32_t, uint32_t> builtins_;   // by id of a variable: the BuiltIn
  bool has_buffer_blocks_ = false;          // storage buffers of the storage class Uniform
  bool changed_ = false;
};

}  // namespace refract::planted
