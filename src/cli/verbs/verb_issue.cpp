// SPDX-License-Identifier: Apache-2.0
// refract issue: writes the report of a test folder for the people who maintain the target.
#include <string>
#include <vector>

#include "base/counted.h"
#include "base/text.h"
#include "cli/issue/issue_files.h"
#include "cli/issue/issue_runs.h"
#include "cli/target_options.h"
#include "cli/verbs.h"

namespace refract {
inline namespace cli {
namespace {

struct IssueArguments {
  std::string folder;
  std::string output;
  std::string target;
  std::vector<std::string> target_files;
  uint64_t times = 1;
  bool no_run = false;
  bool force = false;
};

void Declare(IssueArguments& given, Options& options) {
  options.Argument("FOLDER", &given.folder, "A test folder (docs/test-folder.md)");
  options.Text("-o,--output,--out", "OUT", &given.output,
               "Write the text to OUT.md and the attachment to OUT.tar.gz (default: the name of "
               "FOLDER, in the current folder)");
  options.Flag("--force", &given.force, "Replace OUT.md and OUT.tar.gz if they exist");
  options.Flag("--no-run", &given.no_run,
               "Do not run the test again: the text has only what the folder tells");
  DeclareTarget(options, "--target,--targets", &given.target,
                "Target to run on instead of the target that the folder names");
  DeclareTargetFiles(options, &given.target_files,
                     "Descriptions of your own drivers and tools; other versions of the target "
                     "among them are run, too (docs/targets.md)");
  options.Number("--times", &given.times,
                 "Number of runs of each of the two modules (default 1); the failure must occur in "
                 "at least one run",
                 1, 10000);
}

Result<IssueTest> LoadIssueTest(const IssueArguments& given, Console& console) {
  IssueTest test;
  test.folder = given.folder;
  Result<TestRecord> record = ReadTestRecord(given.folder);
  if (!record) return record.error();
  test.record = std::move(*record);
  Result<std::vector<RunnableModule>> modules = LoadTestModules(given.folder, test.record, console);
  if (!modules) return modules.error();
  test.modules = std::move(*modules);
  if (Status read = ReadSmallProgram(!given.no_run, console, &test); !read) return read.error();
  if (!given.no_run) {
    Result<std::optional<RunResult>> expected = ExpectedOf(test.modules, test.record);
    if (!expected) return expected.error();
    test.expected = std::move(*expected);
  }
  Result<std::vector<Target>> targets = FindTargets(given.target_files);
  if (!targets) return targets.error();
  test.targets = std::move(*targets);
  Result<Target> target = TargetOfTest(given.folder, test.record, given.target, given.target_files);
  // Without a run, only the commands of a tool need its description.
  const bool needed = !given.no_run || test.record.target.kind == "command";
  if (!target && (needed || target.error().kind != ErrorKind::kUnavailable)) return target.error();
  if (target) test.target = std::move(*target);
  return test;
}

Result<ExitCode> Run(const IssueArguments& given, Console& console) {
  const std::string output = given.output.empty() ? DefaultIssueOutput(given.folder) : given.output;
  if (Status free = CheckIssueOutput(output, given.force); !free) return free.error();
  const Result<IssueTest> test = LoadIssueTest(given, console);
  if (!test) return test.error();
  Issue issue = IssueOf(*test, output);
  IssueRuns runs;
  if (!given.no_run) {
    Result<IssueRuns> ran = RunForIssue(*test, given.times, console, &issue);
    if (!ran) return ran.error();
    if (issue.failed == 0) {
      console.Say(
          format("not reproduced: 0 of {} on {}; wrote nothing (--times runs the test more "
                 "often, --no-run writes the issue without a run)",
                 Counted(given.times, "run"), test->target->name));
      return kNotInteresting;
    }
    runs = std::move(*ran);
  }
  if (Status written = WriteIssue(*test, runs, output, &issue); !written) return written.error();
  console.Say(format("wrote {}.md and {}.tar.gz", output, output));
  return kDone;
}

}  // namespace

const Verb kIssueVerb = {
    .name = "issue",
    .summary = "Write a test folder as an issue: a text to paste and an archive to attach",
    .example = "refract issue found/lavapipe_1 -o bug",
    .exit_codes = {{kNotInteresting, "the failure did not reproduce; nothing was written"},
                   {kTargetMissing, "the target is not on this machine or cannot run the module"}},
    .main_options = {"--output", "--force", "--no-run", "--target", "--target-file", "--times"},
    .declare = DeclareVerb<IssueArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
