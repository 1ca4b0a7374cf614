// SPDX-License-Identifier: Apache-2.0
// For each validity rule there is a module that breaks it as the first rule. Modules from glslang
// and spirv-opt break none.
#include "ir/validity/validity.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "glsl/glsl.h"
#include "glsl/load.h"
#include "ir/binary.h"
#include "ir/edit/editor.h"
#include "ir/tools.h"
#include "ir/validity/consistency.h"

namespace refract {
namespace {

constexpr std::string_view kHead = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main"
OpExecutionMode %main OriginUpperLeft
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%int2 = OpTypeVector %int 2
%bool2 = OpTypeVector %bool 2
%pair = OpTypeStruct %int %float
%ptr = OpTypePointer Function %int
%ptr_pair = OpTypePointer Function %pair
%private = OpTypePointer Private %int
%global = OpVariable %private Private
%true = OpConstantTrue %bool
%c0 = OpConstant %int 0
%c1 = OpConstant %int 1
%u1 = OpConstant %uint 1
%f1 = OpConstant %float 1
)";

Module FromText(const std::string& text, uint32_t minor = 3) {
  const auto environment = UniversalEnvironment(VersionWord(1, minor));
  const Result<std::vector<uint32_t>> words = Assemble(text, environment);
  EXPECT_TRUE(words) << words.error().message << "\n" << text;
  if (!words) return {};
  Result<Module> module = ReadModule(*words, "test");
  EXPECT_TRUE(module) << module.error().message;
  return module ? std::move(*module) : Module();
}

Module WithBody(const std::string& body, uint32_t minor = 3) {
  return FromText(std::string(kHead) + "%main = OpFunction %void None %fn\n%entry = OpLabel\n" +
                      body + "\nOpFunctionEnd\n",
                  minor);
}

// Makes a function from one line per block, such as "1L[m3 c2]>4,5": block number; S, L or W with
// merge block and continue target; targets (for W the default first; ">ret" returns).
std::string Body(const std::string& graph) {
  std::string text;
  for (const std::string& block : Split(graph, ' ')) {
    if (block.empty()) continue;
    const size_t arrow = block.find('>');
    std::string head = block.substr(0, arrow);
    const std::vector<std::string> targets = Split(block.substr(arrow + 1), ',');
    char kind = 0;
    std::string merge;
    if (const size_t open = head.find('['); open != std::string::npos) {
      kind = head[open - 1];
      for (const std::string& part : Split(head.substr(open + 1, head.size() - open - 2), ';')) {
        merge += part == "m0" ? " %entry" : " %b" + part.substr(1);
      }
      head = head.substr(0, open - 1);
    }
    if (head != "0") text += "%b" + head + " = OpLabel\n";
    if (kind == 'L') text += "OpLoopMerge" + merge + " None\n";
    if (kind == 'S' || kind == 'W') text += "OpSelectionMerge" + merge + " None\n";
    if (kind == 'W') {
      text += "OpSwitch %c0 %b" + targets[0];
      for (size_t i = 1; i < targets.size(); ++i) text += format(" {} %b{}", i, targets[i]);
      text += "\n";
    } else if (targets[0] == "ret") {
      text += "OpReturn\n";
    } else if (targets.size() == 1) {
      text += "OpBranch %b" + targets[0] + "\n";
    } else {
      text += "OpBranchConditional %true %b" + targets[0] + " %b" + targets[1] + "\n";
    }
  }
  return text;
}

std::string RuleBrokenBy(const Module& module) {
  const Status status = CheckModule(module);
  if (status) return "none";
  const std::string& message = status.error().message;
  return message.substr(0, message.find(':'));
}

struct Graph {
  const char* graph;
  const char* rule;
};

// Idioms of structured control flow, good and bad; a merge block or continue target as a target is
// written m3 or c2.
TEST(Validity, ControlFlowRulesAreChecked) {
  constexpr Graph kGraphs[] = {
      {"0>1 1L[m3;c2]>3 2>1 3>ret", "none"},
      {"0>1 1L[m2;c1]>1 2>ret", "none"},
      {"0>1 1L[m2;c1]>1,2 2>ret", "none"},
      {"0>1 1L[m3;c1]>2 2>1 3>ret", "back_edge_post_dominates_continue_target"},
      {"0>1 1L[m3;c2]>2 2>4 4>1 3>ret", "none"},
      {"0>1 1L[m2;c3]>4,5 4>3 5>3 3>1 2>ret", "loop_header_leaves_one_way"},
      {"0S[m1]>1,2 2>1 1L[m3;c4]>4,3 4>1 3>ret", "none"},
      {"0S[m1]>1,2 2>1 1S[m3]>3,4 4>3 3>ret", "none"},
      {"0>1 1L[m2;c3]>3 3S[m4]>4,5 5>4 4>1 2>ret", "none"},
      {"0>1 1L[m2;c3]>3 3L[m4;c5]>5,4 5>3 4>1 2>ret", "none"},
      {"0>1 1L[m2;c3]>3 3L[m4;c3]>3,4 4>1 2>ret", "none"},
      {"0>1 1L[m2;c3]>4 4S[m3]>5,3 5>3 3>1 2>ret", "header_dominates_merge_block"},
      {"0S[m1]>2,3 2>3 3>1 1>ret", "none"},
      {"0S[m1]>2,3 2>4 3>4 4>1 1>ret", "none"},
      {"0S[m1]>2,3 2>4 3>4 4L[m5;c6]>6 6>4,5 5>1 1>ret", "none"},
      {"0S[m1]>2,3 2>ret 3>ret 1>ret", "none"},
      {"0S[m1]>1,1 1>ret", "none"},
      {"0>1 1L[m2;c3]>4 4S[m5]>2,3 5>3 3>1 2>ret", "none"},
      {"0>1 1L[m2;c3]>4 4>2,3 3>1 2>ret", "none"},
      {"0>1 1L[m2;c3]>2,3 3>1 2>ret", "none"},
      {"0W[m1]>1 1>ret", "none"},
      {"0W[m1]>1,2,3 2>3 3>1 1>ret", "none"},
      {"0W[m1]>1,3,2 2>3 3>1 1>ret", "case_before_its_successor"},
      {"0W[m1]>2,3,4 3>2 2>4 4>1 1>ret", "none"},
      {"0W[m1]>2,4,3 3>2 2>4 4>1 1>ret", "case_before_its_successor"},
      {"0W[m1]>1,2,3 2>3,1 3>1 1>ret", "none"},
      {"0W[m1]>1,2,3,2 2>1 3>1 1>ret", "case_labels_together"},
      {"0W[m1]>1,2,3,4 2>3,4 3>1 4>1 1>ret", "case_branches_to_one_case"},
      {"0>1 1L[m2;c3]>4 4W[m5]>5,3 5>3 3>1 2>ret", "switch_dominates_cases"},
      {"0W[m1]>1,2 2W[m3]>3,4 4>1 3>1 1>ret", "construct_exit"},
      {"0W[m1]>1,2 2L[m3;c4]>5 5>1 4>2 3>1 1>ret", "construct_exit"},
      {"0>1 1L[m2;c3]>3 3S[m4]>4,5 5>ret 4>1 2>ret", "back_edge_post_dominates_continue_target"},
      {"0>1 1L[m2;c3]>3 3>1,2 2>ret", "none"},
      {"0W[m1]>1,2 2L[m3;c4]>4 4>2,3 3>1 1>ret", "none"},
      {"0>1 1L[m2;c3]>3 3W[m4]>4,5,6 5>6 6>4 4>1,2 2>ret", "none"},
      {"0S[m1]>2,1 2S[m3]>1,4 4>3 3>1 1>ret", "construct_exit"},
      {"0S[m1]>2,3 2S[m4]>5,6 5>3 6>4 4>1 3>1 1>ret", "construct_exit"},
      {"0W[m1]>2 2W[m3]>4 4>3 3>1 1>ret", "none"},
      {"0>1 1L[m2;c3]>4 4>3 3L[m5;c3]>3,6 6>5 5>1 2>ret", "continue_construct_exit"},
      {"0S[m0]>1,2 1>ret 2>ret", "header_dominates_merge_block"},
      {"0>1 1L[m2;c2]>2 2>1", "merge_block_is_not_continue_target"},
      {"0S[m3]>1,2 1S[m3]>4,5 4>3 5>3 2>3 3>ret", "merge_block_declared_once"},
      {"0S[m1]>2,3 2S[m3]>4,3 4>3 3>1 1>ret", "header_dominates_merge_block"},
      {"0>1 1>2 2>1", "back_edge_to_loop_header"},
      {"0>1 1L[m4;c3]>2,4 2>1 3>1 4>ret", "one_back_edge_for_each_loop"},
      {"0>1 1L[m2;c3]>2 3>ret 2>ret", "one_back_edge_for_each_loop"},
      {"0>1 1L[m2;c1]>1,1 2>ret", "one_back_edge_for_each_loop"},
      {"0S[m1]>2,3 2>3,1 3>2,1 1>ret", "no_other_cycle"},
      {"0>1 1L[m5;c4]>2 2>3 4>5 3>1 5>ret", "continue_target_dominates_back_edge"},
      {"0S[m1]>2,1 2L[m3;c4]>5,3 5S[m1]>1,4 4>2 3>1 1>ret", "merge_block_declared_once"},
      {"0>1 1L[m2;c3]>4,2 4S[m5]>6,5 6>3 5>3 3>1 2>ret", "none"},
      {"0S[m1]>2,1 2>3 1>3 3>ret", "construct_entered_at_header"},
      {"0>1 1L[m2;c3]>4 4>3,2 2>3,5 3>1 5>ret", "continue_target_entered_from_loop"},
      {"0>1 1L[m2;c3]>4 4S[m5]>6,5 6L[m7;c8]>8 8>6,7 7>2 5>3 3>1 2>ret", "none"},
      {"0>1 1L[m2;c3]>4 4L[m5;c6]>6 6>4,5 5S[m7]>8,7 8>2 7>3 3>1 2>ret", "none"},
      {"0>1 1L[m2;c3]>4 4L[m5;c6]>6,2 6>4,5 5>3 3>1 2>ret", "construct_exit"},
      {"0S[m1]>2,1 2L[m1;c4]>4 4>2,1 1>ret", "merge_block_declared_once"},
      {"0>1 1L[m3;c2]>2,3 2S[m4]>5,4 5>4 4>1 3S[m6]>7,6 7>ret 6>ret", "none"},
      {"0>1 1L[m2;c3]>4 4S[m5]>6,5 6>3 5>2 3>1 2>ret", "none"},
      {"0S[m1]>2,1 2L[m3;c4]>5 5S[m6]>3,6 6>4 4>2 3>1 1>ret", "none"},
      {"0>1 1>2,3 2>ret 3>ret", "selection_has_merge_block"},
      {"0W[m1]>1,2,3 2>4 3>4 4>1 1>ret", "construct_exit"},
  };
  for (const Graph& row : kGraphs) {
    const std::string broken = RuleBrokenBy(WithBody(Body(row.graph)));
    EXPECT_EQ(broken, row.rule) << row.graph << "\n";
  }
}

struct BodyCase {
  const char* body;
  const char* rule;
  uint32_t minor = 3;
};

TEST(Validity, RulesOfFunctionBodiesAreChecked) {
  constexpr BodyCase kBodies[] = {
      {"OpReturn", "none"},
      // Layout.
      {"OpReturn\n%b = OpLabel\n%v = OpVariable %ptr Function\nOpReturn", "layout-variable"},
      {"%x = OpIAdd %int %c0 %c1\n%v = OpVariable %ptr Function\nOpReturn", "layout-variable"},
      {"OpBranch %b\n%b = OpLabel\n%x = OpIAdd %int %c0 %c1\n%p = OpPhi %int %c0 %entry\nOpReturn",
       "layout-phi"},
      {"%p = OpPhi %int\nOpReturn", "layout-phi"},
      {"OpBranch %true", "layout-target"},
      {"OpSelectionMerge %b None\n%x = OpIAdd %int %c0 %c1\nOpBranchConditional %true %b %c\n"
       "%c = OpLabel\nOpBranch %b\n%b = OpLabel\nOpReturn",
       "layout-merge"},
      {"OpSelectionMerge %b None\nOpBranch %b\n%b = OpLabel\nOpReturn",
       "selection_merge_before_selection"},
      {"OpBranch %h\n%h = OpLabel\nOpLoopMerge %b %c None\nOpSwitch %c0 %b 1 %c\n%c = OpLabel\n"
       "OpBranch %h\n%b = OpLabel\nOpReturn",
       "loop_merge_before_branch"},
      // Ids.
      {"OpBranch %entry", "entry_block_not_targeted"},
      {"OpSelectionMerge %b None\nOpBranchConditional %true %c %b\n%b = OpLabel\n%y = OpIAdd %int "
       "%c0 %c1\nOpReturn\n%c = OpLabel\n%x = OpIAdd %int %c0 %y\nOpBranch %b",
       "id-dominance"},
      {"OpSelectionMerge %b None\nOpBranchConditional %true %c %b\n%c = OpLabel\n%x = OpIAdd %int "
       "%c0 %c1\nOpBranch %b\n%b = OpLabel\n%y = OpIAdd %int %x %c1\nOpReturn",
       "id-dominance"},
      {"%x = OpIAdd %int %y %c1\n%y = OpIAdd %int %c0 %c1\nOpReturn", "id-order"},
      {"OpBranch %c\n%b = OpLabel\nOpReturn\n%c = OpLabel\nOpBranch %b",
       "block_after_its_dominator"},
      {"OpReturn\n%b = OpLabel\n%x = OpIAdd %int %y %c1\n%y = OpIAdd %int %c0 %c1\nOpReturn",
       "id-order"},
      {"OpReturn\n%b = OpLabel\n%y = OpIAdd %int %c0 %c1\nOpReturn\n%c = OpLabel\n%x = OpIAdd %int "
       "%y %c1\nOpReturn",
       "none"},
      {"OpBranch %b\n%b = OpLabel\n%p = OpPhi %int %c0 %entry %c1 %entry\nOpReturn",
       "phi_has_each_predecessor_once"},
      {"OpBranch %b\n%b = OpLabel\n%p = OpPhi %int\nOpReturn", "phi_has_each_predecessor_once"},
      {"OpBranch %b\n%u = OpLabel\nOpBranch %b\n%b = OpLabel\n%p = OpPhi %int %c0 %entry\nOpReturn",
       "phi_has_each_predecessor_once"},
      {"OpBranch %b\n%u = OpLabel\nOpBranch %b\n%b = OpLabel\n%p = OpPhi %int %c0 %entry %c1 %u\n"
       "OpReturn",
       "none"},
      {"OpBranch %b\n%b = OpLabel\n%p = OpPhi %int %f1 %entry\nOpReturn", "phi-type"},
      {"OpBranch %b\n%b = OpLabel\n%p = OpPhi %int %c0 %b\nOpReturn",
       "phi_has_each_predecessor_once"},
      {"OpSelectionMerge %b None\nOpBranchConditional %true %c %b\n%c = OpLabel\n%x = OpIAdd %int "
       "%c0 %c1\nOpBranch %b\n%b = OpLabel\n%p = OpPhi %int %x %entry %x %c\nOpReturn",
       "phi-dominance"},
      // Types.
      {"%x = OpIAdd %int %c0 %u1\nOpReturn", "none"},
      {"%x = OpIAdd %int %c0 %f1\nOpReturn", "type-operand"},
      {"%x = OpIAdd %bool %c0 %c1\nOpReturn", "type-operand"},
      {"%x = OpSNegate %float %c0\nOpReturn", "type-operand"},
      {"%x = OpUDiv %int %c0 %c1\nOpReturn", "type-operand"},
      {"%x = OpShiftLeftLogical %int %c0 %f1\nOpReturn", "type-operand"},
      {"%x = OpFAdd %float %f1 %c0\nOpReturn", "type-operand"},
      {"%x = OpLogicalNot %bool %c0\nOpReturn", "type-operand"},
      {"%x = OpLogicalAnd %bool %true %c0\nOpReturn", "type-operand"},
      {"%x = OpIEqual %bool %c0 %u1\nOpReturn", "none"},
      {"%x = OpIEqual %int %c0 %c1\nOpReturn", "type-operand"},
      {"%x = OpSLessThan %bool %f1 %f1\nOpReturn", "type-operand"},
      {"%x = OpFOrdEqual %bool %c0 %c0\nOpReturn", "type-operand"},
      {"%x = OpSelect %int %true %c0 %c1\nOpReturn", "none"},
      {"%x = OpSelect %int %true %c0 %u1\nOpReturn", "type-operand"},
      {"%x = OpSelect %int %c0 %c0 %c1\nOpReturn", "type-operand"},
      {"%v = OpCompositeConstruct %int2 %c0 %c1\n%x = OpSelect %int2 %true %v %v\nOpReturn",
       "type-operand"},
      {"%v = OpCompositeConstruct %int2 %c0 %c1\n%x = OpSelect %int2 %true %v %v\nOpReturn", "none",
       4},
      {"%x = OpCopyObject %int %u1\nOpReturn", "type-operand"},
      {"%v = OpCompositeConstruct %int2 %c0\nOpReturn", "type-operand"},
      {"%v = OpCompositeConstruct %int2 %c0 %u1\nOpReturn", "type-operand"},
      {"%v = OpCompositeConstruct %pair %c0 %f1\n%x = OpCompositeExtract %float %v 1\nOpReturn",
       "none"},
      {"%v = OpCompositeConstruct %pair %f1 %c0\nOpReturn", "type-operand"},
      {"%v = OpCompositeConstruct %pair %c0 %f1\n%x = OpCompositeExtract %float %v 2\nOpReturn",
       "type-operand"},
      {"%v = OpCompositeConstruct %int2 %c0 %c1\n%x = OpCompositeInsert %int2 %f1 %v 0\nOpReturn",
       "type-operand"},
      {"%v = OpCompositeConstruct %int2 %c0 %c1\n%x = OpVectorShuffle %int2 %v %v 0 4\nOpReturn",
       "type-operand"},
      {"%v = OpVariable %ptr Function\n%x = OpLoad %uint %v\nOpReturn", "type-operand"},
      {"%v = OpVariable %ptr Function\nOpStore %v %u1\nOpReturn", "type-operand"},
      {"%v = OpVariable %ptr Function %u1\nOpReturn", "type-operand"},
      {"%v = OpVariable %ptr Private\nOpReturn", "type-operand"},
      {"%v = OpVariable %ptr_pair Function\n%x = OpAccessChain %ptr %v %c0\nOpReturn", "none"},
      {"%v = OpVariable %ptr_pair Function\n%x = OpAccessChain %ptr %v %c1\nOpReturn",
       "type-operand"},
      {"%v = OpVariable %ptr_pair Function\n%x = OpAccessChain %private %v %c0\nOpReturn",
       "type-operand"},
      {"OpSelectionMerge %b None\nOpBranchConditional %c0 %b %c\n%c = OpLabel\nOpBranch %b\n"
       "%b = OpLabel\nOpReturn",
       "type-operand"},
      {"OpSelectionMerge %b None\nOpBranchConditional %true %b %b\n%b = OpLabel\nOpReturn", "none",
       5},
      {"OpSelectionMerge %b None\nOpBranchConditional %true %b %b\n%b = OpLabel\nOpReturn",
       "branch_labels_differ", 6},
      {"OpSelectionMerge %b None\nOpSwitch %f1 %b\n%b = OpLabel\nOpReturn", "type-switch"},
      {"OpReturnValue %c0", "type-operand"},
      {"%x = OpFunctionCall %void %main %c0\nOpReturn", "type-operand"},
      // The interface, from version 1.4 on.
      {"%x = OpLoad %int %global\nOpReturn", "none"},
      {"%x = OpLoad %int %global\nOpReturn", "interface", 4},
  };
  for (const BodyCase& row : kBodies) {
    const Module module = WithBody(row.body, row.minor);
    const Status status = CheckModule(module);
    EXPECT_EQ(RuleBrokenBy(module), row.rule) << row.body << "\n"
                                              << (status ? "" : status.error().message);
  }
}

std::string WithDeclarations(const std::string& more) {
  return std::string(kHead) + more +
         "\n%main = OpFunction %void None %fn\n%entry = OpLabel\nOpReturn\nOpFunctionEnd\n";
}

std::string Repeat(const std::string& text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i) result += text;
  return result;
}

TEST(Validity, RulesOfDeclarationsAreChecked) {
  const struct {
    std::string text;
    const char* rule;
  } rows[] = {
      {WithDeclarations("%int_again = OpTypeInt 32 1"), "type-once"},
      {WithDeclarations("%pair_again = OpTypeStruct %int %float"), "none"},
      {WithDeclarations("%v = OpConstantComposite %int2 %c0"), "type-operand"},
      {WithDeclarations("%v = OpConstantComposite %int2 %c0 %u1"), "type-operand"},
      {WithDeclarations("%v = OpConstantTrue %int"), "type-operand"},
      {WithDeclarations("%v = OpVariable %private Private %u1"), "type-operand"},
      {WithDeclarations("%v = OpTypeArray %int %nothing"), "id-defined"},
      {WithDeclarations("%v = OpTypeArray %int %later\n%later = OpConstant %uint 2"), "id-order"},
      {WithDeclarations("%f = OpFunction %int None %fn\nOpFunctionEnd"), "type-function"},
      {WithDeclarations("%f = OpFunction %void None %fn\n%p = OpFunctionParameter %int\n"
                        "OpFunctionEnd"),
       "type-function"},
      {WithDeclarations("%t = OpTypeFunction %void %int\n%f = OpFunction %void None %t\n"
                        "OpFunctionEnd"),
       "type-function"},
      {WithDeclarations("") + "%f = OpFunction %void None %fn\nOpFunctionEnd", "layout-function"},
      {WithDeclarations("") + "%f = OpFunction %void None %fn\n%e = OpLabel\n%x = OpIAdd %int %c0 "
                              "%c1\nOpReturn\nOpFunctionEnd\n"
                              "%g = OpFunction %void None %fn\n%h = OpLabel\n%y = OpIAdd %int %c0 "
                              "%x\nOpReturn\nOpFunctionEnd",
       "id-scope"},
      // Limits.
      {WithDeclarations("%t = OpTypeFunction %void" + Repeat(" %int", 256)), "limit-parameters"},
      {WithDeclarations("%t = OpTypeFunction %void" + Repeat(" %int", 255)), "none"},
      {WithDeclarations("%t = OpTypeStruct" + Repeat(" %int", 16384)), "limit-members"},
  };
  for (const auto& row : rows) {
    const Module module = FromText(row.text);
    const Status status = CheckModule(module);
    EXPECT_EQ(RuleBrokenBy(module), row.rule) << row.text.substr(0, 2000) << "\n"
                                              << (status ? "" : status.error().message);
  }
}

TEST(Validity, LimitsAreChecked) {
  std::string deep = "%s0 = OpTypeStruct %int\n";
  for (int i = 1; i < 256; ++i) deep += format("%s{} = OpTypeStruct %s{}\n", i, i - 1);
  EXPECT_EQ(RuleBrokenBy(FromText(WithDeclarations(deep))), "limit-struct-depth");

  std::string globals;
  for (int i = 0; i < 65535; ++i) {
    globals += "%g" + std::to_string(i) + " = OpVariable %private Private\n";
  }
  EXPECT_EQ(RuleBrokenBy(FromText(WithDeclarations(globals))), "limit-globals");

  std::string cases = "OpSelectionMerge %b None\nOpSwitch %c0 %b";
  for (int i = 0; i < 16384; ++i) cases += format(" {} %b", i);
  EXPECT_EQ(RuleBrokenBy(WithBody(cases + "\n%b = OpLabel\nOpReturn")), "limit-cases");

  // Selections in selections.
  const auto nested = [](int depth) {
    std::string down, up;
    for (int i = 0; i < depth; ++i) {
      down += format(
          "OpSelectionMerge %m{} None\nOpBranchConditional %true %d{} %m{}\n%d{} = OpLabel\n", i, i,
          i, i);
      up.insert(0, format("%m{} = OpLabel\n{}\n", i,
                          i == 0 ? "OpReturn" : format("OpBranch %m{}", i - 1)));
    }
    return down + format("OpBranch %m{}\n", depth - 1) + up;
  };
  EXPECT_EQ(RuleBrokenBy(WithBody(nested(1023))), "none");
  EXPECT_EQ(RuleBrokenBy(WithBody(nested(1024))), "nesting_is_limited");

  std::string indexes = "%v = OpVariable %ptr Function\n%x = OpAccessChain %ptr %v";
  EXPECT_EQ(RuleBrokenBy(WithBody(indexes + Repeat(" %c0", 256) + "\nOpReturn")), "limit-indexes");
}

// Modules that the reader would refuse, or that cannot be written as text.
TEST(Validity, InvalidEditsAreDetected) {
  const std::string body = "%x = OpIAdd %int %c0 %c1\nOpBranch %b\n%b = OpLabel\nOpReturn";
  const auto edited = [&](auto edit) {
    Module module = WithBody(body);
    Editor editor(module, 1);
    const Block entry = module[module.first_function()].first;
    edit(module, editor, entry);
    return RuleBrokenBy(module);
  };
  EXPECT_EQ(edited([](Module& m, Editor& e, Block entry) {
              const Inst x = m.Next(m.Label(entry));
              e.Append(entry, spv::Op::OpCopyObject, m.Type(x), m.Result(x), {1, 1}, {m.Result(x)});
            }),
            "layout-terminator");
  EXPECT_EQ(edited([](Module& m, Editor& e, Block entry) {
              const Inst x = m.Next(m.Label(entry));
              const Id copy = e.InsertValue(m.Terminator(entry), spv::Op::OpCopyObject, m.Type(x),
                                            {1, 1}, {m.Result(x)});
              e.MoveBefore(m.Definition(copy), x);
            }),
            "id-order");
  EXPECT_EQ(edited([](Module& m, Editor& e, Block entry) { e.Remove(m.Terminator(entry)); }),
            "layout-terminator");
  EXPECT_EQ(edited([](Module& m, Editor& e, Block entry) {
              e.InsertPlain(m.Terminator(entry), spv::Op::OpReturn, {1, 1}, {});
            }),
            "layout-terminator");
  EXPECT_EQ(edited([](Module& m, Editor& e, Block entry) {
              e.InsertPlain(m.Terminator(entry), spv::Op::OpCapability, {1, 1}, {0u});
            }),
            "layout-block");
  EXPECT_EQ(edited([](Module& m, Editor& e, Block entry) {
              e.InsertPlain(m.Label(entry), spv::Op::OpNop, {1, 1}, {});
            }),
            "layout-label");
  EXPECT_EQ(edited([](Module& m, Editor& e, Block) {
              const Block declarations = Module::SectionBlock(Section::kDeclarations);
              e.InsertPlain(m.First(declarations), spv::Op::OpReturn, {1, 1}, {});
            }),
            "layout-section");
  EXPECT_EQ(
      edited([](Module& m, Editor& e, Block entry) {
        const Inst x = m.Next(m.Label(entry));
        const Id id = e.NewId(m.FileId(m.Result(x)));  // a file id that is taken
        e.InsertValue(m.Terminator(entry), spv::Op::OpCopyObject, m.Type(x), {1, 1}, {m.Result(x)});
        e.Append(Module::SectionBlock(Section::kDeclarations), spv::Op::OpUndef, m.Type(x), id,
                 {1, 2}, {});
      }),
      "id-once");
  EXPECT_EQ(edited([](Module& m, Editor& e, Block) {
              const Id id = e.NewId(0);
              e.Append(Module::SectionBlock(Section::kDeclarations), spv::Op::OpTypeSampler,
                       Id::kNone, id, {1, 2}, {});
              (void)m;
            }),
            "id-bound");
  EXPECT_EQ(edited([](Module&, Editor& e, Block) { e.NewId(4194303); }), "limit-bound");
  EXPECT_EQ(edited([](Module& m, Editor& e, Block) {
              Args args;
              for (int i = 0; i < 70000; ++i) args.push_back(0u);
              e.InsertPlain(m.First(Module::SectionBlock(Section::kDeclarations)), spv::Op::OpNop,
                            {1, 1}, args);
            }),
            "limit-words");
}

// All modules from a real front end are valid and consistent, optimised or not.
TEST(Validity, RealShadersAreValid) {
  constexpr const char* kShaders[] = {
      "#version 450\nlayout(location=0) out vec4 o; uniform int n; uniform float t;\n"
      "struct S { int a; float b[3]; };\n"
      "int f(inout S s, int k) { for (int i = 0; i < k; ++i) { if (i == 3) continue; if (s.a > 9)"
      " break; s.a += i; s.b[i % 3] *= 2.0; } return s.a; }\n"
      "void main() { S s; s.a = n; s.b = float[3](1.0, t, 2.0); int r = f(s, n);\n"
      " switch (r) { case 0: r = 3; case 1: r++; break; case 7: discard; default: r = n; }\n"
      " do { r += 1; if (r == 5) { if (n > 3) break; r = 9; } } while (r < 4);\n"
      " while (r > 100) { switch (r & 3) { case 0: r /= 2; continue; case 2: return; } r -= 5; }\n"
      " bool b = n > 2 && t < 1.0 || r == 7; o = b ? vec4(s.b[1], float(r), 0, 1) : vec4(1); }\n",
      "#version 450\nlayout(location=0) out vec4 o;\n"
      "void main() { int a[8]; for (int i = 0; i < 8; i++) a[i] = i * i % 5;\n"
      " for (int i = 0; i < 8; i++) for (int j = 0; j < 7; j++) { if (a[j] < a[j+1]) continue;\n"
      "  int t = a[j]; a[j] = a[j+1]; a[j+1] = t; }\n"
      " for (;;) { if (a[0] > 3) return; a[0]++; if (a[0] == 2) break; } o = vec4(a[0], a[1],\n"
      " a[2], a[3]) / 8.0; }\n"};
  for (const char* source : kShaders) {
    for (TargetEnvironment environment :
         {TargetEnvironment::kVulkan10, TargetEnvironment::kVulkan11, TargetEnvironment::kVulkan12,
          TargetEnvironment::kVulkan13}) {
      for (bool debug : {false, true}) {
        GlslOptions options;
        options.environment = environment;
        options.debug_info = debug;
        const auto words = CompileGlsl("test.frag", source, GlslStage::kFragment, options);
        ASSERT_TRUE(words) << words.error().message;
        for (const char* flag : {"", "-O", "-Os"}) {
          auto optimised = *flag == 0 ? words : Optimize(*words, {flag}, environment);
          ASSERT_TRUE(optimised);
          const Result<Module> module = ReadModule(*optimised, "test");
          ASSERT_TRUE(module);
          const Status valid = CheckModule(*module), consistent = CheckConsistency(*module);
          EXPECT_TRUE(valid) << flag << valid.error().message;
          EXPECT_TRUE(consistent) << consistent.error().message;
          EXPECT_TRUE(Validate(*optimised, environment));
        }
      }
    }
  }
}

// The modules of tests/modules are valid too, whatever their stage and version.
TEST(Validity, OddModulesAreValid) {
  const auto files = ListFiles(REFRACT_SOURCE_DIR "/tests/modules");
  ASSERT_TRUE(files);
  int read = 0;
  for (const std::string& file : *files) {
    if (Extension(file) != ".spvasm") continue;
    const Result<LoadedModule> loaded = LoadModuleFile(file);
    if (!loaded) continue;
    const Result<Module> module = ReadModule(loaded->words, file);
    if (!module) continue;
    ++read;
    const Status valid = CheckModule(*module), consistent = CheckConsistency(*module);
    EXPECT_TRUE(valid) << file << ": " << valid.error().message;
    EXPECT_TRUE(consistent) << file << ": " << consistent.error().message;
  }
  EXPECT_GE(read, 40);
}

}  // namespace
}  // namespace refract
