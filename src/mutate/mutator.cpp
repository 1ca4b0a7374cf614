// SPDX-License-Identifier: Apache-2.0
#include "mutate/mutator.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/text.h"
#include "base/version.h"
#include "donate/donors.h"
#include "engine/apply_step.h"
#include "engine/collector.h"
#include "engine/replay.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "mutate/mutated_file.h"
#include "transform/registry.h"
#include "wire/recording_file.h"

namespace refract {
inline namespace mutate {
namespace {

constexpr size_t kMaxPasses = 24;         // that are run to find all steps
constexpr size_t kMaxFirstPasses = 1000;  // that are run to find one step, if not of a donor
constexpr size_t kMaxGrowth = 16;         // of the number of words
constexpr const char* kName = "mutated";  // what errors call the module

std::vector<uint32_t> WordsOf(std::string_view bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  if (bytes.size() % 4 != 0) return {};
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

uint64_t KeyOf(std::string_view words, const OriginalOptions& options) {
  uint64_t key = Hash64(words, Hash64(options.entry, options.latest_shapes ? 2 : 1));
  if (options.environment) key = Mix(key, static_cast<uint64_t>(*options.environment));
  for (const std::string& name : NamesOf(options.validation)) key = Hash64(name, key);
  return key;
}

message::Recording EmptyRecording(const Original& original) {
  message::Recording recording;
  recording.tool = ToolVersion();
  recording.module_hash = original.module_hash;
  recording.entry = original.context.entry;
  recording.width = original.width;
  recording.height = original.height;
  recording.target_env = std::string(NameOf(original.environment));
  recording.validator_options = NamesOf(original.validation);
  recording.limits.max_steps = kMaxMutatedSteps;
  recording.limits.max_words = kMaxGrowth * original.words.size();
  recording.limits.growth = kMaxGrowth;
  recording.limits.latest_shapes = original.context.latest_shapes;
  return recording;
}

// Draws a fuzzer pass. With donors, one that takes code of donors.
const RegistryEntry& DrawPass(bool with_donors, Random& random) {
  for (;;) {
    const size_t index = random.Below(Registry().size());
    const DonorUse use = Registry()[index].rule->tuning.donors;
    if (!IsOptIn(index) && (with_donors ? use != DonorUse::kNone : use != DonorUse::kRequired)) {
      return Registry()[index];
    }
  }
}

// Draws a number of steps from 1 to `most`. Each length in binary digits is equally likely.
size_t DrawSteps(size_t most, Random& random) {
  const size_t low = size_t{1} << random.Below(std::bit_width(most));
  return random.Between(low, std::min(2 * low - 1, most));
}

}  // namespace

Mutator::SubjectPointer Mutator::Find(uint64_t key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  recent_.splice(recent_.begin(), recent_, found->second);
  return found->second->second;
}

void Mutator::Remember(uint64_t key, SubjectPointer subject) {
  if (capacity_ == 0 || Find(key) != nullptr) return;
  kept_words_ += subject->context.module.word_count();
  recent_.emplace_front(key, std::move(subject));
  by_key_[key] = recent_.begin();
  while (kept_words_ > capacity_ && recent_.size() > 1) {
    kept_words_ -= recent_.back().second->context.module.word_count();
    by_key_.erase(recent_.back().first);
    recent_.pop_back();
  }
}

// A subject without steps; null for an invalid module.
Mutator::SubjectPointer Mutator::MakeSubject(std::string_view words, OriginalOptions options) {
  options.validation.seconds = 0;
  Result<Original> original = MakeOriginal(WordsOf(words), kName, nullptr, options);
  if (!original) return nullptr;
  auto subject = std::make_shared<Subject>();
  subject->original = std::make_shared<const Original>(std::move(*original));
  subject->context = subject->original->context;
  subject->recording = EmptyRecording(*subject->original);
  // With all options, as recordings have them: files that are made of this module find it.
  if (capacity_ > 0) Remember(KeyOf(words, OptionsOf(*subject->original)), subject);
  return subject;
}

// The same for an original with the options of a recording.
Mutator::SubjectPointer Mutator::OriginalOf(std::string_view words,
                                            const OriginalOptions& options) {
  if (capacity_ == 0) return MakeSubject(words, options);
  const uint64_t key = KeyOf(words, options);
  SubjectPointer subject = Find(key);
  if (subject == nullptr) {
    subject = MakeSubject(words, options);
    if (subject != nullptr) Remember(key, subject);
  }
  return subject;
}

// Replays the recording of a mutated file; null if the result is not the variant in the file.
Mutator::SubjectPointer Mutator::ReplayFile(std::string_view bytes) {
  const std::optional<MutatedFile> file = SplitMutated(bytes);
  if (!file) return nullptr;
  Result<message::Recording> recording = ReadRecording(file->recording, kName);
  if (!recording) return nullptr;
  const Result<OriginalOptions> options = OriginalOptionsOf(*recording);
  if (!options) return nullptr;
  const SubjectPointer original = OriginalOf(file->original, *options);
  if (original == nullptr) return nullptr;
  Result<ReplayResult> replayed = Replay(*original->original, *recording, {});
  if (!replayed || BytesOf(replayed->words) != file->variant) return nullptr;
  auto subject = std::make_shared<Subject>();
  subject->original = original->original;
  subject->context = std::move(replayed->context);
  subject->declarations = Declarations(recording->declarations);
  subject->recording = std::move(*recording);
  return subject;
}

Mutator::SubjectPointer Mutator::SubjectOf(std::string_view bytes) {
  const uint64_t key = capacity_ == 0 ? 0 : Hash64(bytes);
  if (SubjectPointer known = Find(key)) return known;
  SubjectPointer subject = ReplayFile(bytes);
  if (subject == nullptr) {
    // Without inputs, it does not matter which entry point is under test.
    OriginalOptions options;
    options.any_entry = true;
    subject = MakeSubject(bytes.substr(0, MutatedModuleSize(bytes)), std::move(options));
  }
  if (subject != nullptr) Remember(key, subject);
  return subject;
}

// Adds a step, unless its check fails. Returns whether it did.
bool Mutator::AddStep(const AnyMessage& message, Subject* subject) {
  std::vector<message::Step>& steps = subject->recording.steps;
  const uint32_t number = steps.empty() ? 1 : steps.back().number + 1;
  StepOutcome outcome = ApplyStep(subject->context, number, message);
  if (!outcome.check_result) return false;
  subject->declarations.Note(subject->context.module, message);
  steps.push_back({number, message, std::move(outcome.needs)});
  return true;
}

// The subject as a file. `seed` made its last steps.
std::string Mutator::WriteFile(uint64_t seed, Subject* subject) {
  const Original& original = *subject->original;
  const std::vector<uint32_t> variant = WriteModule(subject->context.module);
  message::Recording& recording = subject->recording;
  recording.seed = seed;
  recording.result_hash = HashOfWords(variant);
  // Steps may add inputs, although the original has none.
  recording.result_inputs_hash = HashOfInputs(subject->context.inputs.get(), original);
  recording.ids = MadeIds(subject->context.module);
  recording.declarations = subject->declarations.List();
  return JoinMutated({BytesOf(variant), BytesOf(original.words), WriteRecording(recording)});
}

// Adds steps to a copy of the subject. Null if none fits into `max_bytes` and the growth.
std::optional<std::string> Mutator::ExtendSubject(const Subject& from,
                                                  const std::vector<AnyMessage>& donors,
                                                  size_t max_bytes, uint64_t seed,
                                                  uint32_t max_steps) {
  const auto copy = [&from] {
    auto subject = std::make_shared<Subject>(from);
    subject->donated.reset();
    return subject;
  };
  std::shared_ptr<Subject> next = copy();
  const size_t before = from.recording.steps.size();
  const size_t original_words = from.original->words.size();
  const size_t max_words = std::min(kMaxGrowth * original_words,
                                    max_bytes / 4 - std::min(max_bytes / 4, original_words));
  Random random(seed);
  const size_t wanted = std::min(DrawSteps(max_steps, random), kMaxMutatedSteps - before);
  size_t fitting = 0;  // of the new steps
  bool full = false;
  CheckNote note("");
  const auto may_run = [&](size_t pass) {
    return pass < (fitting == 0 && donors.empty() ? kMaxFirstPasses : kMaxPasses + wanted);
  };
  for (size_t pass = 0; may_run(pass) && fitting < wanted && !full; ++pass) {
    const RegistryEntry& entry = DrawPass(!donors.empty() && fitting == 0, random);
    note.Set(
        format("mutator, seed {}, pass {}, after {} steps", seed, entry.name, before + fitting));
    const Tuning::Range& range = entry.rule->tuning.chance;
    const auto chance = static_cast<uint32_t>(random.Between(range.low, range.high));
    Collector collector(View(next->context), random, chance,
                        std::numeric_limits<double>::infinity(), donors);
    entry.rule->propose(collector);
    for (const AnyMessage& message : collector.Take(wanted - fitting)) {
      if (!AddStep(message, next.get())) continue;
      full = next->context.module.word_count() > max_words;
      if (full) break;
      ++fitting;
    }
  }
  // If the result is too large, the steps are applied again without those that do not fit: without
  // the last one if the module is too large, and without the last half if its recording is.
  const std::vector<message::Step> steps(next->recording.steps.begin() + before,
                                         next->recording.steps.end());
  for (; fitting > 0; fitting /= 2) {
    if (next->recording.steps.size() > before + fitting) {
      next = copy();
      for (size_t i = 0; i < fitting; ++i) AddStep(steps[i].transformation, next.get());
    }
    std::string file = WriteFile(seed, next.get());
    if (file.size() > max_bytes) continue;
    if (capacity_ > 0) Remember(Hash64(file), next);
    return file;
  }
  return std::nullopt;
}

std::optional<std::string> Mutator::Extend(std::string_view bytes,
                                           const std::vector<AnyMessage>& donors, size_t max_bytes,
                                           uint64_t seed, uint32_t max_steps) {
  max_steps = max_steps == 0 ? kDefaultMaxSteps : std::min(max_steps, kMaxMutatedSteps);
  const SubjectPointer subject = SubjectOf(bytes);
  if (subject == nullptr) return std::nullopt;
  if (subject->recording.steps.size() < kMaxMutatedSteps) {
    if (auto file = ExtendSubject(*subject, donors, max_bytes, seed, max_steps)) return file;
    if (subject->recording.steps.empty()) return std::nullopt;
  }
  // The file is full: begin again with its original.
  const Original& original = *subject->original;
  const SubjectPointer begin = OriginalOf(BytesOf(original.words), OptionsOf(original));
  return begin == nullptr ? std::nullopt
                          : ExtendSubject(*begin, donors, max_bytes, seed, max_steps);
}

std::optional<std::string> Mutator::Mutate(std::string_view bytes, size_t max_bytes, uint64_t seed,
                                           uint32_t max_steps) {
  return Extend(bytes, {}, max_bytes, seed, max_steps);
}

std::optional<std::string> Mutator::Crossover(std::string_view bytes, std::string_view other,
                                              size_t max_bytes, uint64_t seed, uint32_t max_steps) {
  const SubjectPointer donor = SubjectOf(other);
  if (donor == nullptr) return std::nullopt;
  if (!donor->donated) {
    Donors donors;
    AddDonors(donor->context.module, kName, &donors);
    donor->donated = std::move(donors.functions);
  }
  if (donor->donated->empty()) return std::nullopt;
  return Extend(bytes, *donor->donated, max_bytes, seed, max_steps);
}

}  // namespace mutate
}  // namespace refract
