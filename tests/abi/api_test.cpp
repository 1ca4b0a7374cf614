// SPDX-License-Identifier: Apache-2.0
// Tests of the public library that include its headers alone: refract.hpp, the mutator, threads;
// and those of api_test.c.
//
//   api_test                            all tests
//   api_test ORIGINAL MUTATED           writes a module and a file that the mutator made of it
//   api_test COUNT SEED FILE.spv...     COUNT mutations of the modules, each of which must be valid
//   and
//                                       replay; prints numbers (docs/mutator.md)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "expect.h"
#include "modules.h"
#include "refract/refract.hpp"

int g_failures = 0;

namespace {

using Bytes = std::vector<uint8_t>;
constexpr size_t kMaxSize = 1 << 20;

Bytes BytesOf(std::span<const uint32_t> words) {
  Bytes bytes(words.size_bytes());
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

std::vector<uint32_t> WordsOf(const uint8_t* bytes, size_t size) {
  std::vector<uint32_t> words(size / 4);
  std::memcpy(words.data(), bytes, size);
  return words;
}

refract::Module Sum() {
  refract::ModuleOptions options;
  options.inputs = kSumInputs;
  refract::Result<refract::Module> module = refract::Module::Load(kSumModule, options);
  if (!module) std::abort();
  return std::move(*module);
}

void TestClasses() {
  const refract::Module module = Sum();
  EXPECT(module.entry() == "main" && module.environment() == "vulkan1.1");
  EXPECT(std::equal(module.words().begin(), module.words().end(), std::begin(kSumModule)));
  const auto bad = refract::Module::Load(module.words().subspan(1));
  EXPECT(!bad && bad.error().status == REFRACT_BAD_INPUT && !bad.error().message.empty());
  refract::FuzzOptions options;
  options.seed = 3;
  options.max_steps = 80;
  options.flags = REFRACT_FUZZ_ALL_PASSES;
  options.donors = {&module};
  const auto variant = refract::Fuzz(module, options);
  EXPECT(variant && variant->steps() > 10);
  EXPECT(!refract::FindInvalid(variant->words()));
  const auto again = refract::Replay(module, variant->recording());
  EXPECT(again && std::equal(again->words().begin(), again->words().end(), variant->words().begin(),
                             variant->words().end()));
  const auto longer = [&](const refract::Candidate& candidate) {
    return candidate.words.size() > module.words().size() + 20 && !candidate.inputs.empty();
  };
  const auto reduced = refract::Reduce(module, variant->recording(), longer, {.jobs = 2});
  EXPECT(reduced && reduced->numbers.minimal == 1);
  EXPECT(reduced->variant.steps() < variant->steps());
  std::string caught;
  try {
    static_cast<void>(refract::Reduce(
        module, variant->recording(),
        [](const refract::Candidate&) -> bool { throw std::runtime_error("of the test"); }));
  } catch (const std::runtime_error& error) {
    caught = error.what();
  }
  EXPECT(caught == "of the test");
  refract_run_options run_options = refract::RunOptions();
  run_options.zero_inputs = 1;
  const auto original = refract::Interpret(module, run_options);
  refract::ModuleOptions as_variant;
  as_variant.inputs = variant->inputs();
  const auto loaded = refract::Module::Load(variant->words(), as_variant);
  EXPECT(original && loaded);
  const auto run = refract::Interpret(*loaded, run_options);
  EXPECT(run && run->exact() && run->outputs().size() == 1);
  EXPECT(std::memcmp(run->outputs()[0].bytes, original->outputs()[0].bytes, 16) == 0);
  const Bytes image(4 * 9, 7);
  EXPECT(refract::CompareImages({image, 3, 3}, {image, 3, 3})->agree == 1);
  EXPECT(!refract::CompareImages({image, 3, 4}, {image, 3, 3}));
  EXPECT(refract::CheckFlow(module.words())->empty());
  EXPECT(!refract::DivergenceOf(module, 0));
  EXPECT(refract::Transformations().size() == refract_transformation_count());
}

// A mutated file must be a valid module, and a replay must make it of its original.
bool IsSound(const Bytes& file) {
  const auto parts = refract::MutatedParts(file);
  if (!parts) return false;
  if (refract_mutated_module_size(file.data(), file.size()) != parts->variant_size) return false;
  const std::vector<uint32_t> words = WordsOf(parts->variant, parts->variant_size);
  if (const auto invalid = refract::FindInvalid(words)) {
    std::fprintf(stderr, "invalid: %s\n", invalid->message.c_str());
    return false;
  }
  refract_module* loaded = nullptr;
  refract_variant* variant = nullptr;
  char* message = nullptr;
  bool same = false;
  refract_module_options given = {};
  given.struct_size = sizeof(given);
  given.entry = "main";
  if (refract_module_load(parts->original, parts->original_size, &given, &loaded, &message) ==
          REFRACT_OK &&
      refract_replay(loaded, parts->recording, parts->recording_size, nullptr, &variant,
                     &message) == REFRACT_OK) {
    size_t count = 0;
    const uint32_t* replayed = refract_variant_words(variant, &count);
    same = 4 * count == parts->variant_size &&
           std::memcmp(replayed, parts->variant, parts->variant_size) == 0;
  } else {
    std::fprintf(stderr, "replay: %s\n", message == nullptr ? "" : message);
  }
  refract_text_free(message);
  refract_variant_free(variant);
  refract_module_free(loaded);
  return same;
}

// Mutates a file of a corpus that grows, as fuzzers do; one mutation in 32 is large. Returns the
// corpus.
std::vector<Bytes> Grow(const std::vector<Bytes>& seeds, uint32_t seed, size_t count,
                        uint64_t* refused) {
  std::vector<Bytes> corpus = seeds;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t draw = (seed + static_cast<uint32_t>(i)) * 2654435761u;
    const Bytes& from = corpus[(draw >> 8) % corpus.size()];
    const Bytes& other = corpus[(draw >> 16) % corpus.size()];
    const uint32_t max_steps = (draw >> 4) % 32 == 0 ? 200 : 0;
    auto made = draw % 8 == 0 ? refract::Crossover(from, other, kMaxSize, draw, max_steps)
                              : refract::Mutate(from, kMaxSize, draw, max_steps);
    if (!made) {
      ++*refused;
      continue;
    }
    if (corpus.size() < 400) {
      corpus.push_back(std::move(*made));
    } else {
      corpus[seeds.size() + draw % (corpus.size() - seeds.size())] = std::move(*made);
    }
  }
  return corpus;
}

void TestMutator() {
  const std::vector<Bytes> seeds = {BytesOf(kSumModule), BytesOf(kDivideModule)};
  uint64_t refused = 0;
  const std::vector<Bytes> corpus = Grow(seeds, 1, 120, &refused);
  EXPECT(refused < 40 && corpus.size() > 80);
  size_t longest = 0;
  for (size_t i = seeds.size(); i < corpus.size(); i += 3) {
    EXPECT(IsSound(corpus[i]));
    longest = std::max(longest, corpus[i].size());
  }
  EXPECT(longest > 2 * seeds[0].size());
  // A module for which most passes propose nothing.
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    EXPECT(refract::Mutate(BytesOf(kEmptyModule), kMaxSize, seed));
  }
  // A thread that knows nothing makes the same: results do not depend on what was called before.
  const auto known = refract::Mutate(corpus.back(), kMaxSize, 77);
  std::optional<Bytes> unknown;
  std::thread([&] { unknown = refract::Mutate(corpus.back(), kMaxSize, 77); }).join();
  EXPECT(known && known == unknown);
}

// The number of steps in a sound file.
size_t StepsOf(const Bytes& file) {
  EXPECT(IsSound(file));
  const auto parts = refract::MutatedParts(file);
  refract::ModuleOptions options;
  options.entry = "main";
  const auto module =
      refract::Module::Load(WordsOf(parts->original, parts->original_size), options);
  const auto variant = refract::Replay(
      *module, {reinterpret_cast<const char*>(parts->recording), parts->recording_size});
  return variant->steps();
}

// The caller chooses the most steps of a mutation.
void TestMutatorSteps() {
  const Bytes module = BytesOf(kSumModule);
  size_t most = 0, most_by_default = 0, most_crossed = 0;
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    if (const auto file = refract::Mutate(module, kMaxSize, seed, 150)) {
      most = std::max(most, StepsOf(*file));
    }
    if (const auto file = refract::Mutate(module, kMaxSize, seed)) {
      most_by_default = std::max(most_by_default, StepsOf(*file));
    }
    if (const auto file = refract::Crossover(module, module, kMaxSize, seed, 150)) {
      most_crossed = std::max(most_crossed, StepsOf(*file));
    }
  }
  EXPECT(most > 40 && most <= 150 && most_crossed > 40 && most_crossed <= 150);
  EXPECT(most_by_default >= 2 && most_by_default <= 3);
}

// A mutation keeps the steps with which the file is not too large.
void TestMutatorSizes() {
  const Bytes module = BytesOf(kSumModule);
  for (const size_t max_size : {kMaxSize, size_t{6000}}) {
    for (uint32_t seed = 1; seed <= 16; ++seed) {
      const auto file = refract::Mutate(module, max_size, seed, 1000);
      EXPECT(file && file->size() <= max_size && IsSound(*file));
      EXPECT(file && refract::MutatedParts(*file)->variant_size <= 16 * module.size());
    }
  }
}

// A file has at most 500 steps, however many the caller asks for. Then it begins again.
void TestMutatorStepsOfFile() {
  constexpr size_t kMost = 500;
  Bytes file = BytesOf(kSumModule);
  for (uint32_t seed = 1; seed <= 40; ++seed) file = refract::Mutate(file, kMaxSize, seed).value();
  // As a module, which may grow more.
  file.resize(refract_mutated_module_size(file.data(), file.size()));
  size_t before = 0, full = 0;
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    file = refract::Mutate(file, kMaxSize, seed, seed % 2 == 0 ? 0 : 300).value();
    const size_t steps = StepsOf(file);
    EXPECT(steps <= kMost && (before == kMost ? steps <= 300 : steps > before));
    full += steps == kMost;
    before = steps;
  }
  EXPECT(full > 0);
}

// Of several entry points, the first one is under test.
void TestMutatorEntries() {
  std::vector<uint32_t> words = WordsOf(BytesOf(kSumModule).data(), BytesOf(kSumModule).size());
  size_t at = 5;
  while (at < words.size() && (words[at] & 0xffff) != 15) at += words[at] >> 16;  // OpEntryPoint
  EXPECT(at + 3 < words.size() && words[at + 3] == 0x6e69616d);                   // "main"
  std::vector<uint32_t> other(words.begin() + at, words.begin() + at + (words[at] >> 16));
  other[3] = 0x6e69617a;  // "zain"
  words.insert(words.begin() + at + other.size(), other.begin(), other.end());
  Bytes two(4 * words.size());
  std::memcpy(two.data(), words.data(), two.size());
  const auto file = refract::Mutate(two, kMaxSize, 1);
  EXPECT(file && IsSound(*file));
}

void TestMutatorErrors() {
  const Bytes module = BytesOf(kSumModule);
  // A module has no trailer; all of it is the module.
  EXPECT(refract_mutated_module_size(module.data(), module.size()) == module.size());
  EXPECT(!refract::MutatedParts(module));
  const Bytes text = {'n', 'o', ' ', 'm', 'o', 'd', 'u', 'l', 'e', '\n', 0, 0};
  EXPECT(!refract::Mutate(text, kMaxSize, 1) && !refract::Mutate({}, kMaxSize, 1));
  EXPECT(!refract::Crossover(module, text, kMaxSize, 1));
  EXPECT(!refract::Mutate(module, module.size() + 100, 1));  // no space for the trailer
  EXPECT(refract_mutate(nullptr, 0, 10, 1) == 0);
  EXPECT(refract_crossover(nullptr, 0, nullptr, 0, nullptr, 0, 1) == 0);
  const auto file = refract::Mutate(module, kMaxSize, 1);
  EXPECT(file && IsSound(*file));
  for (const size_t at : {size_t{30}, file->size() / 2, file->size() - 40, file->size() - 10}) {
    Bytes damaged = *file;
    damaged[at] ^= 0x10;
    const auto parts = refract::MutatedParts(damaged);
    EXPECT(!parts && parts.error().status == REFRACT_BAD_INPUT);
    // What is made of it is sound, or there is nothing.
    const auto next = refract::Mutate(damaged, kMaxSize, 1);
    EXPECT(!next || IsSound(*next));
  }
  for (size_t size = 0; size < file->size(); size += 97) {
    EXPECT(!refract::MutatedParts({file->data(), size}));
  }
}

// What each kind of function makes of one module, as text.
std::string Everything(const refract::Module& module) {
  refract::FuzzOptions options;
  options.seed = 11;
  options.max_steps = 40;
  options.donors = {&module};
  const auto variant = refract::Fuzz(module, options);
  refract_run_options run = refract::RunOptions();
  run.zero_inputs = 1;
  const auto ran = refract::Interpret(module, run);
  if (!variant || !ran || !ran->exact()) return "";
  const auto again = refract::Replay(module, variant->recording());
  const auto reduced = refract::Reduce(
      module, variant->recording(),
      [&](const refract::Candidate& one) { return one.words.size() > module.words().size() + 20; },
      {.jobs = 2});
  if (!again || !reduced) return "";
  std::string all(variant->recording());
  all += std::string(again->recording()) + std::string(reduced->variant.recording());
  all.append(reinterpret_cast<const char*>(ran->outputs()[0].bytes), ran->outputs()[0].size);
  const Bytes binary = BytesOf(module.words());
  for (const auto& file : {refract::Mutate(binary, kMaxSize, 5, 40),
                           refract::Crossover(binary, binary, kMaxSize, 5, 40)}) {
    if (file) all.append(file->begin(), file->end());
  }
  const auto divergence = refract::DivergenceOf(module, 5);
  const auto invalid = refract::Module::Load(module.words().subspan(1));
  all += refract::CheckFlow(variant->words())->empty() ? "sound" : "unsound";
  all += std::to_string(divergence ? *divergence : -1) + invalid.error().message;
  all += refract::FindInvalid(variant->words()) ? "invalid" : "valid";
  return all;
}

// Several threads share one module, call all kinds of functions and free what these made.
void TestThreads() {
  const refract::Module module = Sum();
  std::vector<std::string> results(4);
  std::vector<std::thread> threads;
  for (std::string& result : results) {
    threads.emplace_back([&module, &result] { result = Everything(module); });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string expected = Everything(module);
  EXPECT(!expected.empty());
  for (const std::string& result : results) EXPECT(result == expected);
}

void Write(const char* path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

// The mode that counts.
int CountMutations(int argc, char** argv) {
  const auto count = static_cast<size_t>(std::strtoull(argv[1], nullptr, 10));
  const auto seed = static_cast<uint32_t>(std::strtoul(argv[2], nullptr, 10));
  std::vector<Bytes> seeds;
  for (int i = 3; i < argc; ++i) {
    std::ifstream stream(argv[i], std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  constexpr size_t kPart = 2000;
  uint64_t refused = 0, unsound = 0, checked = 0;
  double seconds = 0;
  for (size_t done = 0; done < count; done += kPart) {
    const std::clock_t begin = std::clock();
    const std::vector<Bytes> corpus =
        Grow(seeds, seed + static_cast<uint32_t>(done), std::min(kPart, count - done), &refused);
    seconds += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    for (size_t i = seeds.size(); i < corpus.size(); ++i) {
      ++checked;
      if (IsSound(corpus[i])) continue;
      ++unsound;
      Write(("unsound." + std::to_string(unsound)).c_str(), corpus[i]);
    }
  }
  std::printf(
      "%zu mutations, %llu refused, %.0f a second of processor time; %llu files checked, %llu "
      "unsound\n",
      count, static_cast<unsigned long long>(refused), static_cast<double>(count) / seconds,
      static_cast<unsigned long long>(checked), static_cast<unsigned long long>(unsound));
  return unsound == 0 ? 0 : 1;
}

bool HasPhi(const Bytes& file) {
  const auto parts = refract::MutatedParts(file);
  if (!parts) return false;
  const std::vector<uint32_t> words = WordsOf(parts->variant, parts->variant_size);
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    if ((words[at] & 0xffff) == 245) return true;
  }
  return false;
}

// Writes the first mutated file with an OpPhi, which the original does not have.
int WriteMutated(char** argv) {
  const Bytes original = BytesOf(kSumModule);
  Bytes file = original;
  for (uint32_t seed = 1; seed < 1000 && !HasPhi(file); ++seed) {
    if (auto next = refract::Mutate(file, kMaxSize, seed)) file = std::move(*next);
  }
  Write(argv[1], original);
  Write(argv[2], file);
  return HasPhi(file) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3) return WriteMutated(argv);
  if (argc > 3) return CountMutations(argc, argv);
  TestCInterface();
  TestClasses();
  TestMutator();
  TestMutatorSteps();
  TestMutatorSizes();
  TestMutatorStepsOfFile();
  TestMutatorEntries();
  TestMutatorErrors();
  TestThreads();
  if (g_failures == 0) std::puts("all tests of the library pass");
  return g_failures == 0 ? 0 : 1;
}
