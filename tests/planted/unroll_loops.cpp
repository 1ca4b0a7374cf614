// SPDX-License-Identifier: Apache-2.0
// Unrolls loops that have no branches except the one that ends them, and an integer counter with a
// constant start, step and end.
#include <optional>

#include "planted/clone.h"
#include "planted/flow.h"
#include "planted/passes.h"

namespace refract::planted {
namespace {

constexpr uint32_t kMostRounds = 8;
constexpr size_t kMostSize = 400;  // of all iterations together

using spv::Op;

// A loop that can be unrolled.
struct Loop {
  std::vector<uint32_t> path;  // its blocks in the order in which they run, the header first
  size_t test = 0;             // the index of the block with the exit
  uint32_t before = 0;         // label of the predecessor
  uint32_t last = 0;           // label of the block with the back edge
  uint32_t merge = 0;
  uint32_t rounds = 0;  // how often the test continues the loop
};

class Unroller {
 public:
  explicit Unroller(Program* program, Function* function)
      : program_(*program), function_(*function), flow_(*function), definitions_(*program) {}

  bool UnrollOne() {
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      if (flow_.continue_target[i] == Flow::kNone || !flow_.Reachable(i)) continue;
      const std::optional<Loop> loop = FindLoop(i);
      if (!loop) continue;
      Unroll(*loop);
      return true;
    }
    return false;
  }

 private:
  std::optional<Loop> FindLoop(uint32_t header) {
    const uint32_t control = function_.blocks[header].Merge()->Word(2);
    if ((control & static_cast<uint32_t>(spv::LoopControlMask::DontUnroll)) != 0) return {};
    Loop loop;
    loop.merge = flow_.merge[header];
    bool tested = false;
    size_t size = 0;
    for (uint32_t block = header;;) {
      loop.path.push_back(block);
      size += function_.blocks[block].code.size();
      if (loop.path.size() > 16 || size > kMostSize) return {};
      const auto& next = flow_.successors[block];
      const Op end = function_.blocks[block].End().op;
      uint32_t on = next.empty() ? Flow::kNone : next[0];
      if (end == Op::OpBranchConditional && !tested && next.size() == 2) {
        if (next[0] != loop.merge && next[1] != loop.merge) return {};
        on = next[next[0] == loop.merge ? 1 : 0];
        loop.test = loop.path.size() - 1;
        tested = true;
      } else if (end != Op::OpBranch) {
        return {};
      }
      if (block != header && function_.blocks[block].Merge() != nullptr) return {};
      if (on == loop.merge) return {};
      if (on == header) break;
      if (flow_.predecessors[on].size() != 1) return {};
      block = on;
    }
    if (!tested || flow_.predecessors[header].size() != 2) return {};
    if (flow_.predecessors[loop.merge].size() != 1) return {};
    const auto& before = flow_.predecessors[header];
    const uint32_t outside = before[0] == loop.path.back() ? before[1] : before[0];
    loop.before = function_.blocks[outside].label;
    loop.last = function_.blocks[loop.path.back()].label;
    if (!CountRounds(&loop) || (loop.rounds + 1) * size > kMostSize) return {};
    return loop;
  }

  // The input of a phi for a predecessor; 0 if not found.
  static uint32_t Input(const Instruction& phi, uint32_t label) {
    for (size_t i = 0; i + 1 < phi.in.size(); i += 2) {
      if (phi.Id(i + 1) == label) return phi.Id(i);
    }
    return 0;
  }

  bool CountRounds(Loop* loop) const {
    const Instruction& branch = function_.blocks[loop->path[loop->test]].End();
    const Instruction* condition = definitions_[branch.Id(0)];
    if (condition == nullptr || condition->in.size() != 2 || !condition->in[0].is_id) return false;
    const bool goes_on_if = flow_.Index(branch.Id(1)) != loop->merge;
    for (const Instruction& phi : function_.blocks[loop->path[0]].code) {
      if (phi.op != Op::OpPhi || !definitions_.IsInt32(phi.type)) continue;
      uint32_t value = 0, step = 0;
      const Instruction* next = definitions_[Input(phi, loop->last)];
      if (!definitions_.IntValue(Input(phi, loop->before), &value) || next == nullptr) continue;
      if (next->op != Op::OpIAdd || !StepOf(*next, phi.result, &step)) continue;
      for (uint32_t rounds = 0; rounds <= kMostRounds; ++rounds, value += step) {
        const auto known = [&](uint32_t id, uint32_t* found) {
          if (id != phi.result && id != next->result) return definitions_.IntValue(id, found);
          *found = id == phi.result ? value : value + step;
          return true;
        };
        uint32_t a = 0, b = 0;
        if (!known(condition->Id(0), &a) || !known(condition->Id(1), &b)) break;
        const std::optional<bool> truth = Compare(condition->op, a, b);
        if (!truth) break;
        if (*truth == goes_on_if) continue;
        loop->rounds = rounds;
        if (rounds > 0 && phi.Id(1) == loop->last && program_.bugs.At(Bug::kCountedFirst)) {
          --loop->rounds;
        }
        return true;
      }
    }
    return false;
  }

  bool StepOf(const Instruction& add, uint32_t counter, uint32_t* step) const {
    return (add.Id(0) == counter && definitions_.IntValue(add.Id(1), step)) ||
           (add.Id(1) == counter && definitions_.IntValue(add.Id(0), step));
  }

  // Puts all iterations into one block, with the label of the header.
  void Unroll(const Loop& loop) {
    std::vector<Instruction> code;
    Cloner cloner(&program_);
    std::vector<uint32_t> values;  // of the header's phis, in the next iteration
    const Block header = function_.blocks[loop.path[0]];
    for (const Instruction& phi : header.code) {
      if (phi.op == Op::OpPhi) values.push_back(Input(phi, loop.before));
    }
    for (uint32_t round = 0; round <= loop.rounds; ++round) {
      size_t number = 0;
      for (const Instruction& phi : header.code) {
        if (phi.op == Op::OpPhi) cloner.Map(phi.result, values[number++]);
      }
      for (size_t i = 0; i < loop.path.size(); ++i) {
        CopyRound(function_.blocks[loop.path[i]], &cloner, &code);
        if (round == loop.rounds && i == loop.test) break;
      }
      values.clear();
      for (const Instruction& phi : header.code) {
        if (phi.op == Op::OpPhi) values.push_back(cloner.At(Input(phi, loop.last)));
      }
    }
    Finish(loop, cloner, std::move(code));
  }

  static void CopyRound(const Block& from, Cloner* cloner, std::vector<Instruction>* code) {
    for (const Instruction& instruction : from.code) {
      if (instruction.op == Op::OpPhi && instruction.in.size() == 2) {
        cloner->Map(instruction.result, cloner->At(instruction.Id(0)));
      }
      if (instruction.op == Op::OpPhi || instruction.op == Op::OpLoopMerge ||
          &instruction == &from.End()) {
        continue;
      }
      if (instruction.result != 0) {
        const Instruction source = instruction;
        Instruction made = cloner->Copy(source);
        made.result = cloner->Make(source.result);
        code->push_back(std::move(made));
      } else {
        code->push_back(cloner->Copy(instruction));
      }
    }
  }

  // Replaces the results of the loop by those of its last iteration.
  void Finish(const Loop& loop, const Cloner& cloner, std::vector<Instruction> code) {
    const uint32_t label = function_.blocks[loop.path[0]].label;
    const uint32_t test = function_.blocks[loop.path[loop.test]].label;
    code.push_back({Op::OpBranch, 0, 0, {IdOperand(function_.blocks[loop.merge].label)}});
    std::map<uint32_t, uint32_t> last;
    for (size_t i = 0; i < loop.path.size(); ++i) {
      for (const Instruction& instruction : function_.blocks[loop.path[i]].code) {
        if (instruction.result != 0) last[instruction.result] = cloner.At(instruction.result);
      }
    }
    function_.blocks[loop.path[0]].code = std::move(code);
    std::map<uint32_t, bool> gone;
    for (size_t i = 1; i < loop.path.size(); ++i) {
      gone[function_.blocks[loop.path[i]].label] = true;
    }
    std::erase_if(function_.blocks,
                  [&](const Block& block) { return gone.count(block.label) != 0; });
    for (Block& block : function_.blocks) {
      if (block.label == label) continue;
      for (Instruction& instruction : block.code) {
        for (Operand& operand : instruction.in) {
          const auto found = operand.is_id ? last.find(operand.word) : last.end();
          if (found != last.end()) operand.word = found->second;
        }
      }
    }
    RenamePredecessor(&function_, test, label);
  }

  Program& program_;
  Function& function_;
  const Flow flow_;
  const Definitions definitions_;
};

}  // namespace

void UnrollLoops(Program* program) {
  constexpr int kMostLoops = 32;
  for (Function& function : program->functions) {
    if (function.blocks.empty()) continue;
    int loops = 0;
    while (loops < kMostLoops && Unroller(program, &function).UnrollOne()) ++loops;
    if (loops > 0) OrderBlocks(&function);
  }
}

}  // namespace refract::planted
