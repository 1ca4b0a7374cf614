// SPDX-License-Identifier: Apache-2.0
// What is promised of every shader in references/: it compiles, has inputs for all it reads, is
// long enough to be worth fuzzing, plain and optimised, and is valid.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "glsl/load.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "ir/tools.h"

namespace refract {
namespace {

size_t BodyInstructions(const Module& module) {
  size_t count = 0;
  ForEachFunction(module, [&](Function function) {
    ForEachBlock(module, function,
                 [&](Block block) { ForEachInstruction(module, block, [&](Inst) { ++count; }); });
  });
  return count;
}

std::vector<std::string> References() {
  std::vector<std::string> shaders;
  auto files = ListFiles(REFRACT_SOURCE_DIR "/references");
  EXPECT_TRUE(files);
  if (!files) return shaders;
  for (const std::string& file : *files) {
    if (Extension(file) == ".frag") shaders.push_back(file);
  }
  return shaders;
}

TEST(References, AreSix) {
  EXPECT_EQ(References().size(), 6u);
}

TEST(References, KeepTheirPromises) {
  for (const std::string& path : References()) {
    SCOPED_TRACE(path);
    const auto text = ReadFile(path);
    ASSERT_TRUE(text);
    const auto lines = std::count(text->begin(), text->end(), '\n');
    EXPECT_GE(lines, 60);
    EXPECT_LE(lines, 400);
    const auto inputs = LoadInputs(ReplaceExtension(path, ".json"));
    ASSERT_TRUE(inputs) << inputs.error().message;
    const auto plain = LoadModuleFile(path);
    ASSERT_TRUE(plain) << plain.error().message;
    for (const std::string flag : {"", "-O", "-Os"}) {
      SCOPED_TRACE(flag);
      auto words = flag.empty() ? plain->words
                                : *Optimize(plain->words, {flag}, TargetEnvironment::kVulkan11);
      const auto invalid = FindInvalid(words, TargetEnvironment::kVulkan11);
      EXPECT_FALSE(invalid) << invalid->message;
      const auto module = ReadModule(words, path);
      ASSERT_TRUE(module) << module.error().message;
      EXPECT_GE(BodyInstructions(*module), flag.empty() ? 300u : 200u);
      const auto entry = FindEntryPoint(*module, "", path);
      ASSERT_TRUE(entry) << entry.error().message;
      const auto resolved = Resolve(*module, *entry, *inputs, path);
      ASSERT_TRUE(resolved) << resolved.error().message;
      EXPECT_TRUE(resolved->unused.empty());
      EXPECT_GE(resolved->known.size(), 4u);
      EXPECT_GE(resolved->bindings.width, 64u);
      EXPECT_GE(resolved->bindings.height, 64u);
      const auto is_known = [&](uint64_t bits) {
        return std::any_of(resolved->known.begin(), resolved->known.end(),
                           [&](const KnownValue& value) { return value.bits == bits; });
      };
      EXPECT_TRUE(is_known(0) && is_known(1));
    }
  }
}

// Written out and read again, the values of the references are the same.
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
