// SPDX-License-Identifier: Apache-2.0
// refract campaign: references times targets for as long as one likes, into a folder of buckets.
#include <algorithm>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/counted.h"
#include "base/file.h"
#include "campaign/campaign.h"
#include "campaign/folder_lock.h"
#include "campaign/told_apart.h"
#include "cli/campaign_arguments.h"
#include "cli/interruption.h"
#include "cli/progress_line.h"
#include "cli/target_options.h"
#include "cli/verbs.h"

namespace refract::inline cli {
namespace {

void Declare(CampaignArguments& given, Options& options) {
  options.Repeated(
      "--references", "DIR", &given.references,
      "Modules to make variants of, or folders of them, with their inputs beside them");
  options.Number("--flesh", &given.flesh,
                 "So many percent of tests are programs that record their way (docs/fleshing.md), "
                 "drawn anew for each, or variants of them; without --references all are",
                 1, 100);
  options.Flag("--fuel", &given.fuel,
               "All of these have loops that end after 65,536 rounds, and no barriers or subgroup "
               "operations to wait at, so that they end whatever a driver makes of them: for a GPU "
               "that one endless shader disturbs for minutes");
  options.Repeated("--donors", "DIR", &given.donors,
                   "Modules that give functions, or folders of them");
  DeclareTargets(
      options, &given.targets,
      "Where variants are run (default: all of `refract targets` that are there, but one "
      "that does as another; interp only where no driver draws)");
  DeclareTargetFiles(options, &given.target_files,
                     "Descriptions of your own targets (docs/targets.md)");
  options.RequiredText("-o,--output,--out", "DIR", &given.out,
                       "Where everything goes (docs/campaign.md); with a campaign there already, "
                       "that one goes on");
  options.Number("--jobs", &given.jobs, "Tests at the same time (default: one for each core)", 1,
                 1024);
  options.Text("--time", "T", &given.time, "Ends after so long: 90s, 8m, 1.5h");
  options.Number("--tests", &given.tests,
                 "Ends when there are so many tests, with those that were there already", 1);
  options.Number("--seed", &given.seed,
                 "With the same, the same tests (default: drawn, or that of the campaign there)");
  options.Number("--stop-after", &given.stop_after,
                 "Makes no more tests once there are so many new buckets", 1);
  options.Flag("--check-only", &given.check_only, "Only see what targets make of the references");
  options.Flag("--plain-only", &given.plain_only,
               "Do not also draw what spirv-opt -O makes of each variant");
  options.Number("--keep", &given.keep,
                 "Tests that are kept and reduced of each bucket (default 3), the rest are counted",
                 1, 1000);
  options.Number("--max-steps", &given.max_steps, "Of a variant (default 2000)", 0, 1000000);
  options.Number("--timeout,--time-limit", &given.time_limit,
                 "Seconds until a run counts as hung (default 10; a variant gets at least 20 times "
                 "what its original takes)",
                 1, 86400);
  options.Text("--shard", "I/N", &given.shard,
               "Of N machines this is number I, and has every Nth test");
  options.Text("--known-issues", "FILE", &given.known,
               "More bugs that are known already (docs/campaign.md), beside those we know");
}

std::string Duration(double seconds) {
  const auto whole = static_cast<uint64_t>(seconds);
  if (whole < 120) return format("{} s", whole);
  return whole < 7200 ? format("{} min", whole / 60)
                      : format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

std::string Line(const CampaignProgress& now) {
  if (now.phase == "references") {
    return format("looking at references: {} of {}, {}", now.checked, now.references,
                  Duration(now.seconds));
  }
  return format(
      "{}: {}, {:.1f}/s, findings: {}{}, to be reduced: {}, {}", now.phase,
      Counted(now.tests, "test"), now.tests_per_second, now.findings,
      now.since_new_bucket < 0 ? "" : format(" (the last {} ago)", Duration(now.since_new_bucket)),
      now.waiting, Duration(now.seconds));
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

// What differs from the start, each once.
Status SayBaselines(Store& store, Console& console) {
  const Result<std::vector<CampaignReference>> references = store.References();
  if (!references) return references.error();
  for (const CampaignReference& reference : *references) {
    if (reference.stability == "sampled" && !reference.crash_only) {
      console.Say(
          format("{}: outputs are compared by histograms: {}", reference.name, reference.detail));
    }
    if (!reference.crash_only) continue;
    console.Say(
        format("{}: crashes only: {}: {}", reference.name, reference.stability, reference.detail));
  }
  const Result<std::vector<Baseline>> baselines = store.Baselines();
  if (!baselines) return baselines.error();
  // Of a target that says no to all, a campaign says nothing else.
  std::map<std::string, std::pair<size_t, std::string>> refused;
  for (const Baseline& baseline : *baselines) {
    if (baseline.state != "unsupported") continue;
    ++refused[baseline.target].first;
    refused[baseline.target].second = baseline.detail;
  }
  for (const auto& [target, how] : refused) {
    if (how.first != references->size()) continue;
    console.Warn(format("{}: no reference runs there: {}", target, how.second));
  }
  for (const Baseline& baseline : *baselines) {
    if (baseline.state == "ok" || baseline.state == "unsupported") continue;
    console.Say(format("{} on {}: baseline {}: {}", baseline.reference, baseline.target,
                       baseline.state, baseline.detail));
  }
  return {};
}

nlohmann::ordered_json ToJson(const Bucket& bucket) {
  return {{"stage", bucket.stage},
          {"verdict", bucket.verdict},
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
  const Result<Store::Totals> totals = store.Sum();
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
                                    : bucket.own            ? ", our own fault"
                                                            : "";
      console.Print(format("{:>7}  {}: {}{}{}\n", bucket.count, bucket.stage, bucket.signature,
                           bucket.sub.empty() ? "" : format(" [{}]", bucket.sub), note));
    }
  }
  for (const auto& [target, tests] : end.passed_over) {
    console.Say(format("target {}: it hung so much that tests passed it over: {}", target, tests));
  }
  console.Say(format("{}: {}, {} of them new, in {}; new findings: {}", WhyText(end.why),
                     Counted(totals->tests, "test"), end.tests, setup.out, end.new_findings));
  return {};
}

Result<ExitCode> Run(const CampaignArguments& given, Console& console) {
  Result<CampaignSetup> made = PrepareCampaign(given, console);
  if (!made) return made.error();
  CampaignSetup& setup = *made;
  // A limit on the size of files is an error like a full disk, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  if (Status folder = MakeFolder(setup.out); !folder) return folder.error();
  Result<FolderLock> lock = FolderLock::Take(setup.out);
  if (!lock) return lock.error();
  Result<Store> store = OpenStore(&setup, given.seed);
  if (!store) {
    lock->LeaveNothing();
    return store.error();
  }
  std::vector<std::string> rerun = console.arguments;
  if (!given.seed) rerun.insert(rerun.end(), {"--seed", format("{}", setup.seed)});
  console.Say(format("seed {}, references: {}, functions of donors: {}, jobs: {}", setup.seed,
                     setup.sources.size(), setup.donated_functions, setup.jobs));
  for (const CampaignTargetState& state : setup.targets) {
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
    .summary = "Make and run variants for hours, and keep the few that show a bug",
    .example = "refract campaign --references references --donors donors --out night --time 8h",
    .exit_codes = {{kFinding, "a new bucket that is neither muted nor known"},
                   {kTargetMissing, "a target of --targets is not on this machine"},
                   {kInterrupted, "a second ^C; the first one ends in good order"}},
    .main_options = {"--references", "--donors", "--targets", "--target-file", "--output", "--time",
                     "--tests", "--stop-after", "--jobs", "--seed"},
    .declare = DeclareVerb<CampaignArguments, Declare, Run>,
};

}  // namespace refract::inline cli
