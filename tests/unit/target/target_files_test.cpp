// SPDX-License-Identifier: Apache-2.0
// Drivers that a user describes: the file format, its errors, and the resulting targets.
#include "target/target_files.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "target/targets.h"
#include "unit/shared/plain_error.h"

namespace refract {
namespace {

Result<DriverFile> Read(const std::string& text, const std::string& file = "d.json") {
  const Result<JsonNode> root = ParseJson(file, text);
  if (!root) return root.error();
  EXPECT_TRUE(DescribesDriver(*root));
  return ReadDriverFile(file, *root);
}

TEST(DriverFile, IsReadFromJson) {
  const Result<DriverFile> driver = Read(
      R"({"name": "mine", "description": "new", "icd": "icd.d/x.json", "kind": "pipeline",
          "environment": {"B": "2", "A": ""}})",
      "/my/folder/d.json");
  ASSERT_TRUE(driver) << driver.error().message;
  EXPECT_EQ(driver->name, "mine");
  EXPECT_EQ(driver->description, "new");
  EXPECT_EQ(driver->icd, "/my/folder/icd.d/x.json");
  EXPECT_TRUE(driver->pipeline_only);
  using Variables = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(driver->environment, (Variables{{"B", "2"}, {"A", ""}}));
  const Result<DriverFile> least = Read(R"({"name": "m", "icd": "lavapipe"})");
  ASSERT_TRUE(least);
  EXPECT_EQ(least->icd, "lavapipe");
  EXPECT_FALSE(least->pipeline_only);
}

TEST(DriverFile, ErrorsNameTheirPlace) {
  const auto error = [](const std::string& more) {
    const Result<DriverFile> driver = Read(R"({"name": "m", "icd": "x.json")" + more + "}");
    return driver ? std::string("none") : PlainError(driver.error().message);
  };
  EXPECT_EQ(error(""), "none");
  EXPECT_EQ(
      error(",\n\"env\": {}"),
      "d.json:2: /env: unknown key; known keys: name, description, icd, environment, kind, root");
  EXPECT_EQ(error(R"(, "kind": "draw")"), "d.json:1: /kind: expected \"render\" or \"pipeline\"");
  EXPECT_EQ(error(R"(, "environment": ["A=1"])"),
            "d.json:1: /environment: expected an object with variables and their values");
  EXPECT_EQ(error(R"(, "environment": {"A": 1})"), "d.json:1: /environment/A: expected a string");
  EXPECT_EQ(error(R"(, "environment": {"A=": "1"})"),
            "d.json:1: /environment/A=: not a valid name of an environment variable");
  EXPECT_EQ(error(R"(, "environment": {"VK_ICD_FILENAMES": "y.json"})"),
            "d.json:1: /environment/VK_ICD_FILENAMES: not allowed: \"icd\" selects the "
            "driver");
  const Result<DriverFile> nameless = Read(R"({"icd": "x.json"})");
  ASSERT_FALSE(nameless);
  EXPECT_EQ(PlainError(nameless.error().message), "d.json:1: /name: missing; expected a string");
}

TEST(DriverFile, AcceptsAnIcdFileOrABuiltInDriver) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  const std::string path = folder->path();
  const auto write = [&](const std::string& file, const std::string& text) {
    ASSERT_TRUE(WriteFile(path + "/" + file, text));
  };
  write("x.icd.json", "{}");
  write("a.json", R"({"name": "mine", "icd": "x.icd.json",
                      "environment": {"MESA_SHADER_CACHE_DISABLE": "0", "LOG": "1"}})");
  write("b.json",
        R"({"name": "narrow", "icd": "radv-aco", "environment": {"RADV_DEBUG": "none"}})");
  write("c.json", R"({"name": "gone", "icd": "y.json", "kind": "pipeline"})");
  write("d.json", R"({"name": "tool", "description": "d", "render": "mine", "commands": [
                      {"run": ["cp", "{in}", "{out}"], "output": "spirv"}]})");
  const std::vector<std::string> files = {path + "/a.json", path + "/b.json", path + "/c.json",
                                          path + "/d.json"};
  const Result<std::vector<Target>> targets = FindTargets(files);
  ASSERT_TRUE(targets) << targets.error().message;
  const auto named = [&](std::string_view name) {
    for (const Target& target : *targets) {
      if (target.name == name) return target;
    }
    return Target();
  };
  using Variables = std::vector<std::pair<std::string, std::string>>;
  const Target mine = named("mine");
  EXPECT_EQ(mine.kind, Target::Kind::kRender);
  EXPECT_TRUE(mine.icd.ends_with("/x.icd.json"));
  EXPECT_EQ(mine.environment, (Variables{{"MESA_SHADER_CACHE_DISABLE", "0"},
                                         {"__GL_SHADER_DISK_CACHE", "0"},
                                         {"LOG", "1"}}));
  EXPECT_EQ(mine.file, files[0]);
  const Target narrow = named("narrow");
  const Target radv = named("radv-aco");
  EXPECT_EQ(narrow.kind, Target::Kind::kPipeline);
  EXPECT_EQ(narrow.icd, radv.icd);
  EXPECT_EQ(narrow.missing, radv.missing);
  EXPECT_NE(narrow.environment, radv.environment);
  EXPECT_EQ(narrow.environment.size(), radv.environment.size());
  EXPECT_EQ(named("gone").missing, path + "/y.json: no such ICD file");
  EXPECT_EQ(named("gone").kind, Target::Kind::kPipeline);
  const Target tool = named("tool");
  ASSERT_NE(tool.command, nullptr);
  ASSERT_NE(tool.command->described_driver, nullptr);
  EXPECT_EQ(tool.command->described_driver->icd, mine.icd);
  // Any driver can draw the output of a tool.
  const Result<Target> drawn = FindTarget("tool@mine", files);
  ASSERT_TRUE(drawn) << drawn.error().message;
  EXPECT_EQ(drawn->name, "tool@mine");
  EXPECT_EQ(drawn->command->driver, "mine");
  EXPECT_FALSE(FindTarget("tool@gone", files));
  write("e.json", R"({"name": "odd", "icd": "interp"})");
  const Result<std::vector<Target>> odd = FindTargets({path + "/e.json"});
  ASSERT_FALSE(odd);
  EXPECT_TRUE(odd.error().message.starts_with(
      path + "/e.json: /icd: expected the path of a .json file or one of lavapipe, swiftshader"))
      << odd.error().message;
  write("e.json", R"({"name": "swiftshader", "icd": "lavapipe"})");
  const Result<std::vector<Target>> taken = FindTargets({path + "/e.json"});
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().message,
            path + "/e.json: /name: 'swiftshader' is the name of a driver; choose another");
}

}  // namespace
}  // namespace refract
