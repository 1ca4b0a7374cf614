// SPDX-License-Identifier: Apache-2.0
// Results that are cached between commands: compiled GLSL, and which modules are valid. The cache
// changes no result.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "glsl/load.h"
#include "ir/validity/known_valid.h"

namespace refract {
namespace {

constexpr const char* kShader =
    "#version 300 es\nprecision highp float;\nout vec4 colour;\n"
    "void main() { colour = vec4(1.0, gl_FragCoord.x, 0.0, 1.0); }\n";

// Uses a cache folder of its own.
class Kept : public testing::Test {
 protected:
  Kept() : folder_(std::move(*TemporaryFolder::Make())) {
    Keep("XDG_CACHE_HOME", &home_);
    Keep("REFRACT_CACHE", &off_);
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    ::unsetenv("REFRACT_CACHE");
  }
  ~Kept() override {
    Restore("XDG_CACHE_HOME", home_);
    Restore("REFRACT_CACHE", off_);
  }

  std::vector<std::string> Entries(const std::string& kind) const {
    const std::string below = format("{}/refract/{}", folder_.path(), kind);
    if (!FileExists(below)) return {};
    const auto files = ListFiles(below);
    EXPECT_TRUE(files);
    return *files;
  }
  std::string File(const char* name, const std::string& text) const {
    const std::string path = folder_.path() + "/" + name;
    EXPECT_TRUE(WriteFile(path, text));
    return path;
  }

 private:
  static void Keep(const char* name, std::optional<std::string>* value) {
    if (const char* now = std::getenv(name)) *value = now;
  }
  static void Restore(const char* name, const std::optional<std::string>& value) {
    value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
  }

  TemporaryFolder folder_;
  std::optional<std::string> home_, off_;
};

TEST_F(Kept, CompiledGlslIsCached) {
  const std::string file = File("a.frag", kShader);
  const auto first = LoadModuleFile(file);
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_EQ(Entries("glsl").size(), 1u);
  const auto second = LoadModuleFile(file);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->words, first->words);
  EXPECT_EQ(second->warnings, first->warnings);
  EXPECT_EQ(second->warnings.size(), 1u);
  EXPECT_EQ(second->kind, ModuleKind::kGlsl);
  EXPECT_EQ(Entries("glsl").size(), 1u);
  // A damaged entry is ignored: the shader is compiled again and the entry is replaced.
  const std::string entry = Entries("glsl").front();
  ASSERT_TRUE(WriteFile(entry, "damaged"));
  EXPECT_EQ(LoadModuleFile(file)->words, first->words);
  EXPECT_NE(*ReadFile(entry), "damaged");
}

// The key includes options, name and stage as well as the source.
TEST_F(Kept, OtherGlslIsCompiledAgain) {
  const std::string file = File("a.frag", kShader);
  const auto plain = LoadModuleFile(file);
  ASSERT_TRUE(plain);
  GlslOptions options;
  options.debug_info = true;
  EXPECT_NE(LoadModuleFile(file, options)->words, plain->words);
  options = GlslOptions();
  options.environment = TargetEnvironment::kVulkan12;
  EXPECT_NE(LoadModuleFile(file, options)->words, plain->words);
  const auto other = LoadModuleFile(File("b.frag", kShader));
  ASSERT_TRUE(other);
  EXPECT_NE(other->warnings, plain->warnings);
  EXPECT_EQ(Entries("glsl").size(), 4u);
  std::string changed = kShader;
  changed.replace(changed.find("1.0"), 3, "0.5");
  EXPECT_NE(LoadModuleFile(File("a.frag", changed))->words, plain->words);
}

TEST_F(Kept, ErrorsAreNotCached) {
  const std::string file = File("a.frag", "#version 450\nvoid main() { nonsense; }\n");
  const auto first = LoadModuleFile(file);
  ASSERT_FALSE(first);
  EXPECT_EQ(LoadModuleFile(file).error().message, first.error().message);
  EXPECT_TRUE(Entries("glsl").empty());
}

TEST_F(Kept, ValidModulesAreCached) {
  const auto valid = LoadModuleFile(File("a.frag", kShader));
  ASSERT_TRUE(valid);
  const TargetEnvironment environment = TargetEnvironment::kVulkan11;
  constexpr double kQuick = 60;  // also with sanitisers on a busy machine
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(FindInvalidUnlessKnown(valid->words, environment, {}, kQuick));
    EXPECT_EQ(Entries("valid").size(), 1u);
  }
  // The cache holds only valid modules, and for each only that environment.
  std::vector<uint32_t> broken = valid->words;
  broken.resize(5);
  for (int i = 0; i < 2; ++i) {
    const auto why = FindInvalidUnlessKnown(broken, environment, {});
    ASSERT_TRUE(why);
    EXPECT_EQ(why->message, FindInvalid(broken, environment)->message);
    EXPECT_TRUE(FindInvalidUnlessKnown(valid->words, TargetEnvironment::kVulkan10, {}));
  }
  EXPECT_EQ(Entries("valid").size(), 1u);
}

}  // namespace
}  // namespace refract
