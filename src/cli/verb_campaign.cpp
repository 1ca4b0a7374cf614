// SPDX-License-Identifier: Apache-2.0
// refract campaign: references times targets for as long as one likes, into a folder of buckets.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "campaign/campaign.h"
#include "campaign/folder_lock.h"
#include "campaign/setup.h"
#include "campaign/store.h"
#include "cli/donor_files.h"
#include "cli/interruption.h"
#include "cli/module_files.h"
#include "cli/progress_line.h"
#include "cli/verbs.h"
#include "harness/harness.h"

namespace refract {
namespace {

struct CampaignArguments {
  std::vector<std::string> references;
  std::vector<std::string> donors;
  std::vector<std::string> targets;
  std::vector<std::string> target_files;
  std::string out;
  uint64_t jobs = 0;
  std::string time;
  std::optional<uint64_t> tests;
  std::optional<uint64_t> seed;
  std::optional<uint64_t> stop_after;
  bool check_only = false;
  bool plain_only = false;
  uint64_t keep = 3;
  uint64_t max_steps = 2000;
  uint64_t time_limit = 10;
  std::string shard = "1/1";
  std::string known;
};

void Declare(CampaignArguments& given, Options& options) {
  options.Repeated(
      "--references", "DIR", &given.references,
      "Modules to make variants of, or folders of them, with their inputs beside them");
  options.Repeated("--donors", "DIR", &given.donors,
                   "Modules that give functions, or folders of them");
  options.List("--targets", "NAME[,NAME...]", &given.targets,
               "Where variants are run (default: all of `refract targets` that are there; interp "
               "only where no driver draws)");
  options.Repeated("--target-files", "DIR|FILE", &given.target_files,
                   "Descriptions of your own targets (docs/targets.md)");
  options.RequiredText("--out", "DIR", &given.out,
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
  options.Number("--time-limit", &given.time_limit,
                 "Seconds until a run counts as hung (default 10; a variant gets at least 20 times "
                 "what its original takes)",
                 1, 86400);
  options.Text("--shard", "I/N", &given.shard,
               "Of N machines this is number I, and has every Nth test");
  options.Text("--known-issues", "FILE", &given.known,
               "More bugs that are known already (docs/campaign.md), beside those we know");
}

// "dir/a/b.frag" of folder "dir" is "a/b.frag"; a file by itself is its name.
std::string NameWithin(const std::string& file, const std::string& path) {
  if (file == path) return file.substr(file.find_last_of('/') + 1);
  return std::filesystem::path(file).lexically_relative(path).generic_string();
}

struct SourceFile {
  std::string name, file;
};

Result<std::vector<SourceFile>> ListSources(const std::vector<std::string>& paths) {
  if (paths.empty()) {
    return Error{"--references is missing: modules to make variants of", ErrorKind::kUsage};
  }
  std::vector<SourceFile> sources;
  for (const std::string& path : paths) {
    if (!FileExists(path)) return Error{format("{}: there is no such file or folder", path)};
    const Result<std::vector<std::string>> files = ListModuleFiles(path);
    if (!files) return files.error();
    if (files->empty()) {
      return Error{format("{}: no module in it (.spv, .spvasm, .frag, .vert, .comp)", path)};
    }
    for (const std::string& file : *files) sources.push_back({NameWithin(file, path), file});
  }
  std::sort(sources.begin(), sources.end(), [](const SourceFile& a, const SourceFile& b) {
    return std::tie(a.name, a.file) < std::tie(b.name, b.file);
  });
  for (size_t i = 1; i < sources.size(); ++i) {
    if (sources[i].name != sources[i - 1].name) continue;
    return Error{format("{} and {}: two references called {}", sources[i - 1].file, sources[i].file,
                        sources[i].name)};
  }
  return sources;
}

// Whether the folder can be written, or made.
Status CheckOut(const std::string& out) {
  std::error_code error;
  std::filesystem::path there = std::filesystem::absolute(out, error);
  if (FileExists(out) && !std::filesystem::is_directory(out, error)) {
    return Error{format("--out {}: is no folder", out)};
  }
  while (!error && !std::filesystem::exists(there, error) && there.has_relative_path()) {
    there = there.parent_path();
  }
  if (!std::filesystem::is_directory(there, error) || ::access(there.c_str(), W_OK | X_OK) != 0) {
    return Error{format("--out {}: cannot write in {}", out, there.string())};
  }
  return {};
}

class Preparation {
 public:
  Preparation(const CampaignArguments& given, Console& console)
      : given_(given), console_(console) {}

  /// Cheap questions first; nothing is written.
  Result<CampaignSetup> Make() {
    if (Status plain = TakeNumbers(); !plain) return plain.error();
    const Result<std::vector<SourceFile>> sources = ListSources(given_.references);
    if (!sources) return sources.error();
    if (Status writable = CheckOut(given_.out); !writable) return writable.error();
    if (Status known = TakeKnownIssues(); !known) return known.error();
    if (Status targets = TakeTargets(); !targets) return targets.error();
    for (const SourceFile& source : *sources) {
      Result<CampaignSource> loaded = LoadSource(source.name, source.file);
      if (!loaded) return loaded.error();
      setup_.sources.push_back(std::move(*loaded));
    }
    if (Status donors = TakeDonors(); !donors) return donors.error();
    return std::move(setup_);
  }

 private:
  Status TakeNumbers() {
    setup_.out = given_.out;
    while (setup_.out.size() > 1 && setup_.out.back() == '/') setup_.out.pop_back();
    if (!given_.time.empty()) {
      setup_.seconds = ParseDuration(given_.time);
      if (!setup_.seconds) {
        return Error{format("--time {}: say 90s, 8m or 1.5h", given_.time), ErrorKind::kUsage};
      }
    }
    if (!given_.tests && !setup_.seconds && !given_.stop_after && !given_.check_only) {
      return Error{"when does it end? Say --time, --tests or --stop-after", ErrorKind::kUsage};
    }
    const Result<Shard> shard = ParseShard(given_.shard);
    if (!shard) return shard.error();
    setup_.shard = *shard;
    setup_.tests = given_.tests;
    setup_.stop_after = given_.stop_after;
    setup_.check_only = given_.check_only;
    setup_.max_steps = static_cast<uint32_t>(given_.max_steps);
    setup_.time_limit = static_cast<double>(given_.time_limit);
    setup_.keep = static_cast<uint32_t>(given_.keep);
    setup_.jobs = given_.jobs != 0 ? static_cast<uint32_t>(given_.jobs)
                                   : std::max(std::thread::hardware_concurrency(), 1u);
    return {};
  }

  Status TakeKnownIssues() {
    Result<std::vector<KnownIssue>> ours =
        ParseKnownIssues("(built in) known_issues.json", kKnownIssues);
    if (!ours) return ours.error();
    if (!given_.known.empty()) {
      const Result<std::string> text = ReadFile(given_.known, uint64_t{1} << 24);
      if (!text) return text.error();
      Result<std::vector<KnownIssue>> more = ParseKnownIssues(given_.known, *text);
      if (!more) return more.error();
      setup_.known = std::move(*more);
    }
    setup_.known.insert(setup_.known.end(), ours->begin(), ours->end());
    return {};
  }

  Status TakeTargets() {
    std::vector<Target> targets;
    for (const std::string& name : given_.targets) {
      Result<Target> target = FindTarget(name, given_.target_files);
      if (!target) return target.error();
      // Without a seed of its own it gets one in each test, and keeps its name.
      if (target->command != nullptr && name.find(':') == std::string::npos) target->name = name;
      targets.push_back(std::move(*target));
    }
    const bool all = given_.targets.empty();
    if (all) {
      Result<std::vector<Target>> found = FindTargets(given_.target_files);
      if (!found) return found.error();
      targets = std::move(*found);
    }
    for (Target& target : targets) {
      TargetState state = harness_.Probe(target);
      if (state.available) {
        setup_.targets.push_back({std::move(target), std::move(state.version)});
      } else if (!all) {
        return Error{format("target {}: {}", target.name, state.reason), ErrorKind::kUnavailable};
      }
    }
    if (all) LeaveOutInterpreter();
    if (!given_.plain_only) AddOptimised();
    return {};
  }

  // It judges references and wrong outputs anyway; as a target of its own, which is slow, it is for
  // machines without a driver.
  void LeaveOutInterpreter() {
    const auto is = [&](Target::Kind kind) {
      return [kind](const CampaignTargetState& state) { return state.target.kind == kind; };
    };
    std::vector<CampaignTargetState>& targets = setup_.targets;
    if (std::none_of(targets.begin(), targets.end(), is(Target::Kind::kRender))) return;
    std::erase_if(targets, is(Target::Kind::kInterpreter));
  }

  // Each driver also with what spirv-opt -O makes of the variant.
  void AddOptimised() {
    std::vector<CampaignTargetState> more;
    std::string without;  // drivers
    for (const CampaignTargetState& state : setup_.targets) {
      const Target::Kind kind = state.target.kind;
      if (kind != Target::Kind::kRender && kind != Target::Kind::kPipeline) continue;
      const std::string name = format("spirv-opt-O@{}", state.target.name);
      Result<Target> optimised = FindTarget(name, given_.target_files);
      if (!optimised || !harness_.Probe(*optimised).available) {
        without += (without.empty() ? "" : ", ") + state.target.name;
        continue;
      }
      const bool there =
          std::any_of(setup_.targets.begin(), setup_.targets.end(),
                      [&](const CampaignTargetState& other) { return other.target.name == name; });
      if (there) continue;
      const std::string version = harness_.Probe(*optimised).version;
      more.push_back({std::move(*optimised), format("{}; {}", version, state.version)});
    }
    if (!without.empty()) {
      console_.Say(format("only plain variants, spirv-opt -O is not there: {}", without));
    }
    for (CampaignTargetState& state : more) setup_.targets.push_back(std::move(state));
  }

  Status TakeDonors() {
    Result<DonorFiles> donors = LoadDonors(given_.donors);
    if (!donors) return donors.error();
    for (const std::string& warning : donors->warnings) console_.Warn("donor " + warning);
    for (const std::string& useless : donors->useless) console_.Warn("donor " + useless);
    // The files' bytes stand for what is in them.
    std::string all;
    for (const std::string& path : given_.donors) {
      const Result<std::vector<std::string>> files = ListModuleFiles(path);
      if (!files) return files.error();
      for (const std::string& file : *files) {
        const Result<std::string> bytes = ReadFile(file);
        if (!bytes) return bytes.error();
        all += ContentHash(*bytes);
      }
      setup_.fuzz_arguments += " --donors " + ShellLine({path});
    }
    setup_.donors_hash = all.empty() ? std::string("none") : ContentHash(all);
    setup_.donors = std::move(donors->donors.functions);
    return {};
  }

  const CampaignArguments& given_;
  Console& console_;
  Harness harness_;
  CampaignSetup setup_;
};

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
      "{}: {} tests, {:.1f}/s, findings: {}{}, to be reduced: {}, {}", now.phase, now.tests,
      now.tests_per_second, now.findings,
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
    if (!reference.crash_only) continue;
    console.Say(
        format("{}: crashes only: {}: {}", reference.name, reference.stability, reference.detail));
  }
  const Result<std::vector<Baseline>> baselines = store.Baselines();
  if (!baselines) return baselines.error();
  for (const Baseline& baseline : *baselines) {
    if (baseline.state == "ok" || baseline.state == "unsupported") continue;
    console.Say(format("{} on {}: baseline {}: {}", baseline.reference, baseline.target,
                       baseline.state, baseline.detail));
  }
  return {};
}

nlohmann::ordered_json ToJson(const Bucket& bucket) {
  return {{"target", bucket.target},
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
  const Result<std::vector<Bucket>> buckets = store.Buckets();
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
      return std::tie(a.target, a.signature, a.sub) < std::tie(b.target, b.signature, b.sub);
    });
    for (const Bucket& bucket : sorted) {
      const std::string_view note = bucket.muted            ? ", muted"
                                    : !bucket.known.empty() ? ", known"
                                    : bucket.counted_only   ? ", only counted"
                                    : bucket.own            ? ", our own fault"
                                                            : "";
      console.Print(format("{:>7}  {}: {}{}{}\n", bucket.count, bucket.target, bucket.signature,
                           bucket.sub.empty() ? "" : format(" [{}]", bucket.sub), note));
    }
  }
  console.Say(format("{}: {} tests, {} of them new, in {}; new findings: {}", WhyText(end.why),
                     totals->tests, end.tests, setup.out, end.new_findings));
  return {};
}

Result<ExitCode> Run(const CampaignArguments& given, Console& console) {
  Result<CampaignSetup> made = Preparation(given, console).Make();
  if (!made) return made.error();
  CampaignSetup& setup = *made;
  // A limit on the size of files is an error like a full disk, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  if (Status folder = MakeFolder(setup.out); !folder) return folder.error();
  const Result<FolderLock> lock = FolderLock::Take(setup.out);
  if (!lock) return lock.error();
  Result<Store> store = OpenStore(&setup, given.seed);
  if (!store) return store.error();
  std::vector<std::string> rerun = console.arguments;
  if (!given.seed) rerun.insert(rerun.end(), {"--seed", format("{}", setup.seed)});
  console.Say(format("seed {}, references: {}, functions of donors: {}, jobs: {}", setup.seed,
                     setup.sources.size(), setup.donors.size(), setup.jobs));
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
    .declare = DeclareVerb<CampaignArguments, Declare, Run>,
};

}  // namespace refract
