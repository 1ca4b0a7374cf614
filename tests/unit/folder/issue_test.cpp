// SPDX-License-Identifier: Apache-2.0
// The text of `refract issue` and its archive.
#include "folder/issue.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "folder/archive.h"

namespace refract {
namespace {

Issue CrashOfATool() {
  Issue issue;
  issue.record.verdict = FailureClass::kCrash;
  issue.record.signature = "crash spirv-opt: assertion 'width > 0' in Fold<>";
  issue.record.what = "spirv-opt died of SIGABRT";
  issue.record.target.name = "spirv-opt-O";
  issue.record.target.kind = "command";
  issue.record.target.build_ids = {{"spirv-opt", "0badcafe"}, {"libvulkan_lvp.so", "f00d"}};
  issue.record.environment = TargetEnvironment::kVulkan11;
  issue.record.instructions = 3;
  issue.name = "bug";
  issue.version = "spirv-opt: v2023.1";
  issue.system = "Debian";
  issue.runs = 2, issue.failed = 1;
  issue.module = "smallest";
  issue.assembly = "OpCapability Shader\n";
  issue.spirv = "spv1.3";
  issue.delta = "+OpNop\n";
  issue.commands = {"spirv-opt --ccp failing.spv -o out1.spv"};
  issue.full_commands = {"spirv-opt -O failing.spv -o out1.spv"};
  issue.failure.output = "/home/someone/fold.cpp:7: `x`\n\nAborted\n";
  issue.failure.backtrace = {"spirv-opt+0x12", "libc.so.6!abort+0x1"};
  issue.blame = "tool spirv-opt, pass 18 of 44: --ccp: the input was valid";
  issue.pass = "--ccp";
  issue.versions = {{"spirv-opt-O", "v2023.1", "the failure"}, {"older", "v2022.4", "no failure"}};
  return issue;
}

Issue WrongImageOfADriver() {
  Issue issue;
  issue.record.verdict = FailureClass::kWrongImage;
  issue.record.signature = "wrong_image lavapipe";
  issue.record.what = "the images differ: 2 of 16 pixels";
  issue.record.target.name = "lavapipe";
  issue.record.target.kind = "render";
  issue.record.target.build_ids = {{"libvulkan_lvp.so", "f00d"}};
  issue.record.runs = 3, issue.record.confirmed = 2;
  issue.record.instructions = 1;
  issue.name = "bug";
  issue.module = "reduced";
  issue.assembly = "OpCapability Shader\n";
  issue.delta = "-OpNop\n+OpReturn\n";
  issue.amber = "1.1";
  Image original = MakeImage(4, 4, 1, 2, 3, 255), failing = original;
  failing.pixel(6)[1] = 9;
  failing.pixel(9)[0] = 7;
  issue.pixels = DifferenceOf(original, failing);
  issue.others = {{"interp", "1", "correct"}};
  return issue;
}

bool Says(const Issue& issue, std::string_view text) {
  return IssueText(issue).find(text) != std::string::npos;
}

TEST(IssueTexts, TellWhoFailsAndHow) {
  EXPECT_EQ(IssueTitle(CrashOfATool()),
            "spirv-opt --ccp crashes: `assertion 'width > 0' in Fold<>`");
  EXPECT_EQ(IssueTitle(WrongImageOfADriver()), "lavapipe draws a wrong image");
  Issue newer = WrongImageOfADriver();
  newer.record.target.name = "lavapipe-26.2.6";
  newer.record.signature = "wrong_image lavapipe-N";
  EXPECT_EQ(IssueTitle(newer), "lavapipe-26.2.6 draws a wrong image");
  Issue issue = CrashOfATool();
  issue.record.verdict = FailureClass::kWrongImage;
  issue.record.signature = "wrong_image spirv-opt:--ccp";
  EXPECT_EQ(IssueTitle(issue), "spirv-opt:--ccp changes the image that a shader draws");
  issue.record.signature = "wrong_image spirv-opt-O@interp";
  EXPECT_EQ(IssueTitle(issue), "spirv-opt-O --ccp changes the image that a shader draws");
  issue.program = "spirv-opt";
  EXPECT_EQ(IssueTitle(issue), "spirv-opt --ccp changes the image that a shader draws");
  issue.program.clear();
  issue.record.signature = "nonsense";
  EXPECT_EQ(IssueTitle(issue), "spirv-opt-O --ccp changes the image that a shader draws");
}

TEST(IssueTexts, HaveCommandsMessagesStackAndVersionsOfACrash) {
  const Issue issue = CrashOfATool();
  for (const char* text :
       {"# spirv-opt --ccp crashes",
        "    tar xzf bug.tar.gz\n    cd bug\n    spirv-opt --ccp failing.spv",
        "    spirv-as --preserve-numeric-ids --target-env spv1.3 failing.spvasm -o failing.spv",
        "    spirv-opt -O failing.spv", "`spirv-val --target-env vulkan1.1` accepts it",
        "    fold.cpp:7: `x`\n    Aborted\n", "    #0 spirv-opt+0x12\n", "in 1 of 2 runs",
        "| older | v2022.4 | no failure |", "pass 18 of 44", "- build-id of spirv-opt: 0badcafe",
        "OpCapability Shader"}) {
    EXPECT_TRUE(Says(issue, text)) << text << "\nis not in\n" << IssueText(issue);
  }
  EXPECT_FALSE(Says(issue, "/home")) << "a folder of the machine";
  EXPECT_FALSE(Says(issue, "libvulkan_lvp")) << "no driver took part";
  EXPECT_FALSE(Says(issue, "## Difference")) << "the smallest module fails alone";
  EXPECT_FALSE(Says(issue, "amber"));
}

TEST(IssueTexts, HavePixelsDifferenceAndOtherTargetsOfAWrongImage) {
  const Issue issue = WrongImageOfADriver();
  for (const char* text :
       {"2 of 16 pixels differ", "pixel (2, 1)", "it is (1, 9, 3, 255) and must be (1, 2, 3, 255)",
        "    amber -v 1.1 test.amber", "-OpNop\n+OpReturn\n", "| interp | 1 | correct |",
        "2 of 3 runs", "not run again"}) {
    EXPECT_TRUE(Says(issue, text)) << text << "\nis not in\n" << IssueText(issue);
  }
}

TEST(IssueTexts, LeaveLongModulesToTheArchive) {
  Issue issue = CrashOfATool();
  issue.assembly.clear();
  for (int i = 0; i < 201; ++i) issue.assembly += "OpNop\n";
  EXPECT_TRUE(Says(issue, "(201 lines)"));
  EXPECT_FALSE(Says(issue, "OpNop"));
}

TEST(IssueTexts, NameNoPixelsOfEqualImages) {
  const Image image = MakeImage(2, 2, 1);
  EXPECT_FALSE(DifferenceOf(image, image));
  EXPECT_FALSE(DifferenceOf(image, MakeImage(2, 3)));
}

TEST(CommandLinesOfATarget, RunItsToolsUpToTheOneThatFails) {
  CommandTarget target;
  CommandStep step;
  step.name = "first";
  step.argv = {"/opt/x/first", "{passes}", "--env={env}", "{in}", "-o", "{out}"};
  step.passes = {"--a", "--b"};
  target.steps.push_back(step);
  step.name = "second";
  step.argv = {"second", "{in}", "a b"};
  step.to_standard_output = true;
  step.makes_spirv = false;
  target.steps.push_back(step);
  target.steps.push_back(step);
  target.steps.back().name = "third";
  Placeholders values;
  values.env = "spv1.0";
  EXPECT_EQ(CommandLines(target, values, "m", "second"),
            (std::vector<std::string>{"first --a --b --env=spv1.0 m.spv -o out1.spv",
                                      "second out1.spv 'a b' > out2.txt"}));
  EXPECT_EQ(CommandLines(target, values, "m", "").size(), 3u);
}

TEST(Archives, HoldTheFilesAndNothingElse) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  std::string large(100000, 'x');
  const std::vector<ArchiveFile> files = {{"a.txt", "a"}, {"b/empty", ""}, {"b/large", large}};
  const Result<std::string> archive = TarGz("top", files);
  ASSERT_TRUE(archive);
  EXPECT_EQ(*archive, *TarGz("top", files));
  ASSERT_TRUE(WriteFile(folder->path() + "/x.tar.gz", *archive));
  Command command;
  command.argv = {FindProgram("tar"), "xzf", "x.tar.gz"};
  command.folder = folder->path();
  const Result<CommandResult> ran = RunCommand(command);
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->exit_code, 0) << ran->output;
  EXPECT_EQ(ran->output, "");
  for (const ArchiveFile& file : files) {
    const Result<std::string> bytes = ReadFile(format("{}/top/{}", folder->path(), file.name));
    ASSERT_TRUE(bytes) << file.name;
    EXPECT_EQ(*bytes, file.bytes);
  }
  EXPECT_FALSE(TarGz("top", {{std::string(100, 'n'), ""}})) << "a path of 104 characters";
}

}  // namespace
}  // namespace refract
