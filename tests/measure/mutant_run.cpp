// SPDX-License-Identifier: Apache-2.0
#include "measure/mutant_run.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <ctime>
#include <map>
#include <optional>

#include "base/check.h"
#include "base/hash.h"
#include "base/text.h"
#include "engine/apply_step.h"
#include "fixtures/equality.h"
#include "fixtures/oracles.h"
#include "ir/binary.h"
#include "message/function_call.h"
#include "message/replace_id_with_synonym.h"
#include "message/replace_irrelevant_id.h"
#include "transform/registry.h"
#include "wire/text.h"

namespace refract::fixtures {

// What the process reports. It may die at any moment, so it writes each result at once.
struct MutantRun::Report {
  enum class Phase : uint8_t { kAllInPlace, kLeftOut, kOver };
  Phase phase = Phase::kAllInPlace;
  uint64_t asked = 0, refused = 0, opened = 0, idle = 0;
  char caught_by[100] = {};
  char how[2000] = {};
  char instead[200] = {};
};

namespace {

using Report = MutantRun::Report;

constexpr uint64_t kRound = 100;    // messages to one module
constexpr size_t kMostSteps = 16;   // before the run starts with a new module
constexpr size_t kNear = 20;        // messages kept for each kind that is refused for two reasons
constexpr int kReliantSteps = 3;    // steps that rely on a message that should have been refused
constexpr unsigned kPatience = 20;  // seconds for one message
constexpr rlim_t kMemory = rlim_t{4} << 30;

template <size_t kSize>
void Say(const std::string& text, char (&into)[kSize]) {
  std::snprintf(into, kSize, "%s", text.c_str());
}

// The work of the process.
class Trial {
 public:
  Trial(const MutationInputs& material, int refusal, const MutantOptions& options, Report* report)
      : material_(material),
        refusal_(refusal),
        left_out_(AllRefusals()[static_cast<size_t>(refusal)]),
        options_(options),
        report_(*report),
        // Seeded by the place's name, so that adding other refusals does not change the draws.
        random_(Mix(options.seed, Hash64(NameOfRefusal(refusal)))) {
    const int index = RegistryIndex(left_out_.file);
    if (index >= 0) kinds_.push_back(Registry()[static_cast<size_t>(index)].rule->kind);
    for (const MutationInputs::KnownExample& known : material.known) {
      if (known.refusal != refusal) continue;
      refused_.push_back(&known.example);
      kinds_.push_back(known.example.message.kind);
    }
    std::sort(kinds_.begin(), kinds_.end());
    kinds_.erase(std::unique(kinds_.begin(), kinds_.end()), kinds_.end());
    for (const MutationInputs::KnownExample& known : material.known) {
      const Example& example = known.example;
      if (!example.applied) continue;
      if (std::binary_search(kinds_.begin(), kinds_.end(), example.message.kind)) {
        applied_.push_back(&example);
      }
    }
    kinds_.erase(std::unique(kinds_.begin(), kinds_.end()), kinds_.end());
  }

  void Run() {
    const std::time_t begin = std::time(nullptr);
    const auto over = [&] {
      return report_.asked >= options_.count || caught_ ||
             std::difftime(std::time(nullptr), begin) > static_cast<double>(options_.seconds);
    };
    for (const Example* example : refused_) {
      if (caught_) break;
      Ask(example->progress, example->message);
    }
    for (uint64_t round = 0; !over(); ++round) {
      if (round % 4 == 0) Vary(refused_, over);
      if (round % 4 == 1) Vary(applied_, over);
      if (round % 4 == 2) VaryNear(over);
      if (round % 4 == 3) Attack(over);
    }
    report_.phase = Report::Phase::kOver;
  }

 private:
  // A round of messages that are similar to some of the examples.
  template <class Over>
  void Vary(const std::vector<const Example*>& examples, const Over& over) {
    for (uint64_t i = 0; i < kRound && !over() && !examples.empty(); ++i) {
      const Example& example = *examples[random_.Below(examples.size())];
      const Module& module = example.progress.context.module;
      Ask(example.progress, material_.draws.Mutant(example.message, {}, module, random_));
    }
  }

  // The same with messages that were refused for this reason and then for another one. Each of
  // those other reasons is equally likely, so that rare ones are explored too.
  template <class Over>
  void VaryNear(const Over& over) {
    for (uint64_t i = 0; i < kRound && !over() && !near_.empty(); ++i) {
      const std::vector<Example>& examples =
          std::next(near_.begin(), static_cast<ptrdiff_t>(random_.Below(near_.size())))->second;
      const Example example = examples[random_.Below(examples.size())];
      const Module& module = example.progress.context.module;
      Ask(example.progress, material_.draws.Mutant(example.message, {}, module, random_));
    }
  }

  // A round of messages to one of the modules, which changes with each applied message.
  template <class Over>
  void Attack(const Over& over) {
    const uint64_t draw = random_.Below(4);  // the same choice as fixture_tests --mutate
    const std::vector<Start>& starts = material_.groups[draw < 2 ? 0 : draw - 1];
    const Start& start = starts[random_.Below(starts.size())];
    Progress progress = start.progress;
    std::vector<AnyMessage> offers;
    for (uint64_t i = 0; i < kRound && !over(); ++i) {
      if (i % (kRound / 4) == 0) {
        offers = material_.draws.Offers(progress.context, kinds_, random_);
      }
      const AnyMessage message =
          material_.draws.Draw(offers, kinds_, progress.context.module, random_);
      if (!Ask(progress, message)) continue;
      const auto number = static_cast<uint32_t>(progress.steps.size()) + 1;
      const StepOutcome outcome = ApplyStep(progress.context, number, message);
      progress.steps.push_back({number, message, outcome.needs});
      if (progress.steps.size() >= kMostSteps) progress = start.progress;
    }
  }

  // Whether the message is accepted with all refusals enabled.
  bool Ask(const Progress& progress, const AnyMessage& message) {
    const CheckNote note(format("{:.2000}", ToText(message)));
    alarm(kPatience);
    ++report_.asked;
    const CheckResult check_result = CheckStep(progress.context, message);
    if (check_result) return true;
    if (std::strcmp(check_result.reason(), left_out_.reason) != 0) return false;
    report_.phase = Report::Phase::kLeftOut;
    disabled_refusal = refusal_;
    ++report_.refused;
    const CheckResult without = CheckStep(progress.context, message);
    if (without) {
      ++report_.opened;
      Judge(progress, message);
    } else if (std::strcmp(without.reason(), check_result.reason()) != 0) {
      Say(without.reason(), report_.instead);
      std::vector<Example>& near = near_[last_refusal];
      if (near.size() < kNear) {
        near.push_back({progress, message});
      } else if (random_.Percent(10)) {
        near[random_.Below(kNear)] = {progress, message};
      }
    } else {
      --report_.refused;  // another place with the same reason
    }
    disabled_refusal = kNoRefusal;
    report_.phase = Report::Phase::kAllInPlace;
    return false;
  }

  // A wrong fact has no effect until a step relies on it, so this applies some steps that do.
  std::optional<std::string> DiffersLater(const Context& before, Progress progress) {
    static const std::vector<int> kReliant = {message::kKindOf<message::FunctionCall>,
                                              message::kKindOf<message::ReplaceIdWithSynonym>,
                                              message::kKindOf<message::ReplaceIrrelevantId>};
    disabled_refusal = kNoRefusal;
    for (int i = 0; i < kReliantSteps; ++i) {
      const std::vector<AnyMessage> offers =
          material_.draws.Offers(progress.context, kReliant, random_);
      if (offers.empty()) continue;
      const AnyMessage& message = offers[random_.Below(offers.size())];
      const auto number = static_cast<uint32_t>(progress.steps.size()) + 1;
      const StepOutcome outcome = ApplyStep(progress.context, number, message);
      if (!outcome.check_result) continue;
      progress.steps.push_back({number, message, outcome.needs});
    }
    return Differs(before, progress.context, random_.Next());
  }

  void Judge(const Progress& before, const AnyMessage& message) {
    Progress after = before;
    std::string names;
    std::string how;
    const auto blame = [&](std::string_view oracle, const std::string& what) {
      names += format("{}{}", names.empty() ? "" : ", ", oracle);
      if (how.empty()) how = format("{}: {}", oracle, what);
    };
    for (const Fault& fault : ApplyAndJudge(after, message)) blame(fault.oracle, fault.what);
    if (const auto other =
            Differs(before.context, after.context, Mix(options_.seed, report_.asked))) {
      blame("equality", *other);
    }
    if (names.empty()) {
      if (const auto later = DiffersLater(before.context, after)) blame("equality", *later);
    }
    const bool same_inputs = before.context.inputs == after.context.inputs;
    if (same_inputs && WriteModule(before.context.module) == WriteModule(after.context.module)) {
      ++report_.idle;
    }
    if (names.empty()) return;
    caught_ = true;
    Say(names, report_.caught_by);
    Say(format("{}: {}", how, ToText(message)), report_.how);
  }

  const MutationInputs& material_;
  const int refusal_;
  const Refusal& left_out_;
  const MutantOptions options_;
  Report& report_;
  Random random_;
  std::vector<const Example*> refused_;  // examples of this refusal in fixtures
  std::vector<const Example*> applied_;  // applied examples of the same transformations
  std::vector<int> kinds_;
  std::map<int, std::vector<Example>> near_;  // by the refusal that applies if this one does not
  bool caught_ = false;
};

void LimitMemory() {
#if !defined(__SANITIZE_ADDRESS__)  // AddressSanitizer reserves more than any limit
  const rlimit memory{kMemory, kMemory};
  setrlimit(RLIMIT_AS, &memory);
#endif
  const rlimit core{0, 0};
  setrlimit(RLIMIT_CORE, &core);
}

// The first line that has text.
std::string FirstLine(std::FILE* file) {
  std::rewind(file);
  char line[1000];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    const std::string_view text = Trim(line);
    if (!text.empty()) return std::string(text);
  }
  return {};
}

}  // namespace

const std::vector<Refusal>& AllRefusals() {
  static const std::vector<Refusal> kAll = {
#include "refusals.inc"
  };
  return kAll;
}

std::string NameOfRefusal(int refusal) {
  const Refusal& named = AllRefusals()[static_cast<size_t>(refusal)];
  int alike = 1;
  for (int i = 0; i < refusal; ++i) {
    const Refusal& other = AllRefusals()[static_cast<size_t>(i)];
    alike +=
        std::strcmp(other.file, named.file) == 0 && std::strcmp(other.reason, named.reason) == 0;
  }
  const std::string name = format("{}: {}", named.file, named.reason);
  return alike == 1 ? name : format("{} ({})", name, alike);
}

Result<MutationInputs> MakeMutationInputs(const std::vector<Fixture>& fixtures) {
  std::vector<std::vector<Start>> groups = AllStarts(fixtures);
  Result<Draws> draws = MakeDraws(groups);
  if (!draws) return draws.error();
  MutationInputs material{std::move(groups), std::move(*draws), {}};
  for (const Fixture& fixture : fixtures) {
    for (const Case& one : fixture.cases) {
      for (const uint32_t version : one.versions) {
        Result<std::vector<Example>> examples = ExamplesIn(fixture, one, version);
        if (!examples) return examples.error();
        for (Example& example : *examples) {
          const bool yes = static_cast<bool>(CheckStep(example.progress.context, example.message));
          material.known.push_back({std::move(example), yes ? kNoRefusal : last_refusal});
        }
      }
    }
  }
  return material;
}

MutantRun::MutantRun(const MutationInputs& material, int refusal, const MutantOptions& options)
    : refusal_(refusal), complaints_(std::tmpfile()) {
  void* shared =
      mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED && complaints_ != nullptr);
  report_ = new (shared) Report;
  std::fflush(stdout);
  process_ = fork();
  CHECK(process_ >= 0);
  if (process_ != 0) return;
  dup2(fileno(complaints_), STDERR_FILENO);
  LimitMemory();
  Trial(material, refusal, options, report_).Run();
  _exit(0);
}

MutantRun::~MutantRun() {
  std::fclose(complaints_);
  munmap(report_, sizeof(Report));
}

Outcome MutantRun::Finish(int status) const {
  Outcome outcome;
  outcome.asked = report_->asked;
  outcome.refused = report_->refused;
  outcome.opened = report_->opened;
  outcome.idle = report_->idle;
  outcome.instead = report_->instead;
  outcome.caught_by = report_->caught_by;
  outcome.how = report_->how;
  if (report_->phase == Report::Phase::kOver) return outcome;
  const bool hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  const std::string line = FirstLine(complaints_);
  outcome.how = line.empty() && WIFSIGNALED(status) ? format("signal {}", WTERMSIG(status)) : line;
  if (report_->phase == Report::Phase::kLeftOut) {
    outcome.caught_by = hung ? "hang" : "crash";
  } else {
    outcome.broken = format("{}: {}", hung ? "hang" : "crash", outcome.how);
  }
  return outcome;
}

}  // namespace refract::fixtures
