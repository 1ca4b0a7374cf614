// SPDX-License-Identifier: Apache-2.0
// Tests that every refusal of a check is needed, and that an oracle would notice if it were
// missing. Each refusal is disabled in turn. Messages that are accepted only because of that are
// applied, and some oracle must notice that they should not have been. A refusal that no oracle can
// notice is a mere preference, and preferences.txt explains it.
//   refusals [--count N] [--seed S] [--only PART] [--every N] [--fixtures N] [--jobs N] [--seconds
//   S]
//            [--least N] [--state FILE] [-o FILE] [--verbose 1]
// --count N: messages for each refusal (0: only its examples in fixtures); --only: refusals whose
// "FILE: REASON" contains PART; --every N: only each N-th; --fixtures N: only each N-th fixture,
// and only refusals that are in it; --least N: only require that N are caught; -o: the table.
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <thread>

#include "base/file.h"
#include "base/text.h"
#include "base/version.h"
#include "fixtures/fixture.h"
#include "measure/mutant_run.h"

namespace refract::fixtures {
namespace {

constexpr const char* kPreferences = REFRACT_SOURCE_DIR "/tests/measure/preferences.txt";

struct Options {
  MutantOptions ordeal;
  uint64_t jobs = std::thread::hardware_concurrency();
  uint64_t seconds = 1 << 30;
  uint64_t least = 0;
  uint64_t every = 1;
  uint64_t fixtures = 1;
  uint64_t verbose = 0;
  std::string only, state, table;
};

using Outcomes = std::map<std::string, Outcome>;  // by name of the refusal
using Preferences = std::map<std::string, std::string>;

// Whether the outcome fits the first word of an explanation: "words: ..." if the message is refused
// later anyway (or sometimes crashes the check), "idle: ..." if it would change nothing.
bool Fits(const std::string& why, const Outcome& outcome) {
  if (why.starts_with("words:")) return outcome.opened == 0;
  if (why.starts_with("idle:")) return outcome.idle == outcome.opened;
  return true;
}

// "FILE: REASON" on a line, and why no oracle can notice it, indented, on the next lines.
Result<Preferences> ReadPreferences() {
  const Result<std::string> text = ReadFile(kPreferences);
  if (!text) return text.error();
  Preferences preferences;
  std::string name;
  int number = 0;
  for (const std::string& line : Split(*text, '\n')) {
    ++number;
    if (Trim(line).empty() || line[0] == '#') continue;
    if (line[0] != ' ') {
      name = line;
      if (!preferences.emplace(name, "").second) {
        return Error{format("{}:{}: '{}' is listed twice", kPreferences, number, name)};
      }
      continue;
    }
    if (name.empty())
      return Error{format("{}:{}: text without a refusal above it", kPreferences, number)};
    std::string& why = preferences[name];
    why += format("{}{}", why.empty() ? "" : " ", Trim(line));
  }
  return preferences;
}

// A line of the state file: fields separated by tabs.
std::string ToLine(const std::string& name, const Outcome& outcome) {
  std::string line =
      format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", name, outcome.caught_by, outcome.asked,
             outcome.refused, outcome.opened, outcome.instead, outcome.broken, outcome.how);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line + "\n";
}

Outcomes FromState(const std::string& file, const std::string& head) {
  Outcomes outcomes;
  if (file.empty() || !FileExists(file)) return outcomes;
  const Result<std::string> text = ReadFile(file);
  const std::vector<std::string> lines = Split(text ? *text : std::string(), '\n');
  if (lines[0] + "\n" != head) return outcomes;
  for (const std::string& line : lines) {
    const std::vector<std::string> fields = Split(line, '\t');
    if (fields.size() < 9) continue;
    Outcome& outcome = outcomes[fields[0]];
    outcome.caught_by = fields[1];
    ParseNumber(fields[2], &outcome.asked);
    ParseNumber(fields[3], &outcome.refused);
    ParseNumber(fields[4], &outcome.opened);
    ParseNumber(fields[5], &outcome.idle);
    outcome.instead = fields[6];
    outcome.broken = fields[7];
    outcome.how = fields[8];
  }
  return outcomes;
}

// Runs the mutants, several at once.
class Run {
 public:
  Run(const MutationInputs& material, const Options& options)
      : material_(material),
        options_(options),
        state_(format("count {} seed {}\n", options.ordeal.count, options.ordeal.seed)),
        outcomes_(FromState(options.state, state_)) {
    for (const auto& [name, outcome] : outcomes_) state_ += ToLine(name, outcome);
  }

  const Outcomes& outcomes() const { return outcomes_; }

  /// False if the time limit was reached before all of them ran.
  bool All() {
    const std::time_t begin = std::time(nullptr);
    bool done = true;
    for (size_t i = 0; i < AllRefusals().size(); ++i) {
      const int refusal = static_cast<int>(i);
      const std::string name = NameOfRefusal(refusal);
      if (i % std::max<uint64_t>(options_.every, 1) != 0) continue;
      if (options_.fixtures > 1 && !IsInAFixture(refusal)) continue;
      if (name.find(options_.only) == std::string::npos || outcomes_.count(name) != 0) continue;
      if (std::difftime(std::time(nullptr), begin) > static_cast<double>(options_.seconds)) {
        done = false;
        break;
      }
      running_.push_back(std::make_unique<MutantRun>(material_, refusal, options_.ordeal));
      while (running_.size() >= std::max<uint64_t>(options_.jobs, 1)) Wait();
    }
    while (!running_.empty()) Wait();
    return done;
  }

 private:
  bool IsInAFixture(int refusal) const {
    return std::any_of(material_.known.begin(), material_.known.end(),
                       [&](const auto& known) { return known.refusal == refusal; });
  }

  void Wait() {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    for (auto it = running_.begin(); it != running_.end(); ++it) {
      if ((*it)->process() != ended) continue;
      const std::string name = NameOfRefusal((*it)->refusal());
      const Outcome outcome = (*it)->Finish(status);
      outcomes_[name] = outcome;
      state_ += ToLine(name, outcome);
      if (!options_.state.empty()) (void)WriteFile(options_.state, state_);
      if (options_.verbose != 0) std::printf("%s", ToLine(name, outcome).c_str());
      running_.erase(it);
      return;
    }
  }

  const MutationInputs& material_;
  const Options& options_;
  std::string state_;
  Outcomes outcomes_;
  std::vector<std::unique_ptr<MutantRun>> running_;
};

// The row of the table.
std::string Row(const std::string& name, const Outcome& outcome, const Preferences& preferences) {
  const size_t colon = name.find(": ");
  std::string seen = outcome.caught_by;
  if (!outcome.broken.empty()) {
    seen = "BROKEN: " + outcome.broken;
  } else if (seen.empty()) {
    const auto preference = preferences.find(name);
    seen = preference == preferences.end() ? "NOBODY" : "a preference: " + preference->second;
  }
  return format("| {} | {} | {} | {} | {} |\n", name.substr(0, colon), name.substr(colon + 2), seen,
                outcome.asked, outcome.opened);
}

std::string Table(const Outcomes& outcomes, const Preferences& preferences,
                  const Options& options) {
  std::string text = format(
      "# Disabled refusals\n\nThe check of a transformation refuses a message if applying the "
      "message would be wrong. The table has the\nreasons for which checks refuse messages. Each "
      "reason was disabled separately, and wrong messages were then\napplied. The column \"seen "
      "by\" has the tests of the result (oracles) that noticed this. If no oracle noticed it,\n"
      "the column explains why the reason is kept:\n\n"
      "- a preference, words: another check also refuses the message, but later or with a less "
      "clear reason;\n"
      "- a preference, idle: applying the message would change nothing;\n"
      "- a preference, choice: applying the message would be correct, but we prefer to refuse it;\n"
      "- a preference, rule: applying the message would break a rule that no oracle tests.\n\n"
      "`tests/fixtures/oracles.h` explains the names of the oracles. The last two columns are "
      "numbers of messages: those\nthat were tried until an oracle noticed, and those that are "
      "accepted only without the reason.\n`tests/measure/refusals.cpp` wrote this page with "
      "refract {}.\nEach reason was tested with at most {} messages, seed {}.\n\n"
      "| where | reason | seen by | after messages | accepted only without the reason |\n"
      "|---|---|---|---:|---:|\n",
      format("{} ({}, {})", ToolVersion(), ToolCommit(), ToolBuildType()), options.ordeal.count,
      options.ordeal.seed);
  for (const auto& [name, outcome] : outcomes) text += Row(name, outcome, preferences);
  return text;
}

// Faults in the outcomes or in preferences.txt, a sentence each.
std::vector<std::string> Complaints(const Outcomes& outcomes, const Preferences& preferences,
                                    const Options& options) {
  std::vector<std::string> complaints;
  std::map<std::string, int> all;
  for (size_t i = 0; i < AllRefusals().size(); ++i) all[NameOfRefusal(static_cast<int>(i))] = 1;
  for (const auto& [name, why] : preferences) {
    if (all.count(name) == 0) {
      complaints.push_back(name + ": preferences.txt explains it, but it no longer exists");
    }
    if (why.empty()) complaints.push_back(name + ": preferences.txt has no explanation");
  }
  for (const auto& [name, outcome] : outcomes) {
    const bool explained = preferences.count(name) != 0;
    if (!outcome.broken.empty()) {
      complaints.push_back(format("{}: with all refusals in place: {}", name, outcome.broken));
    } else if (explained && !outcome.caught_by.empty() &&
               (outcome.opened > 0 || !Fits(preferences.at(name), outcome))) {
      complaints.push_back(
          format("{}: preferences.txt explains it, but it is caught: {}", name, outcome.how));
    } else if (explained && !Fits(preferences.at(name), outcome)) {
      complaints.push_back(format(
          "{}: {} messages were accepted without it, {} of them changed nothing; preferences.txt: "
          "{}",
          name, outcome.opened, outcome.idle, preferences.at(name)));
    } else if (!explained && outcome.caught_by.empty() && options.least == 0) {
      complaints.push_back(
          format("{}: not caught; {} of {} messages were accepted without it, {} of them changed "
                 "nothing{}{}",
                 name, outcome.opened, outcome.refused, outcome.idle,
                 outcome.instead.empty() ? "" : "; others were refused: ", outcome.instead));
    }
  }
  return complaints;
}

bool Print(const Outcomes& outcomes, const Preferences& preferences, const Options& options) {
  std::map<std::string, uint64_t> by;
  uint64_t caught = 0;
  uint64_t explained = 0;
  for (const auto& [name, outcome] : outcomes) {
    if (outcome.caught_by.empty()) {
      explained += preferences.count(name);
      continue;
    }
    ++caught;
    for (const std::string& oracle : Split(outcome.caught_by, ',')) ++by[std::string(Trim(oracle))];
  }
  const std::vector<std::string> complaints = Complaints(outcomes, preferences, options);
  std::printf(
      "%zu refusals left out, one at a time: %llu caught, %llu mere preferences, %zu neither\n",
      outcomes.size(), static_cast<unsigned long long>(caught),
      static_cast<unsigned long long>(explained),
      outcomes.size() - static_cast<size_t>(caught + explained));
  for (const auto& [oracle, count] : by) {
    std::printf("- %s: %llu\n", oracle.c_str(), static_cast<unsigned long long>(count));
  }
  for (const std::string& complaint : complaints) std::printf("%s\n", complaint.c_str());
  if (caught < options.least) {
    std::printf("at least %llu must be caught\n", static_cast<unsigned long long>(options.least));
  }
  return complaints.empty() && caught >= options.least;
}

int Measure(const Options& options) {
  const Result<Preferences> preferences = ReadPreferences();
  Result<std::vector<Fixture>> fixtures = ReadFixtures(REFRACT_SOURCE_DIR "/tests/transform");
  if (fixtures && options.fixtures > 1) {
    const auto is_left_out = [&, i = uint64_t{0}](const Fixture&) mutable {
      return i++ % options.fixtures != 0;
    };
    fixtures->erase(std::remove_if(fixtures->begin(), fixtures->end(), is_left_out),
                    fixtures->end());
  }
  Result<MutationInputs> material = fixtures ? MakeMutationInputs(*fixtures) : fixtures.error();
  if (!preferences || !material) {
    std::fprintf(stderr, "%s\n",
                 (preferences ? material.error() : preferences.error()).message.c_str());
    return 3;
  }
  Run run(*material, options);
  const bool done = run.All();
  const bool good = Print(run.outcomes(), *preferences, options);
  if (!done) std::printf("the time limit was reached before all were left out\n");
  if (!options.table.empty()) {
    const Status written = WriteFile(options.table, Table(run.outcomes(), *preferences, options));
    if (!written) {
      std::fprintf(stderr, "%s\n", written.error().message.c_str());
      return 3;
    }
  }
  return good && done ? 0 : 1;
}

int Main(int argc, char** argv) {
  Options options;
  const std::pair<std::string_view, uint64_t*> numbers[] = {
      {"--count", &options.ordeal.count}, {"--seed", &options.ordeal.seed},
      {"--jobs", &options.jobs},          {"--seconds", &options.seconds},
      {"--least", &options.least},        {"--every", &options.every},
      {"--fixtures", &options.fixtures},  {"--verbose", &options.verbose}};
  const std::pair<std::string_view, std::string*> texts[] = {
      {"--only", &options.only}, {"--state", &options.state}, {"-o", &options.table}};
  for (int i = 1; i < argc; i += 2) {
    bool known = false;
    for (const auto& [name, number] : numbers) {
      known = known || (name == argv[i] && i + 1 < argc && ParseNumber(argv[i + 1], number));
    }
    for (const auto& [name, text] : texts) {
      if (name != argv[i] || i + 1 >= argc) continue;
      *text = argv[i + 1];
      known = true;
    }
    if (known) continue;
    std::fprintf(stderr, "refusals: unknown option %s; the options are listed in refusals.cpp\n",
                 argv[i]);
    return 2;
  }
  return Measure(options);
}

}  // namespace
}  // namespace refract::fixtures

int main(int argc, char** argv) {
  return refract::fixtures::Main(argc, argv);
}
