// SPDX-License-Identifier: Apache-2.0
#include "donate/fragment.h"

#include <algorithm>
#include <map>
#include <set>
#include <spirv/unified1/spirv.hpp11>
#include <utility>
#include <vector>

#include "donate/donated_function.h"
#include "ir/branches.h"

namespace refract {
inline namespace donate {
namespace {

using message::DonatedBlock;
using message::DonatedInstruction;
using message::DonatedOperand;
using message::Type;
using Message = message::AddFunction;
using Kind = DonatedOperand::Kind;

constexpr size_t kMostConstructs = 2;
constexpr size_t kMostInstructions = 24;  // of the first and of the last block
constexpr size_t kMostBlocks = 40;

spv::Op OpcodeOf(const DonatedInstruction& instruction) {
  return static_cast<spv::Op>(instruction.opcode);
}

bool IsVariable(const DonatedInstruction& instruction) {
  return OpcodeOf(instruction) == spv::Op::OpVariable;
}

bool IsPhi(const DonatedInstruction& instruction) {
  return OpcodeOf(instruction) == spv::Op::OpPhi;
}

// Calls `visit(operand index)` for the labels of a terminator or merge instruction.
template <class Visit>
void ForEachLabel(const DonatedInstruction& instruction, Visit visit) {
  const spv::Op opcode = OpcodeOf(instruction);
  const size_t count = instruction.operands.size();
  if (opcode == spv::Op::OpBranch || opcode == spv::Op::OpSelectionMerge) visit(size_t{0});
  if (opcode == spv::Op::OpLoopMerge) {
    visit(size_t{0});
    visit(size_t{1});
  }
  if (opcode == spv::Op::OpBranchConditional || opcode == spv::Op::OpSwitch) visit(size_t{1});
  if (opcode == spv::Op::OpBranchConditional) visit(size_t{2});
  // The selector has 32 bits, so each literal is one word.
  for (size_t i = 3; opcode == spv::Op::OpSwitch && i < count; i += 2) visit(i);
}

class Cutter {
 public:
  Cutter(const Message& function, const PickNumber& pick) : function_(function), pick_(pick) {
    for (const message::DonatedParameter& parameter : function.parameters) {
      types_.emplace(parameter.local, &parameter.type);
      next_ = std::max(next_, parameter.local + 1);
    }
    for (size_t b = 0; b < function.blocks.size(); ++b) {
      const DonatedBlock& block = function.blocks[b];
      block_of_.emplace(block.local, b);
      next_ = std::max(next_, block.local + 1);
      for (const DonatedInstruction& instruction : block.instructions) {
        next_ = std::max(next_, instruction.local + 1);
        types_.emplace(instruction.local, &instruction.type);
        if (IsVariable(instruction)) variables_.emplace(instruction.local, &instruction);
        ForEachLabel(instruction, [&](size_t i) {
          if (!IsMerge(OpcodeOf(instruction))) ++entries_[instruction.operands[i].word];
        });
      }
    }
  }

  std::optional<Message> Cut() {
    if (function_.blocks.empty() || !Choose()) return std::nullopt;
    fragment_.origin = function_.origin;
    for (size_t b = 0; b < function_.blocks.size(); ++b) {
      if (inside_.count(b) != 0) AddBlock(b);
    }
    Return();
    if (!AddFreeValues() || next_ > kMaxDonatedLocal) return std::nullopt;
    return std::move(fragment_);
  }

 private:
  const std::vector<DonatedInstruction>& BodyOf(size_t block) const {
    return function_.blocks[block].instructions;
  }
  // The index of the merge instruction or terminator with which the block ends.
  size_t EndOf(size_t block) const {
    const size_t size = BodyOf(block).size();
    const bool has_merge = size >= 2 && IsMerge(OpcodeOf(BodyOf(block)[size - 2]));
    return size - (has_merge ? 2 : 1);
  }
  const DonatedInstruction* MergeOf(size_t block) const {
    const size_t end = EndOf(block);
    return end + 1 < BodyOf(block).size() ? &BodyOf(block)[end] : nullptr;
  }
  bool IsLoopHeader(size_t block) const {
    return MergeOf(block) != nullptr && OpcodeOf(*MergeOf(block)) == spv::Op::OpLoopMerge;
  }

  // Chooses the blocks, the first instruction and the end.
  bool Choose() {
    first_ = pick_(function_.blocks.size());
    if (BodyOf(first_).empty()) return false;
    size_t constructs = pick_(kMostConstructs + 1);
    if (IsLoopHeader(first_)) {
      constructs = std::max(constructs, size_t{1});
    } else {
      size_t start = 0;
      while (start < EndOf(first_) &&
             (IsPhi(BodyOf(first_)[start]) || IsVariable(BodyOf(first_)[start]))) {
        ++start;
      }
      const size_t count = EndOf(first_) - start;
      from_ = start + pick_(count + 1);
      // Long blocks rarely need all their instructions in front of a construct.
      if (constructs != 0 && from_ + kMostInstructions < EndOf(first_)) {
        from_ = EndOf(first_) - pick_(kMostInstructions);
      }
    }
    last_ = first_;
    inside_ = spine_ = {first_};
    while (inside_.size() <= kMostBlocks && Extend(&constructs)) {
    }
    if (inside_.size() > kMostBlocks || IsLoopHeader(last_)) return false;
    const size_t begin = last_ == first_ ? from_ : PhiCount(last_);
    const size_t most = std::min(EndOf(last_) - begin, kMostInstructions);
    if (last_ != first_) {
      to_ = begin + pick_(most + 1);
      return true;
    }
    if (most == 0) return false;
    // Of two draws the larger: short fragments compute little.
    to_ = begin + 1 + std::max(pick_(most), pick_(most));
    return true;
  }

  size_t PhiCount(size_t block) const {
    size_t count = 0;
    while (IsPhi(BodyOf(block)[count])) ++count;
    return count;
  }

  // Goes on after the last block, if it begins a construct or leads only to one further block.
  bool Extend(size_t* constructs) {
    if (*constructs == 0) return false;
    const DonatedInstruction& end = BodyOf(last_).back();
    size_t header = last_;
    if (MergeOf(last_) == nullptr) {
      if (OpcodeOf(end) != spv::Op::OpBranch) return false;
      const auto target = block_of_.find(end.operands[0].word);
      if (target == block_of_.end()) return false;
      header = target->second;
    }
    std::set<size_t> with = inside_;
    with.insert(header);
    size_t next = header;
    if (MergeOf(last_) != nullptr || IsLoopHeader(header)) {
      const uint32_t merge = MergeOf(header)->operands[0].word;
      const auto at = block_of_.find(merge);
      if (at == block_of_.end() || !Collect(header, merge, &with)) return false;
      next = at->second;
      --*constructs;
    } else if (entries_[end.operands[0].word] != 1) {
      return false;
    }
    // A fragment cannot end in a loop header, because the phis there need the back edge.
    if (inside_.count(next) != 0 || IsLoopHeader(next)) return false;
    inside_ = std::move(with);
    inside_.insert(next);
    spine_.insert({header, next});
    last_ = next;
    return true;
  }

  // Collects the blocks between a header and its merge block. Some may be reached only by merge
  // instructions. Fails if the function may end there.
  bool Collect(size_t header, uint32_t merge, std::set<size_t>* blocks) const {
    std::vector<size_t> stack{header};
    while (!stack.empty()) {
      const size_t block = stack.back();
      stack.pop_back();
      switch (OpcodeOf(BodyOf(block).back())) {
        case spv::Op::OpBranch:
        case spv::Op::OpBranchConditional:
        case spv::Op::OpSwitch:
        case spv::Op::OpUnreachable:
          break;
        default:
          return false;
      }
      for (size_t i = EndOf(block); i < BodyOf(block).size(); ++i) {
        const DonatedInstruction& instruction = BodyOf(block)[i];
        ForEachLabel(instruction, [&](size_t operand) {
          const uint32_t label = instruction.operands[operand].word;
          const auto at = block_of_.find(label);
          if (label == merge || at == block_of_.end()) return;
          if (blocks->insert(at->second).second) stack.push_back(at->second);
        });
      }
      if (blocks->size() > kMostBlocks) return false;
    }
    return true;
  }

  void AddBlock(size_t b) {
    DonatedBlock block;
    block.local = function_.blocks[b].local;
    uint32_t entry = 0;
    if (b == first_ && IsLoopHeader(b)) {  // nothing may branch to the first block of a function
      entry = next_++;
      const DonatedOperand label{Kind::kLocal, block.local, {}, {}};
      fragment_.blocks.insert(
          fragment_.blocks.begin(),
          DonatedBlock{entry, {{static_cast<uint32_t>(spv::Op::OpBranch), next_++, {}, {label}}}});
    }
    const size_t from = b == first_ ? from_ : 0;
    const size_t to = b == last_ ? to_ : BodyOf(b).size();
    for (size_t i = from; i < to; ++i) {
      const DonatedInstruction& instruction = BodyOf(b)[i];
      if (IsVariable(instruction) || OpcodeOf(instruction) == spv::Op::OpFunctionCall) continue;
      if (spine_.count(b) != 0 && instruction.type.kind != Type::Kind::kNone &&
          instruction.type.kind != Type::Kind::kPointer) {
        results_.emplace_back(instruction.local, instruction.type);
      }
      block.instructions.push_back(instruction);
      if (entry != 0 && IsPhi(instruction)) EnterFrom(entry, &block.instructions.back());
    }
    if (b == first_ && entry == 0) {
      fragment_.blocks.insert(fragment_.blocks.begin(), std::move(block));
    } else {
      fragment_.blocks.push_back(std::move(block));
    }
  }

  // Makes one input from the new first block of the inputs from outside of the loop.
  void EnterFrom(uint32_t entry, DonatedInstruction* phi) const {
    std::vector<DonatedOperand> inputs;
    bool has_entry = false;
    for (size_t i = 0; i + 1 < phi->operands.size(); i += 2) {
      const auto from = block_of_.find(phi->operands[i + 1].word);
      const bool is_inside = from != block_of_.end() && inside_.count(from->second) != 0;
      if (!is_inside && has_entry) continue;
      inputs.push_back(phi->operands[i]);
      inputs.push_back(phi->operands[i + 1]);
      if (!is_inside) inputs.back().word = entry;
      has_entry = has_entry || !is_inside;
    }
    phi->operands = std::move(inputs);
  }

  // Ends the last block. Late values depend on more of the fragment than early ones.
  void Return() {
    DonatedInstruction end;
    end.opcode = static_cast<uint32_t>(spv::Op::OpReturn);
    end.local = next_++;
    fragment_.result.kind = Type::Kind::kVoid;
    if (!results_.empty() && pick_(6) != 0) {
      auto& [local, type] =
          results_[results_.size() - 1 - pick_(std::min<size_t>(results_.size(), 4))];
      end.opcode = static_cast<uint32_t>(spv::Op::OpReturnValue);
      end.operands.push_back({Kind::kLocal, local, {}, {}});
      fragment_.result = type;
    }
    for (DonatedBlock& block : fragment_.blocks) {
      if (block.local == function_.blocks[last_].local) block.instructions.push_back(end);
    }
  }

  // Adds parameters and variables for what the fragment uses and does not have.
  bool AddFreeValues() {
    std::set<uint32_t> known;
    for (const DonatedBlock& block : fragment_.blocks) {
      known.insert(block.local);
      for (const DonatedInstruction& each : block.instructions) known.insert(each.local);
    }
    std::vector<DonatedInstruction> variables;
    for (const DonatedBlock& block : fragment_.blocks) {
      for (const DonatedInstruction& instruction : block.instructions) {
        for (const DonatedOperand& operand : instruction.operands) {
          if (operand.kind != Kind::kLocal || !known.insert(operand.word).second) continue;
          const auto type = types_.find(operand.word);
          if (type == types_.end()) return false;  // a label outside of the fragment
          const auto variable = variables_.find(operand.word);
          if (variable != variables_.end() && variable->second->operands.size() > 1) {
            variables.push_back(*variable->second);
          } else {
            fragment_.parameters.push_back({operand.word, *type->second});
          }
        }
      }
    }
    auto& first = fragment_.blocks.front().instructions;
    first.insert(first.begin(), variables.begin(), variables.end());
    return fragment_.parameters.size() <= kMaxDonatedParameters;
  }

  const Message& function_;
  const PickNumber& pick_;
  std::map<uint32_t, size_t> block_of_;    // by the local number of the label
  std::map<uint32_t, const Type*> types_;  // of values and variables
  std::map<uint32_t, const DonatedInstruction*> variables_;
  std::map<uint32_t, size_t> entries_;  // how many operands of branches name the label
  uint32_t next_ = 1;                   // the next local number
  size_t first_ = 0, last_ = 0;         // blocks
  size_t from_ = 0, to_ = 0;            // the first instruction, and the end in the last block
  std::set<size_t> inside_;             // all blocks
  std::set<size_t> spine_;              // blocks that every run of the fragment enters
  std::vector<std::pair<uint32_t, Type>> results_;
  Message fragment_;
};

}  // namespace

std::optional<Message> CutFragment(const Message& function, const PickNumber& pick) {
  return Cutter(function, pick).Cut();
}

size_t LoopsOf(const Message& fragment) {
  size_t loops = 0;
  for (const DonatedBlock& block : fragment.blocks) {
    for (const DonatedInstruction& each : block.instructions) {
      loops += OpcodeOf(each) == spv::Op::OpLoopMerge;
    }
  }
  return loops;
}

double CostOfFragment(const Message& fragment) {
  constexpr double kAssumedIterations = 16;
  constexpr size_t kMostDepth = 4;
  double cost = 0;
  for (const DonatedBlock& block : fragment.blocks) {
    cost += static_cast<double>(block.instructions.size());
  }
  for (size_t i = std::min(LoopsOf(fragment), kMostDepth); i > 0; --i) cost *= kAssumedIterations;
  return cost;
}

}  // namespace donate
}  // namespace refract
