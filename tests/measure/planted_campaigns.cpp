// SPDX-License-Identifier: Apache-2.0
// Measures which planted bugs (planted/README.md) a campaign finds, and with which test first. It
// runs `refract campaign` with a target for each bug, and one for the optimiser without any. A test
// finds a bug if it has the bug's verdict when the bug is enabled, and is ok when none is.
//   planted_campaigns --refract PROGRAM --optimiser PROGRAM --out DIR [--references DIR,DIR]
//                     [--donors DIR] [--tests N] [--seed N] [--jobs N] [--least N]
//                     [--only BUG,BUG] [--driver NAME]
// The tests depend only on the seed. So a campaign of N / 30 tests with all bugs is followed by
// campaigns of N / 10, N / 3 and N tests with the bugs that are not found yet, and a bug that was
// found costs no more time. The campaigns are in DIR/TESTS; started again, the program continues.
// `--least` is the number of bugs that must be found. `--driver` names the target that draws the
// optimiser's output. The default is the interpreter, so no driver is needed.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "base/version.h"
#include "campaign/store/store.h"
#include "planted/bugs.h"
#include "signature/signature.h"

namespace refract::measure {
namespace {

using planted::BugInfo, planted::BugKind;

constexpr char kNoBug[] = "no_bug";
constexpr uint64_t kParts[] = {30, 10, 3,
                               1};  // divisors of the number of tests, one campaign after the other
constexpr double kDays = 86400;

struct Options {
  std::string refract, optimiser, out, references = "references", donors, only, driver = "interp";
  uint64_t tests = 3000, seed = 1, jobs = 0, least = 26;
};

// What is known about a bug.
struct Found {
  std::optional<uint64_t> test;  // the first that shows it
  uint64_t tests = 0;            // tests that ran on it
  uint64_t shown = 0;            // of these, tests that show it, in the campaign that found it
  uint32_t steps = 0, reduced_steps = 0;
  bool reduced = false;
};

int Fail(const std::string& message) {
  std::fprintf(stderr, "planted_campaigns: %s\n", message.c_str());
  return 3;
}

/// Whether the output must be drawn. Crashes and hangs happen in the optimiser itself.
bool Draws(BugKind kind) {
  return kind == BugKind::kMiscompilation;
}

std::string TargetName(const BugInfo& bug, const Options& options) {
  return format("{}{}", bug.name, Draws(bug.kind) ? "@" + options.driver : "");
}

bool IsVerdictOf(BugKind kind, const OutcomeVerdict& verdict) {
  return kind == BugKind::kCrash  ? verdict == FailureClass::kCrash
         : kind == BugKind::kHang ? verdict == FailureClass::kHang
                                  : verdict && IsWrongOutput(*verdict);
}

/// Whether a campaign reports the verdict, and does not only count it.
bool IsReported(const OutcomeVerdict& verdict) {
  const FailureClass kind = verdict.value_or(FailureClass::kUnknown);
  return IsBug(kind) || kind == FailureClass::kOurError || kind == FailureClass::kUndefined;
}

Status WriteTarget(const Options& options, const std::string& name, const std::string& arguments) {
  const std::string text = format(
      R"({{"name": "{}", "description": "our small optimiser",
  "commands": [{{"run": ["{}", {}"{{in}}", "{{out}}"], "output": "spirv", "time_limit": 3,
    "version": ["--list"]}}],
  "render": false}}
)",
      name, options.optimiser, arguments);
  return WriteFile(format("{}/targets/{}.json", options.out, name), text);
}

/// Runs a campaign of `tests` tests with these bugs to its end.
Status RunCampaign(const Options& options, const std::vector<BugInfo>& bugs, uint64_t tests,
                   const std::string& folder) {
  std::string targets = format("{}@{}", kNoBug, options.driver);
  for (const BugInfo& bug : bugs) targets += "," + TargetName(bug, options);
  Command command;
  command.argv = {options.refract, "campaign", "--target-files", options.out + "/targets"};
  for (const std::string& folder_of_references : Split(options.references, ',')) {
    command.argv.insert(command.argv.end(), {"--references", folder_of_references});
  }
  if (!options.donors.empty()) {
    command.argv.insert(command.argv.end(), {"--donors", options.donors});
  }
  command.argv.insert(command.argv.end(), {"--targets", targets, "--plain-only", "--keep", "1",
                                           "--out", folder, "--seed", format("{}", options.seed),
                                           "--tests", format("{}", tests), "--generate", "0"});
  if (options.jobs != 0) {
    command.argv.insert(command.argv.end(), {"--jobs", format("{}", options.jobs)});
  }
  command.time_limit = 30 * kDays;
  command.memory_limit = uint64_t{1} << 50;
  const Result<CommandResult> ran = RunCommand(command);
  if (!ran) return ran.error();
  // 4: findings.
  const bool ended = ran->end == CommandResult::End::kExit;
  if (ended && (ran->exit_code == 0 || ran->exit_code == 4)) return {};
  return Error{format("refract campaign in {} failed: {}", folder, ran->output)};
}

/// Reads what a campaign found about the bugs. `*faults` gets faults of the optimiser without bugs,
/// or of Refract.
Status ReadCampaign(const std::string& folder, const std::vector<BugInfo>& bugs,
                    const Options& options, std::map<std::string_view, Found>* all,
                    std::vector<std::string>* faults) {
  Result<Store> store = Store::Read(folder + "/" + kStoreFile);
  if (!store) return store.error();
  std::map<std::string, const BugInfo*> bug_of;
  for (const BugInfo& bug : bugs) {
    bug_of[TargetName(bug, options)] = &bug;
    (*all)[bug.name].tests = 0;
  }
  const Result<std::vector<VerdictCount>> verdicts = store->Verdicts();
  if (!verdicts) return verdicts.error();
  for (const VerdictCount& count : *verdicts) {
    if (const auto bug = bug_of.find(count.target); bug != bug_of.end()) {
      (*all)[bug->second->name].tests += count.count;
    } else if (IsReported(count.verdict)) {
      faults->push_back(format("{}: {}: {} of {} tests", folder, count.target,
                               TextOf(count.verdict), count.count));
    }
  }
  const Status read = store->ForEachTest([&](const CampaignTest& test) {
    const bool by_itself =
        std::any_of(test.outcomes.begin(), test.outcomes.end(),
                    [&](const Outcome& outcome) { return bug_of.count(outcome.target) == 0; });
    if (by_itself) return;
    for (const Outcome& outcome : test.outcomes) {
      const BugInfo& bug = *bug_of.at(outcome.target);
      if (!IsVerdictOf(bug.kind, outcome.verdict)) continue;
      Found& found = (*all)[bug.name];
      ++found.shown;
      if (!found.test) found.test = test.index;
    }
  });
  if (!read) return read;
  const Result<std::vector<Bucket>> buckets = store->Buckets();
  if (!buckets) return buckets.error();
  const Result<std::vector<KeptTest>> kept = store->Kept();
  if (!kept) return kept.error();
  for (const KeptTest& one : *kept) {
    for (const Bucket& bucket : *buckets) {
      const auto bug = bug_of.find(one.target);
      if (bucket.id != one.bucket || bug == bug_of.end()) continue;
      Found& found = (*all)[bug->second->name];
      if (one.state != KeptState::kReduced || found.reduced) continue;
      found.reduced = IsVerdictOf(bug->second->kind, bucket.verdict);
      found.steps = one.steps;
      found.reduced_steps = one.reduced_steps;
    }
  }
  return {};
}

int Report(const Options& options, const std::vector<BugInfo>& bugs,
           std::map<std::string_view, Found>& all, const std::vector<std::string>& faults) {
  uint64_t found = 0;
  std::string missed;
  std::printf("| bug | kind | first test | tests that show it | steps | reduced to |\n");
  std::printf("|---|---|---:|---:|---:|---:|\n");
  for (const BugInfo& bug : bugs) {
    const Found& of = all[bug.name];
    found += of.test.has_value();
    if (!of.test) missed += format("{}{}", missed.empty() ? "" : ", ", bug.name);
    std::fputs(format("| {} | {} | {} | {} of {} | {} | {} |\n", bug.name, BugKindName(bug.kind),
                      of.test ? format("{}", *of.test) : "none", of.shown, of.tests,
                      of.reduced ? format("{}", of.steps) : "",
                      of.reduced ? format("{}", of.reduced_steps) : "")
                   .c_str(),
               stdout);
  }
  std::printf("\n");
  for (const std::string& fault : faults) std::printf("%s\n", fault.c_str());
  std::fputs(format("refract {} ({}, {}): {} of {} planted bugs found within {} tests, of {} "
                    "wanted; missed: {}\n",
                    ToolVersion(), ToolCommit(), ToolBuildType(), found, bugs.size(), options.tests,
                    options.least, missed.empty() ? "none" : missed)
                 .c_str(),
             stdout);
  return found >= options.least && faults.empty() ? 0 : 1;
}

int Measure(const Options& options) {
  std::vector<BugInfo> bugs;
  const std::vector<std::string> only = Split(options.only, ',');
  for (const BugInfo& bug : planted::BugTable()) {
    // planted_recordings --float measures the bugs with floats, and generate_planted those that
    // need divergence.
    if (bug.group != planted::BugGroup::kSteps) continue;
    const bool wanted = std::count(only.begin(), only.end(), bug.name) != 0;
    if (wanted || options.only.empty()) bugs.push_back(bug);
  }
  if (!options.only.empty() && bugs.size() != only.size()) {
    return Fail(format("--only {}: some of these are not bugs", options.only));
  }
  if (Status made = MakeFolder(options.out + "/targets"); !made) return Fail(made.error().message);
  if (Status no = WriteTarget(options, kNoBug, ""); !no) return Fail(no.error().message);
  for (const BugInfo& bug : bugs) {
    const std::string name(bug.name);
    const Status written = WriteTarget(options, name, format(R"("--bug", "{}", )", name));
    if (!written) return Fail(written.error().message);
  }
  std::map<std::string_view, Found> all;
  std::vector<std::string> faults;
  for (const uint64_t part : kParts) {
    const uint64_t tests = options.tests / part;
    std::vector<BugInfo> sought;
    for (const BugInfo& bug : bugs) {
      if (!all[bug.name].test) sought.push_back(bug);
    }
    if (tests == 0 || sought.empty()) continue;
    const std::string folder = format("{}/{}", options.out, tests);
    if (Status ran = RunCampaign(options, sought, tests, folder); !ran) {
      return Fail(ran.error().message);
    }
    const Status read = ReadCampaign(folder, sought, options, &all, &faults);
    if (!read) return Fail(read.error().message);
  }
  return Report(options, bugs, all, faults);
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string value = argv[i + 1];
    uint64_t* number = name == "--tests"   ? &options.tests
                       : name == "--seed"  ? &options.seed
                       : name == "--jobs"  ? &options.jobs
                       : name == "--least" ? &options.least
                                           : nullptr;
    std::string* text = name == "--refract"      ? &options.refract
                        : name == "--optimiser"  ? &options.optimiser
                        : name == "--out"        ? &options.out
                        : name == "--references" ? &options.references
                        : name == "--donors"     ? &options.donors
                        : name == "--only"       ? &options.only
                        : name == "--driver"     ? &options.driver
                                                 : nullptr;
    if (text != nullptr) {
      *text = value;
    } else if (number == nullptr || !ParseNumber(value, number)) {
      return Fail(format("unknown option {} {}", argv[i], argv[i + 1]));
    }
  }
  if (options.refract.empty() || options.optimiser.empty() || options.out.empty()) {
    return Fail("--refract PROGRAM --optimiser PROGRAM --out DIR");
  }
  options.refract = FindProgram(options.refract);
  if (options.refract.empty()) return Fail("--refract: no such program");
  // A relative path would be resolved in the folder of the targets.
  options.optimiser = std::filesystem::absolute(options.optimiser).string();
  return Measure(options);
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  return refract::measure::Main(argc, argv);
}
