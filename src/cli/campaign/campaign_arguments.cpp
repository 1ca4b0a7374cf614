// SPDX-License-Identifier: Apache-2.0
#include "cli/campaign/campaign_arguments.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>

#include "base/file.h"
#include "base/hash.h"
#include "base/shell.h"
#include "base/text.h"
#include "campaign/feedback.h"
#include "cli/campaign/campaign_references.h"
#include "cli/comparison_options.h"
#include "engine/fuzz.h"
#include "files/donor_files.h"
#include "files/module_files.h"
#include "target/harness.h"

namespace refract {
inline namespace cli {
namespace {

constexpr char kOptimised[] = "spirv-opt-O";
constexpr uint32_t kUsualGenerated = 25;  // percent of the tests

// Refuses a folder that cannot be written or made.
Status CheckOut(const std::string& out) {
  std::error_code error;
  std::filesystem::path there = std::filesystem::absolute(out, error);
  if (FileExists(out) && !std::filesystem::is_directory(out, error)) {
    return Error{format("--out {}: not a folder", out)};
  }
  std::filesystem::path missing;
  while (!error && !std::filesystem::exists(there, error) && there.has_relative_path()) {
    missing = there;
    there = there.parent_path();
  }
  bool writable =
      std::filesystem::is_directory(there, error) && ::access(there.c_str(), W_OK | X_OK) == 0;
  // access() is wrong for some folders, such as /proc.
  if (writable && !missing.empty()) {
    writable = ::mkdir(missing.c_str(), 0777) == 0;
    if (writable) ::rmdir(missing.c_str());
  }
  if (!writable) return Error{format("--out {}: cannot write to {}", out, there.string())};
  return {};
}

class Preparation {
 public:
  Preparation(const CampaignArguments& given, Console& console)
      : given_(given), console_(console) {}

  Result<CampaignSetup> Make() {
    if (Status plain = TakeNumbers(); !plain) return plain.error();
    if (Status shares = TakeShares(); !shares) return shares.error();
    Result<std::vector<ReferenceFile>> references = ListReferences(given_.references);
    if (!references) return references.error();
    if (Status donors = ListDonors(); !donors) return donors.error();
    if (Status writable = CheckOut(given_.out); !writable) return writable.error();
    if (Status known = TakeKnownIssues(); !known) return known.error();
    if (Status feedback = TakeFeedback(); !feedback) return feedback.error();
    if (Status targets = TakeTargets(); !targets) return targets.error();
    if (Status taken = TakeReferences(std::move(*references)); !taken) return taken.error();
    if (Status donors = TakeDonors(); !donors) return donors.error();
    if (Status share = TakeUsualShares(); !share) return share.error();
    return std::move(setup_);
  }

 private:
  Status TakeNumbers() {
    setup_.out = given_.out;
    while (setup_.out.size() > 1 && setup_.out.back() == '/') setup_.out.pop_back();
    if (!given_.time.empty()) {
      setup_.seconds = ParseDuration(given_.time);
      if (!setup_.seconds) {
        return Error{format("--time {}: expected a time such as 90s, 8m or 1.5h", given_.time),
                     ErrorKind::kUsage};
      }
    }
    const bool ends = given_.tests || setup_.seconds || given_.stop_after || given_.check_only ||
                      given_.reduce_only;
    if (!ends) {
      return Error{"specify --time, --tests or --stop-after", ErrorKind::kUsage};
    }
    if (given_.fuel && given_.flesh == 0) {
      return Error{"--fuel requires --flesh", ErrorKind::kUsage};
    }
    if (Status of_references = CheckReferenceOptions(); !of_references) return of_references;
    const Result<Thresholds> thresholds = TakeThresholds(given_.thresholds);
    if (!thresholds) return thresholds.error();
    setup_.thresholds = *thresholds;
    const Result<Shard> shard = ParseShard(given_.shard);
    if (!shard) return shard.error();
    setup_.shard = *shard;
    setup_.tests = given_.tests;
    setup_.stop_after = given_.stop_after;
    setup_.check_only = given_.check_only;
    setup_.sample = given_.sample;
    setup_.zero_inputs = given_.zero_inputs;
    setup_.reduce_only = given_.reduce_only;
    setup_.fuel = given_.fuel;
    setup_.max_steps = static_cast<uint32_t>(given_.max_steps);
    if (Status passes = TakePasses(); !passes) return passes;
    setup_.time_limit = static_cast<double>(given_.time_limit);
    setup_.keep = static_cast<uint32_t>(given_.keep);
    setup_.jobs = given_.jobs != 0 ? static_cast<uint32_t>(given_.jobs)
                                   : std::max(std::thread::hardware_concurrency(), 1u);
    return {};
  }

  // Refuses options that only references need.
  Status CheckReferenceOptions() const {
    if (!given_.references.empty()) return {};
    const char* option = given_.sample                ? "--sample"
                         : given_.zero_inputs         ? "--zero-inputs"
                         : !given_.thresholds.empty() ? "--thresholds"
                                                      : nullptr;
    if (option == nullptr) return {};
    return Error{format("{} requires --references", option), ErrorKind::kUsage};
  }

  // How many of the tests run programs.
  Status TakeShares() {
    ProgramShares& shares = setup_.shares;
    shares.flesh = static_cast<uint32_t>(given_.flesh);
    shares.generate = static_cast<uint32_t>(given_.generate.value_or(0));
    if (shares.sum() > 100) {
      return Error{format("--flesh {} and --generate {}: the sum is more than 100", shares.flesh,
                          shares.generate),
                   ErrorKind::kUsage};
    }
    if (given_.references.empty()) {
      if (shares.sum() == 0) {
        return Error{
            "--references is missing: name modules to make variants of, or pass --flesh or "
            "--generate",
            ErrorKind::kUsage};
      }
      shares.generate = (100 * shares.generate + shares.sum() / 2) / shares.sum();
      shares.flesh = 100 - shares.generate;
    }
    return {};
  }

  // The percentages that are not given. Comes last, because reading a store leaves files of SQLite,
  // which the start of the campaign removes.
  Status TakeUsualShares() {
    if (!given_.references.empty() && !given_.generate) {
      const Result<std::optional<uint32_t>> before = PercentOfCampaign(setup_.out, "generate");
      if (!before) return before.error();
      setup_.shares.generate =
          before->value_or(std::min(kUsualGenerated, 100 - setup_.shares.flesh));
    }
    if (given_.passes.empty() && !given_.all_passes) {
      const Result<std::optional<uint32_t>> before = PercentOfCampaign(setup_.out, "all_passes");
      if (!before) return before.error();
      setup_.all_passes = before->value_or(0);
    }
    return {};
  }

  Status TakeReferences(std::vector<ReferenceFile> files) {
    if (setup_.sample) {
      Result<uint64_t> seed = SeedOfCampaign(setup_.out, given_.seed);
      if (!seed) return seed.error();
      setup_.seed = *seed;
      ShuffleReferences(*seed, &files);
    }
    Status loaded = LoadReferences(files, setup_.sample, &setup_);
    for (const SkippedReference& skipped : setup_.skipped) {
      console_.Warn(format("reference {} is skipped: {}", skipped.name, skipped.why));
    }
    return loaded;
  }

  Status TakeFeedback() {
    if (given_.coverage.empty()) {
      if (given_.coverage_target.empty() && !given_.round && !given_.no_feedback) return {};
      return Error{"--coverage-target, --round and --no-feedback require --coverage",
                   ErrorKind::kUsage};
    }
    if (setup_.shard.of > 1) {
      return Error{"--coverage excludes --shard: the tests of a shard depend on those before them",
                   ErrorKind::kUsage};
    }
    const Result<CoverageBuild> build = ReadCoverageBuild(given_.coverage);
    if (!build) return build.error();
    const Result<CountedTarget> target =
        CountedTarget::Open(*build, given_.coverage_target, given_.target_files);
    if (!target) {
      const bool missing = given_.coverage_target.empty() && !build->is_driver;
      return missing ? Error{"--coverage requires --coverage-target: a target that runs the "
                             "program of the build",
                             ErrorKind::kUsage}
                     : target.error();
    }
    const Result<std::string> program = ReadFile(build->counted, uint64_t{1} << 32);
    if (!program) return program.error();
    setup_.feedback = std::make_shared<CoverageFeedback>(
        given_.coverage, *build, given_.coverage_target, given_.target_files,
        given_.round.value_or(kTestsPerRound), ContentHash(*program), !given_.no_feedback);
    return {};
  }

  Status TakePasses() {
    setup_.passes = given_.passes;
    if (!given_.passes.empty() && given_.all_passes) {
      return Error{"specify --passes or --all-passes, not both", ErrorKind::kUsage};
    }
    setup_.all_passes = static_cast<uint32_t>(given_.all_passes.value_or(0));
    setup_.float_identities = given_.float_identities;
    setup_.recommendations = !given_.no_recommendations;
    if (Status known = CheckPasses(given_.passes); !known) return known;
    for (const std::string& name : given_.passes) {
      setup_.fuzz_arguments += (setup_.fuzz_arguments.empty() ? " --passes " : ",") + name;
    }
    if (given_.float_identities) setup_.fuzz_arguments += " --float";
    if (given_.no_recommendations) setup_.fuzz_arguments += " --no-recommendations";
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
    Result<std::vector<Target>> known = FindTargets(given_.target_files);
    if (!known) return known.error();
    std::vector<Target> targets;
    for (const std::string& name : JoinPassLists(given_.targets)) {
      Result<Target> target = FindTarget(name, *known);
      if (!target) return target.error();
      // A target without a seed of its own gets one in each test, and keeps its name.
      if (target->command != nullptr && name.find(':') == std::string::npos) target->name = name;
      targets.push_back(std::move(*target));
    }
    const bool all = given_.targets.empty();
    if (all) targets = *known;
    for (Target& target : targets) {
      TargetState state = harness_.Probe(target);
      if (state.available) {
        setup_.targets.push_back({std::move(target), std::move(state.version)});
      } else if (!all) {
        return Error{format("target {}: {}", target.name, state.reason), ErrorKind::kUnavailable};
      }
    }
    if (all) {
      LeaveOutInterpreter();
      DropEqualTargets();
    }
    if (!given_.plain_only) AddOptimised(*known);
    return {};
  }

  // The interpreter checks references and wrong outputs in any case. As a target it is slow, so it
  // is one only on machines without a driver.
  void LeaveOutInterpreter() {
    const auto is = [&](Target::Kind kind) {
      return [kind](const VersionedTarget& state) { return state.target.kind == kind; };
    };
    std::vector<VersionedTarget>& targets = setup_.targets;
    if (std::none_of(targets.begin(), targets.end(), is(Target::Kind::kRender))) return;
    std::erase_if(targets, is(Target::Kind::kInterpreter));
  }

  // Keeps one of the targets that run the same commands: the last, which has the clearest name. For
  // example, spirv-opt without passes does the same as spirv-opt-passes.
  void DropEqualTargets() {
    std::vector<VersionedTarget>& targets = setup_.targets;
    std::set<std::vector<std::string>> seen;
    const auto is_twin = [&](const VersionedTarget& state) {
      if (state.target.command == nullptr) return false;
      std::vector<std::string> all;
      for (const CommandStep& step : state.target.command->steps) {
        all.insert(all.end(), step.argv.begin(), step.argv.end());
        all.emplace_back();
      }
      return !seen.insert(std::move(all)).second;
    };
    std::reverse(targets.begin(), targets.end());
    std::erase_if(targets, is_twin);
    std::reverse(targets.begin(), targets.end());
  }

  // Whether a target runs variants on that driver after spirv-opt -O already.
  bool HasOptimised(const std::string& driver) {
    return std::any_of(setup_.targets.begin(), setup_.targets.end(),
                       [&](const VersionedTarget& state) {
                         if (state.target.name == format("{}@{}", kOptimised, driver)) return true;
                         if (state.target.name != kOptimised) return false;
                         const Result<Target> draws = harness_.DriverOf(*state.target.command);
                         return draws && draws->name == driver;
                       });
  }

  // Adds a target for each driver that runs variants after spirv-opt -O. `known` are all targets of
  // this machine.
  void AddOptimised(const std::vector<Target>& known) {
    std::vector<VersionedTarget> more;
    std::string without;  // drivers
    for (const VersionedTarget& state : setup_.targets) {
      const Target::Kind kind = state.target.kind;
      if (kind != Target::Kind::kRender && kind != Target::Kind::kPipeline) continue;
      if (HasOptimised(state.target.name)) continue;
      const std::string name = format("{}@{}", kOptimised, state.target.name);
      Result<Target> optimised = FindTarget(name, known);
      if (!optimised || !harness_.Probe(*optimised).available) {
        without += (without.empty() ? "" : ", ") + state.target.name;
        continue;
      }
      const std::string version = harness_.Probe(*optimised).version;
      more.push_back({std::move(*optimised), format("{}; {}", version, state.version)});
    }
    if (!without.empty()) {
      console_.Say(
          format("variants on these drivers run without spirv-opt -O, which is not available: {}",
                 without));
    }
    for (VersionedTarget& state : more) setup_.targets.push_back(std::move(state));
  }

  // Reports missing donors before anything is read.
  Status ListDonors() {
    for (const std::string& path : given_.donors) {
      Result<std::vector<std::string>> files = ListModuleFiles(path);
      if (!files) return files.error();
      donor_files_.insert(donor_files_.end(), files->begin(), files->end());
      setup_.fuzz_arguments += " --donors " + ShellLine({path});
    }
    return {};
  }

  Status TakeDonors() {
    Result<DonorFiles> donors = LoadDonors(given_.donors);
    if (!donors) return donors.error();
    for (const std::string& warning : donors->warnings) console_.Warn("donor " + warning);
    for (const std::string& useless : donors->useless) console_.Warn("donor " + useless);
    // The hash of the donors is that of the bytes of their files.
    std::string all;
    for (const std::string& file : donor_files_) {
      const Result<std::string> bytes = ReadFile(file);
      if (!bytes) return bytes.error();
      all += ContentHash(*bytes);
    }
    setup_.donors_hash = all.empty() ? std::string("none") : ContentHash(all);
    setup_.donors = std::move(donors->pool);
    setup_.donated_functions = donors->donors.functions.size();
    return {};
  }

  const CampaignArguments& given_;
  Console& console_;
  Harness harness_;
  CampaignSetup setup_;
  std::vector<std::string> donor_files_;
};

}  // namespace

Result<CampaignSetup> PrepareCampaign(const CampaignArguments& given, Console& console) {
  Result<CampaignSetup> setup = Preparation(given, console).Make();
  if (!setup) return setup;
  std::error_code error;
  setup->arguments = given.line.empty() ? console.arguments : given.line;
  setup->folder = std::filesystem::current_path(error).string();
  return setup;
}

}  // namespace cli
}  // namespace refract
