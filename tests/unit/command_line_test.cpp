// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/check.h"
#include "base/version.h"
#include "cli/console.h"

namespace refract {
namespace {

struct Outcome {
  int exit_code;
  std::string out, err;
};

Outcome Refract(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "refract");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int exit_code = RunCommandLine(static_cast<int>(argv.size()), argv.data());
  Outcome outcome{exit_code, testing::internal::GetCapturedStdout(),
                  testing::internal::GetCapturedStderr()};
  return outcome;
}

TEST(CommandLine, VersionNamesEverythingBuiltIn) {
  const Outcome outcome = Refract({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out.find(format("refract {}\n", ToolVersion())), 0u) << outcome.out;
  for (const char* part : {"commit", "build", "SPIRV-Tools", "glslang", "protobuf", "Vulkan", "fmt",
                           "CLI11", "nlohmann-json", "libpng", "zlib"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(outcome.err, "");
}

TEST(CommandLine, HelpHasAnExampleAndTheExitCodes) {
  const Outcome outcome = Refract({"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("Example:\n  refract "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("Exit codes:\n  0   done\n"), std::string::npos) << outcome.out;
}

TEST(CommandLine, WrongUsageIsTwoWithNothingOnStdout) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"no_such_verb"}, {"--no-such-option"}}) {
    const Outcome outcome = Refract(arguments);
    EXPECT_EQ(outcome.exit_code, kUsage);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.find("refract: error: "), 0u) << outcome.err;
    EXPECT_NE(outcome.err.find("--help"), std::string::npos) << outcome.err;
  }
}

TEST(CommandLine, EveryKindOfErrorHasItsExitCode) {
  EXPECT_EQ(ExitCodeOf(ErrorKind::kFailed), 1);
  EXPECT_EQ(ExitCodeOf(ErrorKind::kUsage), 2);
  EXPECT_EQ(ExitCodeOf(ErrorKind::kBadInput), 3);
  EXPECT_EQ(ExitCodeOf(ErrorKind::kUnavailable), 7);
}

TEST(CommandLineDeathTest, AFailedCheckExitsWithOne) {
  EXPECT_EXIT(
      {
        char name[] = "refract";
        char* argv[] = {name};
        RunCommandLine(1, argv);
        CHECK(false);
      },
      testing::ExitedWithCode(kOurFault), "internal error: CHECK\\(false\\) failed");
}

TEST(Console, QuietKeepsTalkToItselfButNotWarnings) {
  Console console;
  console.quiet = true;
  testing::internal::CaptureStderr();
  console.Say("talk");
  console.Warn("careful");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "refract: warning: careful\n");
}

TEST(Console, ShellLineCanBeTypedAgain) {
  EXPECT_EQ(ShellLine({"refract", "fuzz", "a b.spv", "it's", "", "--seed=1"}),
            "refract fuzz 'a b.spv' 'it'\\''s' '' --seed=1");
}

}  // namespace
}  // namespace refract
