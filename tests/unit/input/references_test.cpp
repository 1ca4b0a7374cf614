// SPDX-License-Identifier: Apache-2.0
// What holds for every shader in references/: it compiles, is valid, and has inputs for all that it
// reads, plain and optimised. tests/measure/corpus.cpp checks what it draws.
#include <gtest/gtest.h>

#include "base/file.h"
#include "glsl/companion_file.h"
#include "glsl/load.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "ir/tools.h"

namespace refract {
namespace {

std::vector<std::string> References() {
  std::vector<std::string> shaders;
  auto files = ListFiles(REFRACT_SOURCE_DIR "/references");
  EXPECT_TRUE(files);
  if (!files) return shaders;
  for (const std::string& file : *files) {
    if (IsModuleFile(file)) shaders.push_back(file);
  }
  EXPECT_GE(shaders.size(), 6u);
  return shaders;
}

TEST(References, AreValidAndHaveAllInputsAlsoIfOptimised) {
  ValidationOptions layouts;  // the harness enables scalar layouts
  layouts.scalar_block_layout = true;
  for (const std::string& path : References()) {
    SCOPED_TRACE(path);
    const auto inputs = LoadInputsOf(path);
    ASSERT_TRUE(inputs) << inputs.error().message;
    ASSERT_NE(*inputs, nullptr);
    const auto plain = LoadModuleFile(path);
    ASSERT_TRUE(plain) << plain.error().message;
    const TargetEnvironment environment = DefaultEnvironment(plain->words[1]);
    for (const std::string flag : {"", "-O", "-Os"}) {
      SCOPED_TRACE(flag);
      const auto words = flag.empty() ? plain->words : *Optimize(plain->words, {flag}, environment);
      const auto invalid = FindInvalid(words, environment, layouts);
      EXPECT_FALSE(invalid) << invalid->message;
      const auto module = ReadModule(words, path);
      ASSERT_TRUE(module) << module.error().message;
      const auto entry = FindEntryPoint(*module, "", path);
      ASSERT_TRUE(entry) << entry.error().message;
      const auto resolved = Resolve(*module, *entry, **inputs, path);
      ASSERT_TRUE(resolved) << resolved.error().message;
      // Optimisers remove what is not used; the shader itself uses every input.
      if (flag.empty()) {
        EXPECT_TRUE(resolved->unused.empty()) << resolved->unused.front();
      }
    }
  }
}

// After writing and reading, the values of the references are the same.
TEST(References, InputsSurviveWriting) {
  for (const std::string& path : References()) {
    const auto inputs = LoadInputs(ReplaceExtension(path, ".json"));
    ASSERT_TRUE(inputs) << inputs.error().message;
    const auto again = ParseInputs(path, WriteInputs(*inputs));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, *inputs);
  }
}

}  // namespace
}  // namespace refract
