// SPDX-License-Identifier: Apache-2.0
#include "target/inspect.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"

namespace refract {
namespace {

using State = Inspected::State;

const Inspected* Find(const std::vector<Inspected>& list, const std::string& name) {
  for (const Inspected& found : list) {
    if (found.name == name) return &found;
  }
  return nullptr;
}

TEST(Inspect, InstallCommandsComeFromTheNamesOfPackages) {
  EXPECT_EQ(InstallCommand("no lvp_icd file (Debian: mesa-vulkan-drivers)"),
            "apt-get install mesa-vulkan-drivers");
  EXPECT_EQ(InstallCommand("Debian: spirv-tools, or the source"), "apt-get install spirv-tools");
  EXPECT_EQ(InstallCommand("ask its author"), "");
}

TEST(Inspect, TheLibraryOfAnIcdFile) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  const std::string file = folder->path() + "/icd.json";
  const auto library = [&](const std::string& text) {
    EXPECT_TRUE(WriteFile(file, text));
    return LibraryOfIcd(file);
  };
  EXPECT_EQ(library(R"({"ICD": {"library_path": "./lib/libx.so"}})"),
            folder->path() + "/lib/libx.so");
  EXPECT_EQ(library(R"({"ICD": {"library_path": "/a/libx.so"}})"), "/a/libx.so");
  EXPECT_EQ(library(R"({"ICD": {"library_path": "libx.so"}})"), "libx.so");
  EXPECT_EQ(library(R"({"ICD": {"library_path": 7}})"), "");
  EXPECT_EQ(library("not JSON"), "");
  EXPECT_EQ(LibraryOfIcd(folder->path() + "/absent.json"), "");
}

TEST(Inspect, ADriverWhoseLibraryIsAbsentIsBroken) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  const std::string file = folder->path() + "/gone_icd.json";
  ASSERT_TRUE(WriteFile(file, R"({"file_format_version": "1.0.0",
      "ICD": {"library_path": "/nowhere/libgone.so", "api_version": "1.1.0"}})"));
  const Target gone{.name = "gone", .icd = file, .environment = {}, .missing = ""};
  const Target absent{
      .name = "absent", .icd = "", .environment = {}, .missing = "no file (Debian: some-package)"};
  Harness harness;
  const std::vector<Inspected> list = InspectDrivers({gone, absent}, harness);
  const Inspected* broken = Find(list, "gone");
  ASSERT_NE(broken, nullptr);
  EXPECT_EQ(broken->state, State::kBroken);
  EXPECT_EQ(broken->file, "/nowhere/libgone.so");
  EXPECT_EQ(broken->select, "VK_DRIVER_FILES=" + file);
  EXPECT_FALSE(broken->draws);
  EXPECT_NE(broken->fix, "");
  const Inspected* missing = Find(list, "absent");
  ASSERT_NE(missing, nullptr);
  EXPECT_EQ(missing->state, State::kMissing);
  EXPECT_NE(missing->fix.find("apt-get install some-package"), std::string::npos);
}

TEST(Inspect, ADriverDraws) {
  const Result<Target> lavapipe = FindTarget("lavapipe");
  ASSERT_TRUE(lavapipe) << lavapipe.error().message;
  Harness harness;
  const std::vector<Inspected> list = InspectDrivers({*lavapipe}, harness);
  const Inspected* found = Find(list, "lavapipe");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->state, State::kOk) << found->text;
  EXPECT_TRUE(found->draws);
  EXPECT_NE(found->file.find("libvulkan_lvp"), std::string::npos) << found->file;
}

TEST(Inspect, ToolsAreListedOnce) {
  CommandStep absent;
  absent.name = "zz";
  absent.argv = {"no-such-program-zz"};
  absent.hint = "Debian: zz-tools";
  CommandTarget tool;
  tool.steps = {absent, absent};
  const Target target{.name = "zz",
                      .kind = Target::Kind::kCommand,
                      .icd = {},
                      .environment = {},
                      .missing = {},
                      .command = std::make_shared<const CommandTarget>(tool)};
  const std::vector<Inspected> list = InspectTools({target, target});
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].state, State::kMissing);
  EXPECT_EQ(list[0].fix, "apt-get install zz-tools");
}

}  // namespace
}  // namespace refract
