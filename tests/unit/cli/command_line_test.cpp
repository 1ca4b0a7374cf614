// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/version.h"
#include "cli/console.h"

namespace refract {
namespace {

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// A verb that takes one option of each kind and ends as its MODULE argument says.
struct Given {
  std::string module, other, text = "unset", rule = "a";
  std::vector<std::string> repeated, list;
  uint64_t number = 5;
  std::optional<uint64_t> seed;
  bool flag = false;
};

void Declare(Given& given, Options& options) {
  options.Argument("MODULE", &given.module, "A module");
  options.OptionalArgument("OTHER", &given.other, "Another");
  options.Text("-o,--out", "FILE", &given.text, "A text");
  options.Choice("--rule", &given.rule, {"a", "b"}, "A choice");
  options.Repeated("--donors", "DIR", &given.repeated, "A text each time");
  options.List("--target", "NAMES", &given.list, "Texts");
  options.Number("--max", &given.number, "A number", 1, 10);
  options.Number("--seed", &given.seed, "A number or none");
  options.Flag("--flag", &given.flag, "A flag");
}

Result<ExitCode> Run(const Given& given, Console& console) {
  if (given.module == "bad.spv") return Error{"bad.spv: word 5: no"};
  if (given.module == "absent") return Error{"no such driver", ErrorKind::kUnavailable};
  console.Say("progress");
  console.Print(format("{} {} {} {} [{}] [{}] {} {} {}\n", given.module, given.other, given.text,
                       given.rule, Joined(given.repeated), Joined(given.list), given.number,
                       given.seed ? std::to_string(*given.seed) : "none", given.flag));
  return kFinding;
}

const Verb kTryVerb = {
    .name = "try",
    .summary = "Try options",
    .example = "refract try a.spv",
    .exit_codes = {{kFinding, "always"}},
    .declare = DeclareVerb<Given, Declare, Run>,
};

Result<ExitCode> Crash(const Given&, Console&) {
  CHECK(false);
  return kDone;
}

const Verb kWorkerVerb = {
    .name = "worker",
    .summary = "Nobody types this",
    .example = "refract worker -",
    .exit_codes = {},
    .declare = DeclareVerb<Given, Declare, Crash>,
    .internal = true,
};

constexpr std::array kVerbs = {&kTryVerb, &kWorkerVerb};

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
  const int exit_code = RunCommandLine(static_cast<int>(argv.size()), argv.data(), kVerbs);
  Outcome outcome{exit_code, testing::internal::GetCapturedStdout(),
                  testing::internal::GetCapturedStderr()};
  return outcome;
}

TEST(CommandLine, VersionNamesEveryLibrary) {
  const Outcome outcome = Refract({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out.find(format("refract {}\n", ToolVersion())), 0u) << outcome.out;
  for (const char* part : {"commit", "build", "SPIRV-Tools", "glslang", "protobuf", "Vulkan", "fmt",
                           "CLI11", "nlohmann-json", "libpng", "zlib"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(outcome.err, "");
}

TEST(CommandLine, HelpAllHasAnExampleAndTheExitCodes) {
  const Outcome outcome = Refract({"--help-all"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("Example:\n  refract "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("Exit codes:\n  0   done\n"), std::string::npos) << outcome.out;
}

TEST(CommandLine, WrongUsageExitsWithTwoAndNoOutput) {
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
        RunCommandLine(1, argv, kVerbs);
        CHECK(false);
      },
      testing::ExitedWithCode(kFault), "internal error: CHECK\\(false\\) failed");
}

void RunWorker() {
  char name[] = "refract";
  char verb[] = "worker";
  char module[] = "-";
  char* argv[] = {name, verb, module};
  RunCommandLine(3, argv, kVerbs);
}

TEST(CommandLineDeathTest, AFailedCheckInAWorkerKeepsItsSignal) {
  EXPECT_EXIT(RunWorker(), testing::KilledBySignal(SIGABRT),
              "internal error: CHECK\\(false\\) failed");
}

TEST(CommandLine, OptionsAreParsedAndDefaultsApply) {
  Outcome outcome = Refract({"try", "a.spv"});
  EXPECT_EQ(outcome.exit_code, kFinding);
  EXPECT_EQ(outcome.out, "a.spv  unset a [] [] 5 none false\n");
  EXPECT_EQ(outcome.err, "progress\n");
  outcome = Refract({"--quiet", "try", "--donors", "d", "-", "-o", "f", "--donors", "e", "b.spv",
                     "--target", "x,y", "--max=0xa", "--seed", "18446744073709551615", "--flag",
                     "--rule", "b"});
  EXPECT_EQ(outcome.out, "- b.spv f b [d e] [x y] 10 18446744073709551615 true\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(Refract({"try", "a.spv", "--quiet"}).err, "")
      << "common options may also follow the verb";
}

TEST(CommandLine, InvalidValuesAreWrongUsage) {
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{},
                                             {"a", "b", "c"},
                                             {"a", "--max", "0"},
                                             {"a", "--max", "11"},
                                             {"a", "--max", "3k"},
                                             {"a", "--seed", "-1"},
                                             {"a", "--seed"},
                                             {"a", "--rule", "c"},
                                             {"a", "--target", "x,,y"},
                                             {"a", "--flagg"}}) {
    std::vector<std::string> arguments = {"try"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = Refract(arguments);
    EXPECT_EQ(outcome.exit_code, kUsage) << Joined(arguments);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("Try: refract try --help\n"), std::string::npos) << outcome.err;
  }
}

TEST(CommandLine, AnErrorGivesOneLineAndItsExitCode) {
  const Outcome bad = Refract({"try", "bad.spv"});
  EXPECT_EQ(bad.exit_code, kBadInput);
  EXPECT_EQ(bad.err, "refract: error: bad.spv: word 5: no\n");
  EXPECT_EQ(bad.out, "");
  EXPECT_EQ(Refract({"try", "absent"}).exit_code, kTargetMissing);
}

TEST(CommandLine, HelpOfAVerbIsCompleteAndInternalVerbsAreHidden) {
  const Outcome outcome = Refract({"try", "--help-all"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* part : {"Example:\n  refract try a.spv\n", "  4   always\n", "MODULE",
                           "-o,--out FILE", "--quiet"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " is not in\n" << outcome.out;
  }
  const std::string general = Refract({"--help"}).out;
  EXPECT_NE(general.find("Try options"), std::string::npos) << general;
  EXPECT_EQ(general.find("worker"), std::string::npos) << general;
}

TEST(Console, QuietSuppressesProgressMessagesButNotWarnings) {
  Console console;
  console.quiet = true;
  testing::internal::CaptureStderr();
  console.Say("progress");
  console.Warn("careful");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "refract: warning: careful\n");
}

}  // namespace
}  // namespace refract
