// SPDX-License-Identifier: Apache-2.0
#include "fuzz/cases.h"

#include <cstring>

#include "base/text.h"
#include "engine/fuzz.h"
#include "engine/replay.h"
#include "fuzz/mutate.h"
#include "glsl/load.h"
#include "ir/binary.h"
#include "wire/recording_file.h"
#include "wire/text.h"

namespace refract::fuzz {
namespace {

// Recordings long enough that steps depend on each other, short enough to be replayed often.
constexpr uint32_t kSteps = 60;
// Steps of fuzzing on a changed module, to see whether it is as good as it seems.
constexpr uint32_t kStepsAfter = 12;
constexpr size_t kHeadBytes = 18;  // of a recording: magic and checksum

std::string Bytes(const std::vector<uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * 4};
}

std::vector<uint32_t> Words(const std::string& bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

Outcome Fault(std::string what) {
  return {false, std::move(what)};
}

/// An error that a user can act on: it names the file and is about the input.
Outcome Refused(const Error& error, const std::string& file) {
  if (error.kind != ErrorKind::kBadInput && error.kind != ErrorKind::kUsage) {
    return Fault("an error that is not about the input: " + error.message);
  }
  if (!error.message.starts_with(file + ":") || error.message.size() < file.size() + 4) {
    return Fault("an error without file and place: " + error.message);
  }
  return {};
}

}  // namespace

std::string_view NameOf(Kind kind) {
  static constexpr std::string_view kNames[kKinds] = {"binary",    "assembly",       "inputs",
                                                      "recording", "recording text", "shader"};
  return kNames[static_cast<size_t>(kind)];
}

Result<Cases> Cases::Load(const std::string& source_folder) {
  Cases cases;
  Result<std::vector<TestModule>> odd = OddModules(source_folder);
  if (!odd) return odd.error();
  Result<std::vector<TestModule>> references = References(source_folder);
  if (!references) return references.error();
  std::vector<TestModule> modules = std::move(*odd);
  modules.insert(modules.end(), references->begin(), references->end());
  for (TestModule& module : modules) {
    Result<std::vector<Original>> originals = Originals(module);
    if (!originals) return originals.error();
    Result<std::string> assembly = Disassemble(module.words, {.header = true});
    if (!assembly) return assembly.error();
    Subject subject;
    if (module.inputs) subject.inputs = WriteInputs(*module.inputs);
    subject.original = std::move(originals->front());
    subject.assembly = std::move(*assembly);
    subject.module = std::move(module);
    cases.subjects_.push_back(std::move(subject));
  }
  return cases;
}

size_t Cases::AnySubject(Random& random, bool with_inputs) const {
  for (;;) {
    const size_t index = random.Below(subjects_.size());
    if (!with_inputs || !subjects_[index].inputs.empty()) return index;
  }
}

const Cases::Subject& Cases::WithRecording(size_t index) {
  Subject& subject = subjects_[index];
  if (!subject.recording.empty()) return subject;
  FuzzOptions options;
  options.seed = index;
  options.max_steps = kSteps;
  options.all_passes = true;
  const Result<FuzzResult> fuzzed = Fuzz(subject.original, options);
  if (!fuzzed) return subject;
  subject.recording = WriteRecording(fuzzed->recording).substr(kHeadBytes);
  subject.recording_text = ToText(fuzzed->recording);
  return subject;
}

Case Cases::Make(uint64_t seed, uint64_t index, std::optional<Kind> only) {
  Random random(Mix(Mix(0, seed), index));
  Case one;
  static constexpr Kind kShares[] = {Kind::kBinary,    Kind::kBinary,        Kind::kBinary,
                                     Kind::kAssembly,  Kind::kInputs,        Kind::kRecording,
                                     Kind::kRecording, Kind::kRecordingText, Kind::kRecordingText,
                                     Kind::kShader};
  one.kind = kShares[random.Below(std::size(kShares))];
  if (only) one.kind = *only;
  one.subject = AnySubject(random, one.kind == Kind::kInputs);
  const size_t other = AnySubject(random, one.kind == Kind::kInputs);
  const Subject& from = subjects_[other];
  const Subject& subject = subjects_[one.subject];
  switch (one.kind) {
    case Kind::kBinary:
      one.bytes = random.Percent(80)
                      ? Bytes(DamageModule(subject.module.words, from.module.words, random))
                      : DamageBytes(Bytes(subject.module.words), Bytes(from.module.words), random);
      break;
    case Kind::kAssembly:
      one.bytes = DamageText(subject.assembly, from.assembly, random);
      break;
    case Kind::kInputs:
      one.bytes = random.Percent(70) ? DamageText(subject.inputs, from.inputs, random)
                                     : DamageBytes(subject.inputs, from.inputs, random);
      break;
    case Kind::kRecording: {
      const std::string encoded = WithRecording(one.subject).recording;
      const std::string damaged = DamageBytes(encoded, WithRecording(other).recording, random);
      one.bytes = random.Percent(90) ? SealRecording(damaged) : damaged;
      break;
    }
    case Kind::kRecordingText: {
      const std::string text = WithRecording(one.subject).recording_text;
      one.bytes = DamageText(text, WithRecording(other).recording_text, random);
      break;
    }
    case Kind::kShader:
      one.bytes = Bytes(ValidModule(subject, random));
      break;
  }
  return one;
}

Outcome Cases::Run(const Case& one) const {
  const Subject& subject = subjects_[one.subject];
  switch (one.kind) {
    case Kind::kBinary:
      return RunModule("damaged.spv", one.bytes);
    case Kind::kAssembly:
      return RunModule("damaged.spvasm", one.bytes);
    case Kind::kInputs:
      return RunInputs(subject, one.bytes);
    case Kind::kRecording:
    case Kind::kRecordingText:
      return RunRecording(subject, "damaged.refract", one.bytes);
    case Kind::kShader:
      return RunShader(subject, one.bytes);
  }
  return Fault("no such kind");
}

Outcome Cases::RunModule(const std::string& name, const std::string& bytes) const {
  // The reader by itself must also survive what the loader refuses.
  std::vector<uint32_t> words = Words(bytes);
  const Result<LoadedModule> loaded = LoadModuleBytes(name, bytes);
  if (loaded) words = loaded->words;
  const Result<Module> module = ReadModule(words, name);
  if (!module) {
    const Outcome outcome = Refused(module.error(), name);
    if (outcome.fault) return outcome;
  } else {
    static_cast<void>(WriteModule(*module));
  }
  if (!loaded) return Refused(loaded.error(), name);
  const Result<Original> original = MakeOriginal(words, name, nullptr, {});
  if (!original) return Refused(original.error(), name);
  if (!module) return Fault("an original that cannot be read");
  if (const auto invalid = FindInvalid(words, original->environment, {})) {
    return Fault("an invalid module was accepted: " + invalid->message);
  }
  if (WriteModule(*module) != words) return Fault("a valid module changed when it was written");
  FuzzOptions options;
  options.seed = words.size();
  options.max_steps = kStepsAfter;
  options.all_passes = true;
  const Result<FuzzResult> fuzzed = Fuzz(*original, options);
  if (!fuzzed) return Fault(fuzzed.error().message);
  return {true, std::nullopt};
}

Outcome Cases::RunInputs(const Subject& subject, const std::string& text) const {
  const Result<Inputs> inputs = ParseInputs("damaged.json", text);
  if (!inputs) return Refused(inputs.error(), "damaged.json");
  const Result<Inputs> again = ParseInputs("again.json", WriteInputs(*inputs));
  if (!again) return Fault("written inputs cannot be read: " + again.error().message);
  if (!(*again == *inputs)) return Fault("inputs change when they are written");
  const Result<Original> original = MakeOriginal(subject.module.words, subject.module.name,
                                                 std::make_shared<const Inputs>(*inputs), {});
  if (original) return {true, std::nullopt};
  return original.error().message.empty() ? Fault("an empty error") : Outcome{};
}

Outcome Cases::RunRecording(const Subject& subject, const std::string& name,
                            const std::string& bytes) const {
  const Result<message::Recording> recording = ReadRecording(bytes, name);
  if (!recording) return Refused(recording.error(), name);
  static_cast<void>(OriginalOptionsOf(*recording));
  static_cast<void>(ToJson(*recording));
  const Result<message::Recording> again = ReadRecording(WriteRecording(*recording), "again");
  if (!again) return Fault("a written recording cannot be read: " + again.error().message);
  ReplayOptions options;
  options.force = true;
  const Result<ReplayResult> replayed = Replay(subject.original, *recording, options);
  if (!replayed) return Fault("replay with force: " + replayed.error().message);
  if (const auto invalid =
          FindInvalid(replayed->words, subject.original.environment, subject.original.validation)) {
    return Fault("replay gives an invalid module: " + invalid->message);
  }
  return {true, std::nullopt};
}

}  // namespace refract::fuzz
