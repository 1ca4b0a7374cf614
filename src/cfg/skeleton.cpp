// SPDX-License-Identifier: Apache-2.0
#include "cfg/skeleton.h"

#include <initializer_list>
#include <spirv/unified1/spirv.hpp11>

#include "base/text.h"
#include "ir/branches.h"
#include "ir/rules/flow_rules.h"
#include "ir/validity/validity_report.h"

namespace refract::cfg {
namespace {

enum SkeletonId : uint32_t { kVoid = 1, kFunction, kBool, kInt, kTrue, kZero, kMain };
static_assert(kMain + 1 == kFirstLabel);

class SkeletonMaker {
 public:
  SkeletonMaker(const Graph& graph, uint32_t version) : graph_(graph) {
    words = {spv::MagicNumber, version, 0, kFirstLabel + graph.size(), 0};
    Head();
    for (uint32_t block = 0; block < graph.size(); ++block) Block(block);
    Add(spv::Op::OpFunctionEnd, {});
  }
  std::vector<uint32_t> words;

 private:
  void Begin(spv::Op opcode, size_t operands) {
    words.push_back(static_cast<uint32_t>(operands + 1) << 16 | static_cast<uint32_t>(opcode));
  }
  void Add(spv::Op opcode, std::initializer_list<uint32_t> operands) {
    Begin(opcode, operands.size());
    words.insert(words.end(), operands);
  }
  static uint32_t Label(uint32_t block) { return kFirstLabel + block; }

  void Head() {
    constexpr uint32_t kMainText = 0x6e69616d;  // "main"
    Add(spv::Op::OpCapability, {static_cast<uint32_t>(spv::Capability::Shader)});
    Add(spv::Op::OpMemoryModel, {static_cast<uint32_t>(spv::AddressingModel::Logical),
                                 static_cast<uint32_t>(spv::MemoryModel::GLSL450)});
    Add(spv::Op::OpEntryPoint,
        {static_cast<uint32_t>(spv::ExecutionModel::GLCompute), kMain, kMainText, 0});
    Add(spv::Op::OpExecutionMode,
        {kMain, static_cast<uint32_t>(spv::ExecutionMode::LocalSize), 1, 1, 1});
    Add(spv::Op::OpTypeVoid, {kVoid});
    Add(spv::Op::OpTypeFunction, {kFunction, kVoid});
    Add(spv::Op::OpTypeBool, {kBool});
    Add(spv::Op::OpTypeInt, {kInt, 32, 0});
    Add(spv::Op::OpConstantTrue, {kBool, kTrue});
    Add(spv::Op::OpConstant, {kInt, kZero, 0});
    Add(spv::Op::OpFunction, {kVoid, kMain, 0, kFunction});
  }
  void Block(uint32_t block) {
    const GraphBlock& at = graph_.blocks[block];
    const auto to = graph_.Targets(block);
    Add(spv::Op::OpLabel, {Label(block)});
    if (at.is_loop()) {
      Add(spv::Op::OpLoopMerge, {Label(at.merge), Label(at.continue_target), 0});
    } else if (at.is_header()) {
      Add(spv::Op::OpSelectionMerge, {Label(at.merge), 0});
    }
    if (at.is_switch) {
      Begin(spv::Op::OpSwitch, 2 * to.size());
      words.push_back(kZero);
      for (uint32_t i = 0; i < to.size(); ++i) {
        if (i > 0) words.push_back(i);
        words.push_back(Label(to[i]));
      }
    } else if (to.empty()) {
      Add(spv::Op::OpReturn, {});
    } else if (to.size() == 1) {
      Add(spv::Op::OpBranch, {Label(to[0])});
    } else {
      Add(spv::Op::OpBranchConditional, {kTrue, Label(to[0]), Label(to[1])});
    }
  }

  const Graph& graph_;
};

}  // namespace

std::vector<uint32_t> MakeSkeleton(const Graph& graph, uint32_t version) {
  return SkeletonMaker(graph, version).words;
}

Result<Graph> ReadGraph(const Module& module, Function function) {
  if (const Status form = validity::CheckBlocks(module, function); !form) return form.error();
  std::vector<uint32_t> number(module.block_slots(), kNoBlock);
  uint32_t count = 0;
  ForEachBlock(module, function, [&](refract::Block block) { number[Index(block)] = count++; });
  const auto of = [&](Inst inst, uint32_t operand) {
    return number[Index(module.BlockOfLabel(module.IdAt(inst, operand)))];
  };
  Graph graph;
  ForEachBlock(module, function, [&](refract::Block block) {
    GraphBlock& at = graph.blocks.emplace_back();
    if (const Inst merge = module.MergeInstruction(block); merge != Inst::kNone) {
      at.merge = of(merge, 0);
      if (module.Opcode(merge) == spv::Op::OpLoopMerge) at.continue_target = of(merge, 1);
    }
    const Inst end = module.Terminator(block);
    at.is_switch = module.Opcode(end) == spv::Op::OpSwitch;
    at.first_target = static_cast<uint32_t>(graph.targets.size());
    ForEachTarget(module, end,
                  [&](uint32_t operand) { graph.targets.push_back(of(end, operand)); });
    at.target_count = static_cast<uint32_t>(graph.targets.size()) - at.first_target;
  });
  return graph;
}

}  // namespace refract::cfg
