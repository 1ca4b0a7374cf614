// SPDX-License-Identifier: Apache-2.0
// Measures the comparison rules on float shaders: how often a rule calls a harmless variant
// different (a false alarm), and how often it does not see a fault in an image (a miss). The
// shaders are the references and donors whose verdict is not exact, and shaders that
// measure/images/float_shaders.h makes.
//
// Run number i compares one variant of one shader, and one fault of each image, on each target.
// Runs with other numbers may be made by other processes: give them --first, --count and their own
// --state. A process with all lines in its state file only prints the tables.
//   --shaders N   how many shaders
//   --faults N    runs from N on have no faults
//   --targets A,B
//   --thresholds TEXT
//   --keep DIR    a folder for each image that a rule calls different, for `refract reduce`:
//                 original.spv with its inputs, variant.refract, and the name of the target
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/file.h"
#include "base/text.h"
#include "corpus/test_modules.h"
#include "driver/worker.h"
#include "engine/fuzz.h"
#include "files/donor_files.h"
#include "glsl/companion_file.h"
#include "glsl/glsl.h"
#include "glsl/load.h"
#include "measure/images/float_shaders.h"
#include "measure/images/image_faults.h"
#include "measure/numbered_runs.h"
#include "measure/reference.h"
#include "reduce/target_interestingness.h"
#include "target/finding.h"
#include "wire/recording_file.h"

namespace refract::measure {
namespace {

using Json = nlohmann::ordered_json;

struct Options : NumberedRuns {
  Options() { count = 60; }
  uint64_t shaders = 60;
  uint64_t faults = 1'000'000'000;
  std::vector<std::string> targets = {"lavapipe", "swiftshader"};
  Thresholds thresholds;
  std::string keep;  ///< the folder of --keep; empty: none
};

constexpr const char* kRules[] = {"automatic", "bounded", "stable", "spatial", "histogram"};

/// A shader with what the interpreter finds out about it, and its images on the targets.
struct FloatOriginal {
  Original original;
  ComparisonRule rule;
  std::vector<BufferLayout> layouts;
  std::string verdict;
  double narrow = 0;  ///< the share of pixels with narrow bounds, in percent
  std::map<std::string, RunResult> runs;
};

double NarrowShare(const ComparisonRule& rule) {
  const LevelBounds* bounds = rule.BoundsOf(0);
  if (bounds == nullptr) return 0;
  size_t narrow = 0;
  for (size_t at = 0; at < bounds->lowest.size(); at += 4) {
    bool all = true;
    for (size_t i = at; i < at + 4; ++i) {
      all = all &&
            static_cast<uint8_t>(bounds->highest[i]) - static_cast<uint8_t>(bounds->lowest[i]) <=
                static_cast<int>(rule.thresholds.narrow);
    }
    narrow += all ? 1 : 0;
  }
  return 400.0 * static_cast<double>(narrow) / static_cast<double>(bounds->lowest.size());
}

/// The shaders, each made when it is first used.
class FloatOriginals {
 public:
  FloatOriginals(const Options& options, std::vector<Target> targets, Harness& harness)
      : options_(options), targets_(std::move(targets)), harness_(harness) {}

  /// Finds the files, and `options.shaders` sources in all.
  Status Find() {
    std::vector<std::string> files;
    for (const std::string& folder : {options_.references, options_.references + "/../donors"}) {
      Result<std::vector<std::string>> found = ReferenceFiles(folder);
      if (!found) return found.error();
      for (const std::string& file : *found) {
        if (Extension(file) == ".frag") files.push_back(file);
      }
    }
    // The made shaders first: each of them is a float shader, and few of the files are.
    const uint64_t made = options_.shaders / 2 + options_.shaders % 2;
    for (uint64_t seed = 1; seed <= made; ++seed) sources_.push_back(format("made {}", seed));
    sources_.insert(sources_.end(), files.begin(), files.end());
    for (uint64_t seed = made + 1; seed <= 10 * made; ++seed) {
      sources_.push_back(format("made {}", seed));
    }
    return {};
  }

  /// Shader `number`: the sources without those that are exact or not usable. Null at the end.
  Result<const FloatOriginal*> At(size_t number) {
    while (usable_.size() <= number) {
      if (next_ == sources_.size()) return Error{"there are too few float shaders"};
      Result<std::unique_ptr<FloatOriginal>> made = Make(sources_[next_++]);
      if (!made) return made.error();
      if (*made != nullptr) usable_.push_back(std::move(*made));
    }
    FloatOriginal& original = *usable_[number];
    if (original.runs.empty()) {
      if (Status ran = Run(&original); !ran) return ran.error();
    }
    return &original;
  }
  const std::vector<Target>& targets() const { return targets_; }
  Harness& harness() { return harness_; }

 private:
  static Result<std::vector<uint32_t>> WordsOf(const std::string& source) {
    if (source.starts_with("made ")) {
      uint64_t seed = 0;
      CHECK(ParseNumber(source.substr(5), &seed));
      return CompileGlsl(source + ".frag", FloatShader(seed), GlslStage::kFragment);
    }
    Result<LoadedModule> loaded = LoadModuleFile(source);
    if (!loaded) return loaded.error();
    return std::move(loaded->words);
  }

  // Null if the verdict is exact, or if the interpreter finds the shader not usable.
  Result<std::unique_ptr<FloatOriginal>> Make(const std::string& source) {
    Result<std::vector<uint32_t>> words = WordsOf(source);
    if (!words) return words.error();
    std::shared_ptr<const Inputs> inputs = std::make_shared<const Inputs>();
    if (!source.starts_with("made ")) {
      Result<std::shared_ptr<const Inputs>> loaded = LoadInputsOf(source);
      if (!loaded) return loaded.error();
      if (*loaded != nullptr) inputs = std::move(*loaded);
    } else {
      Inputs small;
      small.width = small.height = 128;
      inputs = std::make_shared<const Inputs>(std::move(small));
    }
    Result<Original> original = MakeOriginal(std::move(*words), source, std::move(inputs), {});
    if (!original) return original.error();
    auto made = std::make_unique<FloatOriginal>();
    made->original = std::move(*original);
    RunSettings settings;
    settings.zero_inputs = true;
    settings.interpreter_limit = 0;  // no limit: the shaders must not depend on the machine
    const Result<Interpretation> known = Interpretation::Of(made->original, settings, true);
    if (!known) return std::unique_ptr<FloatOriginal>();
    const OriginalCheck& check = known->check();
    if (!check.well_defined() || !check.deterministic || !check.extent.is_whole() ||
        check.stability == Stability::kExact || check.report.outputs.targets.empty() ||
        check.report.outputs.targets[0].format != spv::ImageFormat::Rgba8) {
      return std::unique_ptr<FloatOriginal>();
    }
    made->rule = RuleFor(check);
    made->rule.thresholds = options_.thresholds;
    made->layouts = known->layouts();
    made->verdict = StabilityName(check.stability);
    made->narrow = NarrowShare(made->rule);
    return made;
  }

  Status Run(FloatOriginal* made) {
    RunSettings settings;
    settings.zero_inputs = true;
    settings.time_limit = 120;
    const Original& original = made->original;
    const Result<Job> job = JobOf(original, original.context.module, original.words,
                                  original.context.inputs.get(), settings);
    if (!job) return job.error();
    for (const Target& target : targets_) {
      Result<RunResult> ran = harness_.Run(target, *job);
      if (!ran) return ran.error();
      if (ran->verdict != RunOutcome::kOk) {
        return Error{format("{}: {} does not run it: {}", original.file, target.name, ran->detail)};
      }
      made->runs.emplace(target.name, std::move(*ran));
    }
    return {};
  }

  const Options& options_;
  std::vector<Target> targets_;
  Harness& harness_;
  std::vector<std::string> sources_;
  size_t next_ = 0;
  std::vector<std::unique_ptr<FloatOriginal>> usable_;
};

/// The rules of kRules for a shader.
ComparisonRule RuleNamed(const std::string& name, const FloatOriginal& shader) {
  if (name == "automatic") return shader.rule;
  ComparisonRule rule = shader.rule;
  rule.kind = *RuleByName(name);
  rule.rest = CompareRule::kSpatial;
  return rule;
}

/// The rules that say that the images differ.
std::vector<std::string> RulesThatDiffer(const Image& a, const Image& b,
                                         const FloatOriginal& shader) {
  std::vector<std::string> names;
  for (const char* name : kRules) {
    const ComparisonRule rule = RuleNamed(name, shader);
    if (!Agree(Compare(a, b, rule), rule)) names.emplace_back(name);
  }
  return names;
}

Json MeasuresOf(const Image& a, const Image& b, const FloatOriginal& shader) {
  const ComparisonRule bounded = RuleNamed("bounded", shader);
  const Comparison found = Compare(a, b, bounded);
  const Comparison all = Compare(a, b, RuleNamed("spatial", shader));
  return {{"pixels", found.pixels},           {"max", found.max},
          {"outside", found.bounded.outside}, {"outside_original", found.bounded.outside_a},
          {"square", all.spatial.square},     {"similarity", all.spatial.similarity},
          {"shift", all.spatial.shift}};
}

/// Writes what `refract reduce` needs to reduce a variant whose image differs on `target`.
Status Keep(const std::string& folder, const Original& original, const FuzzResult& variant,
            const std::string& target) {
  if (Status made = MakeFolder(folder); !made) return made;
  const std::string module(reinterpret_cast<const char*>(original.words.data()),
                           original.words.size() * sizeof(uint32_t));
  Status written = WriteFile(folder + "/original.spv", module);
  if (written && original.context.inputs != nullptr) {
    written = WriteFile(folder + "/original.json", WriteInputs(*original.context.inputs));
  }
  if (written) {
    written = WriteFile(folder + "/variant.refract", WriteRecording(variant.recording));
  }
  return written ? WriteFile(folder + "/target", target + "\n") : written;
}

/// One run as a line of the state file.
std::string MeasureRun(uint64_t index, const Options& options, FloatOriginals& shaders,
                       const FloatOriginal& shader, const DonorFiles& donors) {
  Json line = {{"index", index},
               {"shader", shader.original.file},
               {"verdict", shader.verdict},
               {"narrow", shader.narrow}};
  FuzzOptions fuzz;
  fuzz.seed = index + 1;
  fuzz.donors = donors.pool.FunctionsOf(fuzz.seed);
  const Result<FuzzResult> variant = Fuzz(shader.original, fuzz);
  RunSettings settings;
  settings.zero_inputs = true;
  settings.time_limit = 120;
  const Result<Job> job = variant ? JobOf(shader.original, variant->context.module, variant->words,
                                          variant->context.inputs.get(), settings)
                                  : Result<Job>(variant.error());
  if (!job) line["problem"] = job.error().message;
  const size_t kinds = ImageFaultKinds().size();
  for (const Target& target : shaders.targets()) {
    const Image original = ImageAtLocation0(shader.runs.at(target.name).outputs);
    Json& found = line["targets"][target.name];
    if (job) {
      const Result<RunResult> ran = shaders.harness().Run(target, *job);
      if (!ran || ran->verdict != RunOutcome::kOk) {
        found["failed"] = ran ? Signature(*ran) : ran.error().message;
      } else {
        const Image drawn = ImageAtLocation0(ran->outputs);
        found["same"] = drawn == original;
        found["differ"] = RulesThatDiffer(original, drawn, shader);
        if (drawn != original) found["measures"] = MeasuresOf(original, drawn, shader);
        if (!options.keep.empty() && !found["differ"].empty()) {
          const std::string folder = format("{}/{}-{}", options.keep, index, target.name);
          if (Status kept = Keep(folder, shader.original, *variant, target.name); !kept) {
            found["problem"] = kept.error().message;
          }
        }
      }
    }
    if (index >= options.faults) continue;
    const size_t kind = (index + index / options.shaders) % kinds;
    const std::optional<Image> faulty = WithImageFault(original, kind, index);
    if (!faulty) continue;
    found["fault"] = kind;
    found["seen"] = RulesThatDiffer(original, *faulty, shader);
    found["fault_measures"] = MeasuresOf(original, *faulty, shader);
  }
  return line.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

struct Tally {
  uint64_t compared = 0, equal = 0, failed = 0;
  std::map<std::string, uint64_t> alarms;                         // by rule
  std::map<size_t, uint64_t> faults;                              // by kind
  std::map<std::string, std::map<size_t, uint64_t>> seen;         // by rule and kind
  std::map<std::string, std::pair<std::string, double>> shaders;  // verdict, narrow
  std::vector<std::string> notes;
};

void Add(const Json& line, Tally* tally) {
  tally->shaders[line["shader"]] = {line["verdict"], line["narrow"]};
  if (!line.contains("targets")) return;
  for (const auto& [target, found] : line["targets"].items()) {
    if (found.contains("failed")) {
      ++tally->failed;
    } else if (found.contains("same")) {
      ++tally->compared;
      if (found["same"] == true) ++tally->equal;
      for (const std::string rule : found["differ"]) ++tally->alarms[rule];
      if (!found["differ"].empty()) {
        tally->notes.push_back(format("run {}, {}, {}: {} {}", line["index"].get<uint64_t>(),
                                      line["shader"].get<std::string>(), target,
                                      found["differ"].dump(), found["measures"].dump()));
      }
    }
    if (!found.contains("fault")) continue;
    ++tally->faults[found["fault"]];
    for (const std::string rule : found["seen"]) ++tally->seen[rule][found["fault"]];
  }
}

double Percent(uint64_t part, uint64_t all) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(std::max<uint64_t>(all, 1));
}

std::string Tables(const Tally& tally, bool* reached) {
  uint64_t faults = 0;
  for (const auto& [kind, count] : tally.faults) faults += count;
  std::string text = format(
      "{} shaders. {} images of variants were compared with those of their originals; {} of them "
      "are the same in every bit. {} runs failed. {} images with faults were compared.\n\n",
      tally.shaders.size(), tally.compared, tally.equal, tally.failed, faults);
  text += "| rule | false alarms | misses |\n|---|---:|---:|\n";
  for (const std::string rule : kRules) {
    const auto alarms = tally.alarms.find(rule);
    const uint64_t wrong = alarms == tally.alarms.end() ? 0 : alarms->second;
    uint64_t seen = 0;
    if (tally.seen.contains(rule)) {
      for (const auto& [kind, count] : tally.seen.at(rule)) seen += count;
    }
    const double missed = Percent(faults - seen, faults);
    text += format("| {} | {} of {} | {} of {} ({:.1f} %) |\n", rule, wrong, tally.compared,
                   faults - seen, faults, missed);
    if (rule == "automatic") *reached = wrong == 0 && missed <= 5 && tally.compared > 0;
  }
  text += "\nMisses by kind of fault:\n\n| fault | images |";
  for (const std::string rule : kRules) text += format(" {} |", rule);
  text += "\n|---|---:|---:|---:|---:|---:|---:|\n";
  for (const auto& [kind, count] : tally.faults) {
    text += format("| {} | {} |", ImageFaultKinds()[kind], count);
    for (const std::string rule : kRules) {
      uint64_t seen = 0;
      if (tally.seen.contains(rule)) {
        const auto& kinds = tally.seen.at(rule);
        if (kinds.contains(kind)) seen = kinds.at(kind);
      }
      text += format(" {} |", count - seen);
    }
    text += "\n";
  }
  text += "\n| shader | verdict | pixels with narrow bounds |\n|---|---|---:|\n";
  for (const auto& [name, about] : tally.shaders) {
    text += format("| {} | {} | {:.1f} % |\n", NameOfFile(name), about.first, about.second);
  }
  if (!tally.notes.empty()) text += "\nFalse alarms:\n\n";
  for (const std::string& note : tally.notes) text += "- " + note + "\n";
  return text;
}

int Fail(const Error& error) {
  std::fprintf(stderr, "image_rules: %s\n", error.message.c_str());
  return 3;
}

int Run(const Options& options) {
  std::map<uint64_t, std::string> lines;
  for (const std::string& line : StateLines(options.state)) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_discarded() && json.contains("index")) lines[json["index"]] = line;
  }
  Harness harness;
  std::vector<Target> targets;
  for (const std::string& name : options.targets) {
    Result<Target> target = FindTarget(name);
    if (!target) return Fail(target.error());
    targets.push_back(std::move(*target));
  }
  FloatOriginals shaders(options, std::move(targets), harness);
  if (Status found = shaders.Find(); !found) return Fail(found.error());
  const Result<DonorFiles> donors = LoadDonors({options.references + "/../donors"});
  if (!donors) return Fail(donors.error());
  std::FILE* state = options.state.empty() ? nullptr : std::fopen(options.state.c_str(), "a");
  const std::time_t begin = std::time(nullptr);
  for (uint64_t i = options.first; i < options.first + options.count; ++i) {
    if (lines.contains(i)) continue;
    if (std::difftime(std::time(nullptr), begin) > options.seconds) break;
    const Result<const FloatOriginal*> shader = shaders.At(i % options.shaders);
    if (!shader) return Fail(shader.error());
    lines[i] = MeasureRun(i, options, shaders, **shader, *donors);
    if (state == nullptr) continue;
    std::fputs(lines[i].c_str(), state);
    std::fflush(state);
  }
  if (state != nullptr) std::fclose(state);
  Tally tally;
  for (const auto& [index, line] : lines) {
    if (options.Has(index)) Add(Json::parse(line), &tally);
  }
  bool reached = false;
  std::string text = ReportHead("Comparison rules") + Tables(tally, &reached);
  text += format("\nThresholds: {}\n", ThresholdsText(options.thresholds));
  return WriteReport(options, text, reached);
}

int Main(int argc, char** argv) {
  Options options;
  const auto other = [&](std::string_view name, const std::string& value) {
    uint64_t number = 0;
    const bool is_number = ParseNumber(value, &number);
    if (name == "--shaders" && is_number && number > 0) {
      options.shaders = number;
    } else if (name == "--faults" && is_number) {
      options.faults = number;
    } else if (name == "--targets") {
      options.targets = Split(value, ',');
    } else if (name == "--keep") {
      options.keep = value;
    } else if (name == "--thresholds" && ParseThresholds(value)) {
      options.thresholds = *ParseThresholds(value);
    } else {
      return false;
    }
    return true;
  };
  if (!ReadArguments(argc, argv, "image_rules", &options, other)) return 2;
  return Run(options);
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  refract::BecomeWorkerIfAsked(argc, argv);
  return refract::measure::Main(argc, argv);
}
