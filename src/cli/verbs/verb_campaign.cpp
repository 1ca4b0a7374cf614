// SPDX-License-Identifier: Apache-2.0
// refract campaign: runs variants of references on targets, and writes the failures to a folder of
// buckets.
#include <algorithm>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/counted.h"
#include "base/file.h"
#include "base/shell.h"
#include "campaign/campaign.h"
#include "campaign/folder_lock.h"
#include "campaign/replaced_buckets.h"
#include "cli/campaign/campaign_arguments.h"
#include "cli/campaign/campaign_display.h"
#include "cli/comparison_options.h"
#include "cli/interruption.h"
#include "cli/stored_arguments.h"
#include "cli/target_options.h"
#include "cli/verbs.h"

namespace refract {
inline namespace cli {
namespace {

void Declare(CampaignArguments& given, Options& options) {
  options.Repeated(
      "--references", "PATH", &given.references,
      "Modules to make variants of, or folders of them, with their inputs in the same folder. A "
      "module that cannot be used is skipped with a warning");
  options.Number("--sample", &given.sample,
                 "Use only this many of the references; the seed chooses them", 1);
  options.Flag("--zero-inputs", &given.zero_inputs,
               "Use zeros for missing inputs of the references, instead of skipping these "
               "references");
  options.Number("--flesh", &given.flesh,
                 "Percentage of tests that are control-flow programs (docs/fleshing.md), new for "
                 "each test, or variants of them",
                 1, 100);
  options.Number("--generate", &given.generate,
                 "Percentage of tests that are generated programs (docs/generate.md), new for each "
                 "test, or variants of them (default: 25, as far as --flesh leaves it, or that of "
                 "the continued campaign). Without --references, --flesh and --generate give the "
                 "ratio of the two kinds of programs",
                 0, 100);
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
  options.Flag("--reduce-only", &given.reduce_only,
               "Only reduce the findings of the campaign in the folder that are not reduced yet; "
               "run no tests. Without --references, the options are those of its last start");
  options.Flag("--new-only", &given.new_only,
               "Exit with 4 only for buckets that this start has found, and not for all open ones");
  options.Flag("--plain-only", &given.plain_only,
               "Do not also run each variant after spirv-opt -O");
  options.Number(
      "--keep", &given.keep,
      "Number of tests to keep and reduce in each bucket (default 3); the others are only counted",
      1, 1000);
  options.Number("--max-steps", &given.max_steps,
                 "Maximum number of steps of a variant (default 2000)", 0, 1000000);
  options.List("--passes", "A,B,...", &given.passes,
               "Use only these transformations, or those of these families, and use all of them in "
               "each variant (see `refract list`)");
  options.Number("--all-passes", &given.all_passes,
                 "Percentage of variants that are made with all transformations but those of the "
                 "family `float`; the others have a random subset (default: 0, or that of the "
                 "continued campaign)",
                 0, 100);
  options.Flag("--float", &given.float_identities,
               "Also use the family `float` in each variant, as `refract fuzz --float` does");
  options.Flag("--no-recommendations", &given.no_recommendations,
               "Choose each fuzzer pass at random, and ignore which passes earlier ones recommend");
  options.Number("--timeout,--time-limit", &given.time_limit,
                 "Time limit of a run in seconds; a longer run is a hang (default 10; a variant "
                 "gets at least 20 times what its original takes)",
                 1, 86400);
  DeclareThresholds(options, &given.thresholds);
  options.Text("--coverage", "DIR", &given.coverage,
               "Prefer references, transformations and seeds that lately ran something new of a "
               "target: the folder of `coverage build` (docs/campaign.md)");
  options.Text("--coverage-target", "NAME", &given.coverage_target,
               "With --coverage, for a tool: the target whose program is replaced by that of the "
               "build: spirv-opt-O");
  options.Number("--round", &given.round,
                 "With --coverage: the number of tests in a round, at least the number of jobs "
                 "(default 50)",
                 1, 1000000);
  options.Flag("--no-feedback", &given.no_feedback,
               "With --coverage: only count the lines that run, and prefer nothing");
  options.Text("--shard", "I/N", &given.shard, "Run shard I of N: every Nth test");
  options.Text("--known-issues", "FILE", &given.known,
               "File of further known issues (docs/campaign.md), in addition to the built-in ones");
  options.Flag("--plain", &given.plain,
               "Show the progress as one line that changes, not on the whole terminal");
}

std::string WhyText(CampaignEnd::Why why) {
  switch (why) {
    case CampaignEnd::Why::kTime:
      return "time is up";
    case CampaignEnd::Why::kBuckets:
      return "enough buckets";
    case CampaignEnd::Why::kStopped:
      return "stopped";
    case CampaignEnd::Why::kNoTarget:
      return "no target is left";
    case CampaignEnd::Why::kDone:
      break;
  }
  return "all done";
}

// True if the check of each reference found that no variant of it should be made.
Result<bool> AllArePutAside(const CampaignSetup& setup, Store& store) {
  const Result<std::vector<CampaignReference>> references = store.References();
  if (!references) return references.error();
  std::set<std::pair<std::string, std::string>> put_aside;  // names and hashes
  for (const CampaignReference& reference : *references) {
    if (IsPutAside(reference.stability)) put_aside.emplace(reference.name, reference.hash);
  }
  return !setup.sources.empty() &&
         std::all_of(setup.sources.begin(), setup.sources.end(), [&](const CampaignSource& one) {
           return put_aside.count({one.name, one.hash}) != 0;
         });
}

// Reports, once each, which references and targets already fail or differ without any change.
Status SayBaselines(Store& store, Console& console) {
  const Result<std::vector<CampaignReference>> references = store.References();
  if (!references) return references.error();
  for (const CampaignReference& reference : *references) {
    if (IsPutAside(reference.stability)) {
      // A reference without a hash was skipped at the start, with a warning.
      if (reference.hash.empty()) continue;
      console.Warn(format("reference {} is put aside: {}: {}", reference.name,
                          TextOf(reference.stability), reference.detail));
      continue;
    }
    if (reference.stability == ReferenceStability::kSampled && !reference.crash_only) {
      console.Say(format("{}: pixels that were not interpreted are compared under rule spatial: {}",
                         reference.name, reference.detail));
    }
    if (!reference.crash_only) continue;
    console.Say(format("{}: used only to find crashes: {}: {}", reference.name,
                       TextOf(reference.stability), reference.detail));
  }
  const Result<std::vector<Baseline>> baselines = store.Baselines();
  if (!baselines) return baselines.error();
  // Nothing else of the output shows that a target runs no reference.
  std::map<std::string, std::pair<size_t, std::string>> refused;
  std::set<std::string> ran;  // references with baselines
  for (const Baseline& baseline : *baselines) {
    ran.insert(baseline.reference);
    if (baseline.state != BaselineState::kUnsupported) continue;
    ++refused[baseline.target].first;
    refused[baseline.target].second = baseline.detail;
  }
  for (const auto& [target, how] : refused) {
    if (how.first != ran.size()) continue;
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

void SayLost(const CampaignEnd& end, Console& console) {
  for (const Devices::Skipped& one : end.lost) {
    console.Say(
        format("target {}: its device was lost{}; number of tests that did not run on it: {}",
               one.target, one.is_lost ? " and does not work again" : "", one.tests));
  }
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
                                   {"new_findings", end.findings.new_findings},
                                   {"open_findings", end.findings.open_findings},
                                   {"unreduced_tests", end.findings.unreduced_tests},
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
  SayLost(end, console);
  const PartResult& findings = end.findings;
  if (findings.unreduced_tests > 0) {
    console.Say(format("not reduced: {} in {}; run again with --reduce-only",
                       Counted(findings.unreduced_tests, "test"),
                       Counted(findings.unreduced_buckets, "bucket")));
  }
  console.Say(format("{}: {}, {} of them new, in {}; new findings: {}, open: {}", WhyText(end.why),
                     Counted(totals->tests, "test"), end.tests, setup.out, findings.new_findings,
                     findings.open_findings));
  return {};
}

// Why no test was made.
std::string WhyNothing(const CampaignEnd& end, bool all_put_aside) {
  if (all_put_aside) return "all references are put aside";
  if (end.why == CampaignEnd::Why::kTime) {
    return format("the time was over before the first test ended (references checked: {} of {})",
                  end.checked, end.references);
  }
  if (end.why == CampaignEnd::Why::kNoTarget) return "no target is usable";
  return "the options leave no test";
}

Result<ExitCode> CodeOf(const CampaignArguments& given, const CampaignEnd& end, bool all_put_aside,
                        Store& store, Console& console) {
  const PartResult& findings = end.findings;
  if ((given.new_only ? findings.new_findings : findings.open_findings) > 0) return kFinding;
  if (given.check_only || given.reduce_only || end.why == CampaignEnd::Why::kStopped) return kDone;
  const Result<Store::Totals> totals = store.ReadTotals();
  if (!totals) return totals.error();
  if (totals->tests > 0) return kDone;
  console.PrintError("no test was made: " + WhyNothing(end, all_put_aside));
  return kTargetMissing;
}

// The progress before any work: the first test of a campaign may take minutes.
CampaignProgress BeginOf(const CampaignSetup& setup, Store& store) {
  CampaignProgress begin;
  begin.references = setup.sources.size();
  if (const Result<Store::Totals> totals = store.ReadTotals()) begin.tests = totals->tests;
  const bool checks = begin.tests == 0 && begin.references > 0;
  begin.phase = checks || setup.check_only ? CampaignPhase::kReferences : CampaignPhase::kTests;
  return begin;
}

Result<ExitCode> Run(const CampaignArguments& typed, Console& console) {
  const double begin = MonotonicSeconds();
  const Result<CampaignArguments> taken =
      typed.reduce_only ? WithStoredArguments(typed, Declare) : Result<CampaignArguments>(typed);
  if (!taken) return taken.error();
  const CampaignArguments& given = *taken;
  Result<CampaignSetup> made = PrepareCampaign(given, console);
  if (!made) return made.error();
  CampaignSetup& setup = *made;
  // A write above the limit on file sizes then fails, like a full disk, and does not kill us.
  std::signal(SIGXFSZ, SIG_IGN);
  if (Status folder = MakeFolder(setup.out); !folder) return folder.error();
  Result<FolderLock> lock = FolderLock::Take(setup.out);
  if (!lock) return lock.error();
  // With --sample, the seed is known already.
  Result<Store> store = OpenStore(
      &setup, given.seed || !given.sample ? given.seed : std::optional<uint64_t>(setup.seed));
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
  // --time includes the time to read modules and to open drivers.
  if (setup.seconds) *setup.seconds = std::max(*setup.seconds - (MonotonicSeconds() - begin), 0.0);
  const Interruption interruption;
  Result<CampaignEnd> end = Error{"", ErrorKind::kFailed};
  {
    CampaignDisplay display(setup.out, given.plain, console);
    display.Show(BeginOf(setup, *store));
    end = RunCampaign(
        setup, *store, [] { return Interruption::asked.load(); },
        [&](const CampaignProgress& now) { display.Show(now); });
  }
  if (!end) return end.error();
  if (Status said = SayBaselines(*store, console); !said) return said.error();
  const Result<bool> all_put_aside = AllArePutAside(setup, *store);
  if (!all_put_aside) return all_put_aside.error();
  if (*all_put_aside) {
    console.Warn("all references are put aside, so no variants are made of them");
  }
  if (Status said = Report(setup, *end, *store, console); !said) return said.error();
  console.Say("rerun: " + ShellLine(rerun));
  return CodeOf(given, *end, *all_put_aside, *store, console);
}

}  // namespace

const Verb kCampaignVerb = {
    .name = "campaign",
    .summary = "Make and run variants for hours, and keep the few tests that show a bug",
    .example = "refract campaign --references references --donors donors --out night --time 8h",
    .exit_codes = {{kFinding,
                    "a bucket is neither muted nor a known issue; with --new-only, a new bucket"},
                   {kTargetMissing,
                    "a target of --targets is not on this machine; or no test was made, in this "
                    "and all earlier starts, and there is no bucket as for 4; the reason is "
                    "printed (not with --check-only, --reduce-only, or ^C)"},
                   {kInterrupted,
                    "^C was pressed twice; the first ^C ends the campaign in good order"}},
    .main_options = {"--references", "--donors", "--targets", "--target-file", "--output", "--time",
                     "--tests", "--jobs", "--seed"},
    .declare = DeclareVerb<CampaignArguments, Declare, Run>,
    .parts = {&kCampaignStatusVerb},
};

}  // namespace cli
}  // namespace refract
