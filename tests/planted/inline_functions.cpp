// SPDX-License-Identifier: Apache-2.0
// Inlines small functions that call none and have one return, which is outside of all constructs.
#include <optional>

#include "planted/clone.h"
#include "planted/flow.h"
#include "planted/passes.h"

namespace refract::planted {
namespace {

constexpr auto kDontInline = static_cast<uint32_t>(spv::FunctionControlMask::DontInline);
constexpr size_t kMostSize = 80;           // of a function that is inlined
constexpr size_t kMostCallerSize = 20000;  // at this size, no more calls are inlined

bool IsReturn(spv::Op op) {
  return op == spv::Op::OpReturn || op == spv::Op::OpReturnValue;
}

bool IsDontInline(const Function& function) {
  return (function.definition.Word(0) & kDontInline) != 0;
}

bool IsUsed(const Function& function, uint32_t id) {
  for (const Block& block : function.blocks) {
    for (const Instruction& instruction : block.code) {
      for (const Operand& operand : instruction.in) {
        if (operand == IdOperand(id)) return true;
      }
    }
  }
  return false;
}

// The block with the only return, or nothing if the function cannot be inlined.
std::optional<uint32_t> FindReturn(const Function& function, Bugs* bugs) {
  if (function.blocks.empty() || function.Size() > kMostSize) return {};
  std::optional<uint32_t> found;
  for (uint32_t i = 0; i < function.blocks.size(); ++i) {
    for (const Instruction& instruction : function.blocks[i].code) {
      if (instruction.op == spv::Op::OpFunctionCall) return {};
    }
    if (!IsReturn(function.blocks[i].End().op)) continue;
    if (found) return {};
    found = i;
  }
  if (!found) return {};
  const Flow flow(function);
  if (!flow.Reachable(*found) || flow.InnermostHeader(*found) != Flow::kNone) return {};
  if (IsDontInline(function)) {
    const bool alone = function.definition.Word(0) == kDontInline;
    if (!alone || function.blocks.size() < 2 || !bugs->At(Bug::kDontInlineAgain)) return {};
  }
  return found;
}

class Inliner {
 public:
  Inliner(Program* program, Function* caller) : program_(*program), caller_(*caller) {}

  // Inlines the next call for which this is possible; false if not found.
  bool InlineOne(const std::map<uint32_t, uint32_t>& returns,
                 const std::map<uint32_t, Function>& bodies) {
    if (caller_.Size() > kMostCallerSize) return false;
    std::optional<Flow> flow;
    for (uint32_t i = 0; i < caller_.blocks.size(); ++i) {
      const auto& code = caller_.blocks[i].code;
      for (size_t at = 0; at < code.size(); ++at) {
        if (code[at].op != spv::Op::OpFunctionCall) continue;
        const auto body = bodies.find(code[at].Id(0));
        if (body == bodies.end()) continue;
        if (!flow) flow.emplace(caller_);
        if (IsDontInline(body->second)) return true;  // bug dont_inline_again: nothing changes
        if (!MayInline(*flow, i, at, body->second)) continue;
        Inline(i, at, body->second, returns.at(body->first));
        return true;
      }
    }
    return false;
  }

 private:
  bool MayInline(const Flow& flow, uint32_t block, size_t at, const Function& callee) const {
    if (!flow.Reachable(block)) return false;
    if (callee.blocks.size() == 1) return true;
    // A loop header keeps its merge instruction, and a continue construct its only back edge.
    if (flow.continue_target[block] != Flow::kNone || flow.InContinue(block)) return false;
    for (size_t i = 0; i < at; ++i) {
      if (caller_.blocks[block].code[i].op == spv::Op::OpSampledImage) return false;
    }
    return true;
  }

  void Inline(uint32_t block, size_t at, const Function& callee, uint32_t return_block) {
    const Instruction call = caller_.blocks[block].code[at];
    Cloner cloner(&program_);
    for (size_t i = 0; i < callee.parameters.size(); ++i) {
      cloner.Map(callee.parameters[i].result, call.Id(1 + i));
    }
    ArgumentBugs(callee, call, &cloner);
    for (const Block& body : callee.blocks) cloner.MakeAll(body);

    Block& before = caller_.blocks[block];
    Block after{program_.NewId()};
    after.code.assign(before.code.begin() + static_cast<ptrdiff_t>(at) + 1, before.code.end());
    before.code.resize(at);
    std::vector<Block> made;
    std::vector<Instruction> variables;
    for (uint32_t i = 0; i < callee.blocks.size(); ++i) {
      made.push_back(CopyBlock(callee.blocks[i], cloner, &variables));
      if (i != return_block) continue;
      const Instruction end = made.back().End();
      made.back().End() = {spv::Op::OpBranch, 0, 0, {IdOperand(after.label)}};
      if (end.op == spv::Op::OpReturnValue) result_ = end.Id(0);
    }
    Join(block, std::move(made), std::move(after));
    auto& entry = caller_.blocks[0].code;
    entry.insert(entry.begin(), variables.begin(), variables.end());
    if (call.result != 0 && result_ != 0) {
      Replacements replaced;
      replaced.Set(call.result, result_);
      ForEachInstruction(caller_, [&](Instruction& instruction) {
        for (Operand& operand : instruction.in) {
          if (operand.is_id) operand.word = replaced.Find(operand.word);
        }
      });
    }
  }

  void ArgumentBugs(const Function& callee, const Instruction& call, Cloner* cloner) {
    const auto& parameters = callee.parameters;
    if (parameters.empty() || IsUsed(callee, parameters.back().result)) return;
    if (parameters.size() > 2 && parameters[0].type == parameters[1].type &&
        call.Id(1) != call.Id(2) && program_.bugs.At(Bug::kUnusedParameter)) {
      cloner->Map(parameters[0].result, call.Id(2));
      cloner->Map(parameters[1].result, call.Id(1));
    }
  }

  // Moves variables to the caller's first block. Their initial values become stores in the copy.
  static Block CopyBlock(const Block& from, const Cloner& cloner,
                         std::vector<Instruction>* variables) {
    Block copy{cloner.At(from.label)};
    for (const Instruction& instruction : from.code) {
      Instruction made = cloner.Copy(instruction);
      if (made.op != spv::Op::OpVariable) {
        copy.code.push_back(std::move(made));
        continue;
      }
      if (made.in.size() > 1) {
        copy.code.push_back({spv::Op::OpStore, 0, 0, {IdOperand(made.result), made.in[1]}});
        made.in.resize(1);
      }
      variables->push_back(std::move(made));
    }
    return copy;
  }

  // Puts `before`, the inlined blocks and `after` in sequence.
  void Join(uint32_t block, std::vector<Block> made, Block after) {
    Block& before = caller_.blocks[block];
    const uint32_t label = before.label, after_label = after.label;
    before.code.insert(before.code.end(), made[0].code.begin(), made[0].code.end());
    const uint32_t first = made[0].label;
    made.erase(made.begin());
    if (made.empty()) {  // one block stays one block
      before.code.pop_back();
      before.code.insert(before.code.end(), after.code.begin(), after.code.end());
      return;
    }
    RenamePredecessor(&caller_, label, after_label);
    for (Block& body : made) {
      for (Instruction& phi : body.code) {
        if (phi.op != spv::Op::OpPhi) continue;
        for (size_t i = 1; i < phi.in.size(); i += 2) {
          if (phi.Id(i) == first) phi.in[i].word = label;
        }
      }
    }
    made.push_back(std::move(after));
    caller_.blocks.insert(caller_.blocks.begin() + block + 1, made.begin(), made.end());
  }

  Program& program_;
  Function& caller_;
  uint32_t result_ = 0;
};

}  // namespace

void InlineFunctions(Program* program) {
  std::map<uint32_t, uint32_t> returns;
  std::map<uint32_t, Function> bodies;  // before anything is inlined
  for (const Function& function : program->functions) {
    if (const std::optional<uint32_t> found = FindReturn(function, &program->bugs)) {
      returns[function.id()] = *found;
      bodies[function.id()] = function;
    }
  }
  for (Function& caller : program->functions) {
    if (bodies.count(caller.id()) != 0) continue;
    while (Inliner(program, &caller).InlineOne(returns, bodies)) {
    }
  }
}

}  // namespace refract::planted
