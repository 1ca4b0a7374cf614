// SPDX-License-Identifier: Apache-2.0
// Tests of --help and --help-all of every verb.
#include "cli/help.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/verbs.h"

namespace refract {
namespace {

std::string HelpOf(std::vector<std::string> arguments, const char* flag) {
  arguments.insert(arguments.begin(), "refract");
  arguments.emplace_back(flag);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  testing::internal::CaptureStdout();
  EXPECT_EQ(RunCommandLine(static_cast<int>(argv.size()), argv.data(), AllVerbs()), kDone);
  return testing::internal::GetCapturedStdout();
}

void CheckVerb(const Verb& verb, std::vector<std::string> command) {
  command.emplace_back(verb.name);
  SCOPED_TRACE(command.back());
  const std::string help = HelpOf(command, "--help"), all = HelpOf(command, "--help-all");
  EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 28) << help;
  EXPECT_NE(help.find(" --help-all\n"), std::string::npos) << help;
  EXPECT_EQ(help.find("Exit codes"), std::string::npos) << help;
  EXPECT_NE(all.find("\nExit codes:\n  0   done\n"), std::string::npos) << all;
  for (const Verb* part : verb.parts) CheckVerb(*part, command);
  if (verb.declare == nullptr) return;
  CLI::App app;
  Options options(app);
  const Action action = verb.declare(options);
  const std::vector<std::string> common = {"--quiet", "--json", "--no-colour"};
  for (const char* name : verb.main_options) {
    EXPECT_TRUE(app.get_option_no_throw(name) != nullptr ||
                std::find(common.begin(), common.end(), name) != common.end())
        << name;
    EXPECT_NE(help.find(name), std::string::npos) << name << " is not in\n" << help;
  }
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_positional() ? option->get_name(true) : option->get_name();
    EXPECT_NE(all.find(name), std::string::npos) << name << " is not in\n" << all;
  }
}

TEST(Help, HelpOfEveryVerbFitsOneScreenAndHelpAllIsComplete) {
  for (const Verb* verb : AllVerbs()) CheckVerb(*verb, {});
}

TEST(Help, ExitCodesAreOnlyThoseOfTheVerb) {
  EXPECT_EQ(HelpOf({"list"}, "--help-all").find("  3   "), std::string::npos);
  const std::string fuzz = HelpOf({"fuzz"}, "--help-all");
  EXPECT_NE(fuzz.find("  3   "), std::string::npos);
  EXPECT_EQ(fuzz.find("  4   "), std::string::npos);
}

TEST(Help, FirstSentenceSkipsAbbreviationsAndParentheses) {
  EXPECT_EQ(FirstSentence("One. Two."), "One");
  EXPECT_EQ(FirstSentence("One, e.g. this"), "One, e.g. this");
  EXPECT_EQ(FirstSentence("One (two. Three)"), "One (two. Three)");
}

}  // namespace
}  // namespace refract
