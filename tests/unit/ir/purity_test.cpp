// SPDX-License-Identifier: Apache-2.0
// What the fixtures of set_function_control do not cover: recursion, long chains of calls, kernels,
// and that the audit detects a false promise.
#include "ir/purity.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "engine/audit.h"
#include "ir/binary.h"
#include "ir/edit/editor.h"
#include "ir/tools.h"

namespace refract {
namespace {

constexpr std::string_view kHead = R"(
OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%c = OpConstant %int 1
%ptr = OpTypePointer Private %int
%state = OpVariable %ptr Private
)";

Module Read(const std::string& text) {
  const auto words = Assemble(text, TargetEnvironment::kUniversal13);
  CHECK(words);
  auto module = ReadModule(*words, "test");
  CHECK(module);
  return std::move(*module);
}

// A function that calls the functions with those numbers.
std::string FunctionText(int number, std::vector<int> calls, std::string_view control = "None") {
  std::string text =
      format("%f{} = OpFunction %void {} %fn\n%l{} = OpLabel\n", number, control, number);
  for (size_t i = 0; i < calls.size(); ++i) {
    text += format("%r{}_{} = OpFunctionCall %void %f{}\n", number, i, calls[i]);
  }
  return text + "OpReturn\nOpFunctionEnd\n";
}

std::vector<uint32_t> ProvenOfAll(const Module& module) {
  std::vector<uint32_t> proven;
  Purity purity(module);
  ForEachFunction(module, [&](Function function) { proven.push_back(purity.Proven(function)); });
  return proven;
}

TEST(Purity, NothingIsProvenForRecursion) {
  const Module module = Read(std::string(kHead) + FunctionText(0, {1, 3}) + FunctionText(1, {2}) +
                             FunctionText(2, {1}) + FunctionText(3, {4, 4}) + FunctionText(4, {}));
  const uint32_t none = 0;
  EXPECT_EQ(ProvenOfAll(module), (std::vector{none, none, none, kPromises, kPromises}));
}

// The result for a function does not depend on earlier queries.
TEST(Purity, TheOrderOfQueriesDoesNotMatter) {
  const Module module = Read(std::string(kHead) + FunctionText(0, {1, 2}) +
                             FunctionText(1, {2, 3}) + FunctionText(2, {3}) + FunctionText(3, {}));
  EXPECT_EQ(ProvenOfAll(module), std::vector(4, kPromises));
  ForEachFunction(
      module, [&](Function function) { EXPECT_EQ(Purity(module).Proven(function), kPromises); });
}

TEST(Purity, AChainOfCallsMayBeVeryLong) {
  constexpr int kCalls = 20000;
  std::string text(kHead);
  for (int i = 0; i < kCalls; ++i) text += FunctionText(i, {i + 1});
  const Module module = Read(text + FunctionText(kCalls, {}));
  EXPECT_EQ(Purity(module).Proven(module.first_function()), kPromises);
}

TEST(Purity, NothingIsProvenForKernels) {
  const Module module = Read(R"(
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpMemoryModel Physical32 OpenCL
%void = OpTypeVoid
%fn = OpTypeFunction %void
)" + FunctionText(0, {}));
  EXPECT_EQ(Purity(module).Proven(module.first_function()), 0u);
}

class BrokenPromise : public testing::Test {
 protected:
  void StoreIn(Function function) {
    Editor editor(module_, 1);
    editor.InsertPlain(module_.Terminator(module_[function].first), spv::Op::OpStore,
                       editor.Made(1), {Global(spv::Op::OpVariable), Global(spv::Op::OpConstant)});
    if (drops_) DropUnprovenPromises(editor);
  }
  Id Global(spv::Op opcode) const {
    Id found = Id::kNone;
    ForEachInstruction(module_, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
      if (module_.Opcode(inst) == opcode) found = module_.Result(inst);
    });
    return found;
  }
  uint32_t Control(Function function) const {
    return module_.Word(module_[function].definition, 0);
  }

  const Module original_ = Read(std::string(kHead) + FunctionText(0, {1}, "Inline|Pure") +
                                FunctionText(1, {}, "Pure|Const"));
  Module module_ = original_;
  const Function first_ = original_.first_function();
  const Function second_ = original_.NextFunction(first_);
  bool drops_ = false;
};

TEST_F(BrokenPromise, IsDetected) {
  EXPECT_FALSE(FindBrokenPromise(original_, module_));
  StoreIn(second_);
  ASSERT_TRUE(FindBrokenPromise(original_, module_));
  // A promise that was already false in the original does not count.
  EXPECT_FALSE(FindBrokenPromise(module_, module_));
}

TEST_F(BrokenPromise, IsRemovedTogetherWithThoseOfCallers) {
  drops_ = true;
  StoreIn(second_);
  EXPECT_FALSE(FindBrokenPromise(original_, module_));
  EXPECT_EQ(Control(first_), 1u);
  EXPECT_EQ(Control(second_), 0u);
}

TEST_F(BrokenPromise, InACallerDoesNotAffectTheCallee) {
  drops_ = true;
  StoreIn(first_);
  EXPECT_EQ(Control(first_), 1u);
  EXPECT_EQ(Control(second_), kPromises);
}

}  // namespace
}  // namespace refract
