// SPDX-License-Identifier: Apache-2.0
// Functions for tests, written as control-flow graphs in one line, e.g.
//   0>1 1L[m2c3]>4,2 2>ret 3>1 4>3
// block > targets; L[mXcY] a loop header with merge block X and continue target Y, S[mX] a
// selection header, W[mX] a switch header (the first target is the default). Whatever order the
// text has, the blocks are written in the order of a structural depth-first walk.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "ir/binary.h"
#include "ir/tools.h"

namespace refract::test {

struct CfgBlock {
  char kind = ' ';  ///< L, S, W
  int merge = -1, continue_target = -1;
  std::vector<int> targets;
  std::vector<int> structural() const {
    std::vector<int> all = targets;
    if (merge >= 0) all.insert(all.begin(), merge);
    if (continue_target >= 0) all.insert(all.begin() + 1, continue_target);
    return all;
  }
};

inline std::map<int, CfgBlock> ParseCfg(const std::string& text) {
  std::map<int, CfgBlock> blocks;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    CfgBlock block;
    const size_t arrow = word.find('>');
    const size_t bracket = word.find('[');
    if (bracket != std::string::npos) {
      block.kind = word[bracket - 1];
      block.merge = std::atoi(&word[bracket + 2]);
      const size_t c = word.find('c');
      if (c != std::string::npos) block.continue_target = std::atoi(&word[c + 1]);
    }
    std::istringstream targets(word.substr(arrow + 1));
    for (std::string target; std::getline(targets, target, ',');) {
      if (target != "ret") block.targets.push_back(std::atoi(target.c_str()));
    }
    blocks[std::atoi(word.c_str())] = block;
  }
  return blocks;
}

inline void VisitCfg(const std::map<int, CfgBlock>& blocks, int at, std::set<int>* seen,
                     std::vector<int>* postorder) {
  if (!seen->insert(at).second) return;
  for (int next : blocks.at(at).structural()) VisitCfg(blocks, next, seen, postorder);
  postorder->push_back(at);
}

inline std::string BranchText(const CfgBlock& block) {
  const auto label = [](int b) { return " %b" + std::to_string(b); };
  if (block.targets.empty()) return "OpReturn\n";
  if (block.kind == 'W') {
    std::string text = "OpSwitch %pick" + label(block.targets[0]);
    for (size_t i = 1; i < block.targets.size(); ++i) {
      text += " " + std::to_string(i) + label(block.targets[i]);
    }
    return text + "\n";
  }
  if (block.targets.size() == 1) return "OpBranch" + label(block.targets[0]) + "\n";
  return "OpBranchConditional %choice" + label(block.targets[0]) + label(block.targets[1]) + "\n";
}

/// The assembly. `body(block)` gives the instructions between a block's label and its terminator.
/// %cN is a non-zero int constant for block N. Branches depend on specialisation constants.
template <class Body>
std::string CfgAssembly(const std::map<int, CfgBlock>& blocks, Body body) {
  std::set<int> seen;
  std::vector<int> postorder, order;
  VisitCfg(blocks, 0, &seen, &postorder);
  order.assign(postorder.rbegin(), postorder.rend());
  for (const auto& [number, block] : blocks) {
    if (seen.count(number) == 0) order.push_back(number);
  }
  std::string text = R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main"
OpExecutionMode %main OriginUpperLeft
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%choice = OpSpecConstantTrue %bool
%int = OpTypeInt 32 1
%zero = OpConstant %int 0
%pick = OpSpecConstant %int 0
%main = OpFunction %void None %function
)";
  std::string constants;
  for (const auto& [number, block] : blocks) {
    constants += format("%c{} = OpConstant %int {}\n", number, 1 + number);
  }
  text.insert(text.find("%main = "), constants);
  for (int number : order) {
    const CfgBlock& block = blocks.at(number);
    text += "%b" + std::to_string(number) + " = OpLabel\n" + body(number);
    if (block.kind == 'L') {
      text += "OpLoopMerge %b" + std::to_string(block.merge) + " %b" +
              std::to_string(block.continue_target) + " None\n";
    } else if (block.kind != ' ') {
      text += "OpSelectionMerge %b" + std::to_string(block.merge) + " None\n";
    }
    text += BranchText(block);
  }
  return text + "OpFunctionEnd\n";
}

struct Cfg {
  std::map<int, CfgBlock> blocks;
  std::vector<uint32_t> words;
  Module module;
  std::map<int, Block> block;  ///< by number
  Function function = Function::kNone;
};

/// Assembles and reads the function. Blocks are found again by their order, so `body` may add any
/// instructions.
template <class Body>
Cfg MakeCfg(std::map<int, CfgBlock> blocks, Body body,
            TargetEnvironment environment = TargetEnvironment::kUniversal13) {
  Cfg cfg;
  cfg.blocks = std::move(blocks);
  // An OpName tells which block a label belongs to.
  std::string text = CfgAssembly(cfg.blocks, body);
  std::string names;
  for (const auto& [number, block] : cfg.blocks) {
    names +=
        "OpName %b" + std::to_string(number) + " \"" + std::string(1, char('A' + number)) + "\"\n";
  }
  text.insert(text.find("%void = "), names);
  auto words = Assemble(text, environment);
  EXPECT_TRUE(words) << words.error().message << "\n" << text;
  cfg.words = *words;
  auto module = ReadModule(cfg.words, "test");
  EXPECT_TRUE(module) << module.error().message;
  cfg.module = std::move(*module);
  cfg.function = cfg.module.first_function();
  ForEachInstruction(cfg.module, Module::SectionBlock(Section::kDebug), [&](Inst inst) {
    const Block block = cfg.module.BlockOfLabel(cfg.module.IdAt(inst, 0));
    cfg.block[static_cast<int>(cfg.module.Word(inst, 1)) - 'A'] = block;
  });
  return cfg;
}

inline Cfg MakeCfg(const std::string& text,
                   TargetEnvironment environment = TargetEnvironment::kUniversal13) {
  return MakeCfg(
      ParseCfg(text), [](int) { return std::string(); }, environment);
}

/// Valid graphs: every idiom of structured control flow that spirv-val 2023.1 is known to accept in
/// modules of all versions.
inline const std::vector<std::string>& ValidCfgs() {
  static const std::vector<std::string> kCfgs = {
      "0>ret",
      "0>1 1L[m3c2]>3 2>1 3>ret",
      "0>1 1L[m2c1]>1 2>ret",
      "0>1 1L[m2c1]>1,2 2>ret",
      "0>1 1L[m3c2]>2 2>4 4>1 3>ret",
      "0S[m1]>1,2 1L[m3c4]>4,3 2>1 3>ret 4>1",
      "0S[m1]>1,2 1S[m3]>3,4 2>1 3>ret 4>3",
      "0>1 1L[m2c3]>3 2>ret 3S[m4]>4,5 4>1 5>4",
      "0>1 1L[m2c3]>3 2>ret 3L[m4c5]>5,4 5>3 4>1",
      "0>1 1L[m2c3]>3 2>ret 3L[m4c3]>3,4 4>1",
      "0S[m1]>2,3 1>ret 2>3 3>1",
      "0S[m1]>2,3 1>ret 2>4 3>4 4>1",
      "0S[m1]>2,3 1>ret 2>4 3>4 4L[m5c6]>6 5>1 6>4,5",
      "0S[m1]>2,3 1>ret 2>ret 3>ret",
      "0>1 1L[m2c3]>4 2>ret 3>1 4S[m5]>2,3 5>3",
      "0>1 1L[m2c3]>4 2>ret 3>1 4>2,3",
      "0>1 1L[m2c3]>2,3 2>ret 3>1",
      "0W[m1]>1 1>ret",
      "0W[m1]>1,2,3 1>ret 2>3 3>1",
      "0W[m1]>2,3,4 1>ret 3>2 2>4 4>1",
      "0W[m1]>1,2,3 1>ret 2>3,1 3>1",
      "0>1 1L[m2c3]>4 2>ret 3>1 4W[m5]>5,6 5>3 6>3",
      "0>1 1L[m2c3]>3 2>ret 3>1,2",
      "0W[m1]>2,3,4 1>ret 2>1 3>1 4>1",
      "0W[m1]>1,2 1>ret 2L[m3c4]>4 3>1 4>2,3",
      "0>1 1L[m2c3]>3 2>ret 3W[m4]>4,5,6 5>6 6>4 4>1,2",
      "0W[m1]>2 1>ret 2W[m3]>4 3>1 4>3",
      // Nested loops with breaks, continues and returns from selections and switches.
      "0>1 1L[m2c3]>4,2 2>ret 3>1 4L[m5c6]>7,5 5>3 6>4 7S[m8]>9,8 8>6 9>5",
      "0>1 1L[m2c3]>4,2 2>ret 3>1 4S[m5]>6,7 6>2 7S[m8]>9,8 9>3 8>5 5>10 10>3",
      "0>1 1L[m2c3]>4,2 2>ret 3>1 4W[m5]>6,7,8 5>3 6>2 7>8 8S[m9]>10,9 10>5 9>5",
      "0S[m1]>2,3 1>ret 2S[m4]>5,6 5>ret 6>4 4>1 3>7 7S[m8]>9,8 9>8 8>1",
  };
  return kCfgs;
}

}  // namespace refract::test
