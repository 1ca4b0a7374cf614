// SPDX-License-Identifier: Apache-2.0
// Declarations are found by their content, however many others there are.
#include <gtest/gtest.h>

#include "base/text.h"
#include "ir/binary.h"
#include "ir/edit/editor.h"
#include "ir/tools.h"
#include "ir/validity/consistency.h"

namespace refract {
namespace {

// Pointer types whose ids are near that of %int, each with many variables. Their storage class,
// Private, is 6, and so is the constant that is searched for.
std::string CrowdedModule() {
  std::string text =
      "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n"
      "%uint = OpTypeInt 32 0\n%length = OpConstant %uint 2\n%type_0 = OpTypeVector %uint 2\n";
  for (int i = 0; i < 40; ++i) {
    text += format("%to_{0} = OpTypePointer Private %type_{0}\n", i);
    text += format("%type_{} = OpTypeArray %type_{} %length\n", i + 1, i);
    if (i == 12) text += "%int = OpTypeInt 32 1\n";
  }
  for (int i = 0; i < 40; ++i) {
    for (int k = 0; k < 16; ++k) text += format("%v_{0}_{1} = OpVariable %to_{0} Private\n", i, k);
  }
  return text;
}

Id FindInt(const Module& module) {
  return module.FindDeclaration(spv::Op::OpTypeInt, Id::kNone, {32u, 1u});
}

TEST(DeclarationIndex, FindsADeclarationAmongManyOthers) {
  const auto words = Assemble(CrowdedModule(), TargetEnvironment::kUniversal13);
  ASSERT_TRUE(words) << words.error().message;
  Module module = ReadModule(*words, "crowded").value();
  Editor editor(module, 1);
  const Id type = FindInt(module);
  ASSERT_NE(type, Id::kNone);
  const Id six = editor.Declare(spv::Op::OpConstant, type, {6u});
  EXPECT_EQ(editor.Declare(spv::Op::OpConstant, type, {6u}), six);
  const Status status = CheckConsistency(module);
  EXPECT_TRUE(status) << status.error().message;
}

TEST(DeclarationIndex, RemovedDeclarationsHideNoOther) {
  const auto words = Assemble(CrowdedModule(), TargetEnvironment::kUniversal13);
  Module module = ReadModule(*words, "crowded").value();
  Editor editor(module, 1);
  const Id type = FindInt(module);
  for (int i = 0; i < 40; ++i) {
    const Id seven = editor.Declare(spv::Op::OpConstant, type, {7u});
    EXPECT_EQ(editor.Declare(spv::Op::OpConstant, type, {7u}), seven) << i;
    editor.Remove(module.Definition(seven));
  }
}

}  // namespace
}  // namespace refract
