// SPDX-License-Identifier: Apache-2.0
// refract campaign: runs variants of references on targets, and writes the failures to a folder of
// buckets.
#include <algorithm>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/counted.h"
#include "base/file.h"
#include "base/shell.h"
#include "campaign/campaign.h"
#include "campaign/folder_lock.h"
#include "campaign/replaced_buckets.h"
#include "cli/campaign_arguments.h"
#include "cli/interruption.h"
#include "cli/progress_line.h"
#include "cli/target_options.h"
#include "cli/verbs.h"

namespace refract {
inline namespace cli {
namespace {

void Declare(CampaignArguments& given, Options& options) {
  options.Repeated(
      "--references", "DIR", &given.references,
      "Modules to make variants of, or folders of them, with their inputs in the same folder");
  options.Number("--flesh", &given.flesh,
                 "Percentage of tests that are control-flow programs (docs/fleshing.md), new for "
                 "each test, or variants of them; without --references, all tests are",
                 1, 100);
  options.Flag("--fuel", &given.fuel,
               "Control-flow programs always end: loops stop after 65,536 iterations, and there "
               "are no barriers or subgroup operations to wait at. Use it for a GPU that one "
               "endless shader disturbs for minutes");
  options.Repeated("--donors", "DIR", &given.donors,
                   "Modules whose functions may be added to variants, or folders of them");
  DeclareTargets(options, &given.targets,
                 "Targets to run variants on (default: all available ones of `refract targets`, "
                 "without duplicates; interp only if no driver draws)");
  DeclareTargetFiles(options, &given.target_files,
                     "Descriptions of your own drivers and tools (docs/targets.md)");
  options.RequiredText("-o,--output,--out", "DIR", &given.out,
                       "Folder of the campaign (docs/campaign.md); if it has a campaign already, "
                       "that campaign continues");
  options.Number("--jobs", &given.jobs, "Number of parallel tests (default: one for each core)", 1,
                 1024);
  options.Text("--time", "T", &given.time, "Stop after this time: 90s, 8m or 1.5h");
  options.Number("--tests", &given.tests,
                 "Stop when there are this many tests, including those of earlier starts", 1);
  options.Number("--seed", &given.seed,
                 "Seed; the same seed gives the same tests (default: random, or that of the "
                 "continued campaign)");
  options.Number("--stop-after", &given.stop_after,
                 "Make no more tests after this many new buckets", 1);
  options.Flag("--check-only", &given.check_only,
               "Only check how the references run on the targets; make no tests");
  options.Flag("--plain-only", &given.plain_only,
               "Do not also run each variant after spirv-opt -O");
  options.Number(
      "--keep", &given.keep,
      "Number of tests to keep and reduce in each bucket (default 3); the others are only counted",
      1, 1000);
  options.Number("--max-steps", &given.max_steps,
                 "Maximum number of steps of a variant (default 2000)", 0, 1000000);
  options.Number("--timeout,--time-limit", &given.time_limit,
                 "Time limit of a run in seconds; a longer run is a hang (default 10; a variant "
                 "gets at least 20 times what its original takes)",
                 1, 86400);
  options.Text("--shard", "I/N", &given.shard, "Run shard I of N: every Nth test");
  options.Text("--known-issues", "FILE", &given.known,
               "File of further known issues (docs/campaign.md), in addition to the built-in ones");
}

// Shorter than DurationText of the report, because it is a part of a line that changes.
std::string RoughDuration(double seconds) {
  const auto whole = static_cast<uint64_t>(seconds);
  if (whole < 120) return format("{} s", whole);
  return whole < 7200 ? format("{} min", whole / 60)
                      : format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

std::string Line(const CampaignProgress& now) {
  if (now.phase == CampaignPhase::kReferences) {
    return format("checking references: {} of {}, {}", now.checked, now.references,
                  RoughDuration(now.seconds));
  }
  return format("{}: {}, {:.1f}/s, findings: {}{}, to be reduced: {}, {}", TextOf(now.phase),
                Counted(now.tests, "test"), now.tests_per_second, now.findings,
                now.since_new_bucket < 0
                    ? ""
                    : format(" (the last {} ago)", RoughDuration(now.since_new_bucket)),
                now.waiting, RoughDuration(now.seconds));
}

std::string WhyText(CampaignEnd::Why why) {
  switch (why) {
    case CampaignEnd::Why::kTime:
      return "time is up";
    case CampaignEnd::Why::kBuckets:
      return "enough buckets";
    case CampaignEnd::Why::kStopped:
      return "stopped";
    case CampaignEnd::Why::kDone:
      break;
  }
  return "all done";
}

// Reports, once each, which references and targets already fail or differ without any change.
Status SayBaselines(Store& store, Console& console) {
  const Result<std::vector<CampaignReference>> references = store.References();
  if (!references) return references.error();
  for (const CampaignReference& reference : *references) {
    if (reference.stability == ReferenceStability::kSampled && !reference.crash_only) {
      console.Say(
          format("{}: outputs are compared by histograms: {}", reference.name, reference.detail));
    }
    if (!reference.crash_only) continue;
    console.Say(format("{}: used only to find crashes: {}: {}", reference.name,
                       TextOf(reference.stability), reference.detail));
  }
  const Result<std::vector<Baseline>> baselines = store.Baselines();
  if (!baselines) return baselines.error();
  // Nothing else of the output shows that a target runs no reference.
  std::map<std::string, std::pair<size_t, std::string>> refused;
  for (const Baseline& baseline : *baselines) {
    if (baseline.state != BaselineState::kUnsupported) continue;
    ++refused[baseline.target].first;
    refused[baseline.target].second = baseline.detail;
  }
  for (const auto& [target, how] : refused) {
    if (how.first != references->size()) continue;
    console.Warn(format("{}: no reference runs on this target: {}", target, how.second));
  }
  for (const Baseline& baseline : *baselines) {
    if (baseline.state == BaselineState::kOk || baseline.state == BaselineState::kUnsupported) {
      continue;
    }
    console.Say(format("{} on {}: baseline {}: {}", baseline.reference, baseline.target,
                       TextOf(baseline.state), baseline.detail));
  }
  return {};
}

nlohmann::ordered_json ToJson(const Bucket& bucket) {
  return {{"stage", bucket.stage},
          {"verdict", TextOf(bucket.verdict)},
          {"signature", bucket.signature},
          {"sub", bucket.sub},
          {"count", bucket.count},
          {"first_test", bucket.first_test},
          {"own", bucket.own},
          {"known", bucket.known},
          {"muted", bucket.muted},
          {"counted_only", bucket.counted_only},
          {"folder", bucket.folder}};
}

Status Report(const CampaignSetup& setup, const CampaignEnd& end, Store& store, Console& console) {
  const Result<std::vector<Bucket>> buckets = CountedBuckets(store);
  if (!buckets) return buckets.error();
  const Result<Store::Totals> totals = store.ReadTotals();
  if (!totals) return totals.error();
  if (console.json) {
    nlohmann::ordered_json json = {{"seed", setup.seed},
                                   {"tests", totals->tests},
                                   {"new_tests", end.tests},
                                   {"new_findings", end.new_findings},
                                   {"end", WhyText(end.why)}};
    json["buckets"] = nlohmann::ordered_json::array();
    for (const Bucket& bucket : *buckets) json["buckets"].push_back(ToJson(bucket));
    console.Print(json.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  } else {
    std::vector<Bucket> sorted = *buckets;
    std::sort(sorted.begin(), sorted.end(), [](const Bucket& a, const Bucket& b) {
      return std::tie(a.stage, a.signature, a.sub) < std::tie(b.stage, b.signature, b.sub);
    });
    for (const Bucket& bucket : sorted) {
      const std::string_view note = bucket.muted            ? ", muted"
                                    : !bucket.known.empty() ? ", known"
                                    : bucket.counted_only   ? ", only counted"
                                    : bucket.own            ? ", a bug of Refract"
                                                            : "";
      console.Print(format("{:>7}  {}: {}{}{}\n", bucket.count, bucket.stage, bucket.signature,
                           bucket.sub.empty() ? "" : format(" [{}]", bucket.sub), note));
    }
  }
  for (const auto& [target, tests] : end.skipped_tests) {
    console.Say(format("target {}: it hung too often; number of tests that did not run on it: {}",
                       target, tests));
  }
  console.Say(format("{}: {}, {} of them new, in {}; new findings: {}", WhyText(end.why),
                     Counted(totals->tests, "test"), end.tests, setup.out, end.new_findings));
  return {};
}

Result<ExitCode> Run(const CampaignArguments& given, Console& console) {
  Result<CampaignSetup> made = PrepareCampaign(given, console);
  if (!made) return made.error();
  CampaignSetup& setup = *made;
  // A write above the limit on file sizes then fails, like a full disk, and does not kill us.
  std::signal(SIGXFSZ, SIG_IGN);
  if (Status folder = MakeFolder(setup.out); !folder) return folder.error();
  Result<FolderLock> lock = FolderLock::Take(setup.out);
  if (!lock) return lock.error();
  Result<Store> store = OpenStore(&setup, given.seed);
  if (!store) {
    lock->RemoveFile();
    return store.error();
  }
  std::vector<std::string> rerun = console.arguments;
  if (!given.seed) rerun.insert(rerun.end(), {"--seed", format("{}", setup.seed)});
  console.Say(format("seed {}, references: {}, functions of donors: {}, jobs: {}", setup.seed,
                     setup.sources.size(), setup.donated_functions, setup.jobs));
  for (const VersionedTarget& state : setup.targets) {
    console.Say(format("target {}: {}", state.target.name, state.version));
  }
  const Interruption interruption;
  Result<CampaignEnd> end = Error{"", ErrorKind::kFailed};
  {
    ProgressLine line(console);
    end = RunCampaign(
        setup, *store, [] { return Interruption::asked.load(); },
        [&](const CampaignProgress& now) { line.Show(Line(now)); });
  }
  if (!end) return end.error();
  if (Status said = SayBaselines(*store, console); !said) return said.error();
  if (Status said = Report(setup, *end, *store, console); !said) return said.error();
  console.Say("rerun: " + ShellLine(rerun));
  return end->new_findings > 0 ? kFinding : kDone;
}

}  // namespace

const Verb kCampaignVerb = {
    .name = "campaign",
    .summary = "Make and run variants for hours, and keep the few tests that show a bug",
    .example = "refract campaign --references references --donors donors --out night --time 8h",
    .exit_codes = {{kFinding, "a new bucket is neither muted nor a known issue"},
                   {kTargetMissing, "a target of --targets is not on this machine"},
                   {kInterrupted,
                    "^C was pressed twice; the first ^C ends the campaign in good order"}},
    .main_options = {"--references", "--donors", "--targets", "--target-file", "--output", "--time",
                     "--tests", "--stop-after", "--jobs", "--seed"},
    .declare = DeclareVerb<CampaignArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
