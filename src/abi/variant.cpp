// SPDX-License-Identifier: Apache-2.0
// Variants: fuzz, replay and reduce.
#include <algorithm>
#include <atomic>
#include <memory>

#include "abi/boundary.h"
#include "base/text.h"
#include "donate/donors.h"
#include "engine/fuzz.h"
#include "engine/replay.h"
#include "engine/validity.h"
#include "reduce/reduce.h"
#include "wire/recording_file.h"

using namespace refract;

namespace {

void SetInputs(const Inputs* inputs, refract_variant* variant) {
  variant->has_inputs = inputs != nullptr;
  if (inputs != nullptr) variant->inputs = WriteInputs(*inputs);
}

refract_status GiveVariant(std::vector<uint32_t> words, const Inputs* inputs,
                           const message::Recording& recording, size_t skipped,
                           refract_variant** variant) {
  auto made = std::make_unique<refract_variant>();
  made->words = std::move(words);
  made->recording = WriteRecording(recording);
  made->steps = recording.steps.size();
  made->skipped = skipped;
  SetInputs(inputs, made.get());
  *variant = made.release();
  return REFRACT_OK;
}

Result<message::Recording> ReadRecordingOf(const void* bytes, size_t size) {
  if (bytes == nullptr) return Error{"recording is null", ErrorKind::kUsage};
  return ReadRecording({static_cast<const char*>(bytes), size}, "recording");
}

Result<FuzzOptions> FuzzOptionsOf(const refract_fuzz_options& given) {
  constexpr uint32_t kFlags = REFRACT_FUZZ_ALL_PASSES | REFRACT_FUZZ_SELF_CHECK |
                              REFRACT_FUZZ_EXECUTION_FACTS | REFRACT_FUZZ_FLOAT_IDENTITIES |
                              REFRACT_FUZZ_UNVALIDATED;
  if ((given.flags & ~kFlags) != 0) return Error{"options: unknown flags", ErrorKind::kUsage};
  if ((given.pass_count != 0 && given.passes == nullptr) ||
      (given.donor_count != 0 && given.donors == nullptr)) {
    return Error{"options: a list is null, but its count is not 0", ErrorKind::kUsage};
  }
  FuzzOptions options;
  options.seed = given.seed;
  options.max_words = given.max_words;
  if (given.max_steps != 0) options.max_steps = given.max_steps;
  options.all_passes = (given.flags & REFRACT_FUZZ_ALL_PASSES) != 0;
  options.self_check = (given.flags & REFRACT_FUZZ_SELF_CHECK) != 0;
  options.execution_facts = (given.flags & REFRACT_FUZZ_EXECUTION_FACTS) != 0;
  options.float_identities = (given.flags & REFRACT_FUZZ_FLOAT_IDENTITIES) != 0;
  options.validate = (given.flags & REFRACT_FUZZ_UNVALIDATED) == 0;
  for (size_t i = 0; i < given.pass_count; ++i) {
    if (given.passes[i] == nullptr) return Error{"options: a pass is null", ErrorKind::kUsage};
    options.passes.emplace_back(given.passes[i]);
  }
  Donors donors;
  for (size_t i = 0; i < given.donor_count; ++i) {
    if (given.donors[i] == nullptr) return Error{"options: a donor is null", ErrorKind::kUsage};
    const Original& donor = given.donors[i]->original;
    AddDonors(donor.context.module, donor.file, &donors);
  }
  options.donors = std::move(donors.functions);
  return options;
}

// Calls the function of the user.
class CallbackTest : public InterestingnessTest {
 public:
  CallbackTest(refract_interesting test, void* user) : test_(test), user_(user) {}

  Result<bool> IsInteresting(const Candidate& candidate) override {
    const std::string inputs =
        candidate.inputs == nullptr ? std::string() : WriteInputs(*candidate.inputs);
    const refract_candidate given = {sizeof(refract_candidate), candidate.words.data(),
                                     candidate.words.size(),
                                     candidate.inputs == nullptr ? nullptr : inputs.c_str()};
    const int answer = test_(user_, &given);
    if (answer < 0) {
      stopped_ = true;
      return Error{"the interestingness test ended the reduction", ErrorKind::kUnavailable};
    }
    return answer > 0;
  }
  bool stopped() const { return stopped_; }

 private:
  const refract_interesting test_;
  void* const user_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

refract_status refract_fuzz(const refract_module* module, const refract_fuzz_options* options,
                            refract_variant** variant, char** message) {
  return Guarded(message, [&]() -> refract_status {
    if (variant != nullptr) *variant = nullptr;
    if (module == nullptr || variant == nullptr) return BadArgument("null argument", message);
    refract_fuzz_options given;
    if (!ReadStruct(options, &given)) return BadArgument("options: wrong struct_size", message);
    const Result<FuzzOptions> read = FuzzOptionsOf(given);
    if (!read) return Fail(read.error(), message);
    Result<FuzzResult> made = Fuzz(module->original, *read);
    if (!made) return Fail(made.error(), message);
    return GiveVariant(std::move(made->words), made->context.inputs.get(), made->recording, 0,
                       variant);
  });
}

refract_status refract_replay(const refract_module* module, const void* recording, size_t size,
                              const refract_replay_options* options, refract_variant** variant,
                              char** message) {
  return Guarded(message, [&]() -> refract_status {
    if (variant != nullptr) *variant = nullptr;
    if (module == nullptr || variant == nullptr) return BadArgument("null argument", message);
    refract_replay_options given;
    if (!ReadStruct(options, &given)) return BadArgument("options: wrong struct_size", message);
    if (given.step_count != 0 && given.steps == nullptr) {
      return BadArgument("options: steps is null, but step_count is not 0", message);
    }
    Result<message::Recording> read = ReadRecordingOf(recording, size);
    if (!read) return Fail(read.error(), message);
    ReplayOptions replay;
    if (given.first != 0) replay.first = given.first;
    replay.force = given.force != 0;
    replay.steps.assign(given.steps, given.steps + given.step_count);
    std::sort(replay.steps.begin(), replay.steps.end());
    Result<ReplayResult> made = Replay(module->original, *read, replay);
    if (!made) return Fail(made.error(), message);
    if (const auto fault = FindValidityError(made->context.module, made->words, module->original)) {
      return Fail(*fault, message);
    }
    // The recording of what was applied.
    std::erase_if(read->steps, [&](const message::Step& step) {
      return !std::binary_search(made->applied.begin(), made->applied.end(), step.number);
    });
    read->result_hash = HashOfWords(made->words);
    read->result_inputs_hash = HashOfInputs(made->context.inputs.get(), module->original);
    return GiveVariant(std::move(made->words), made->context.inputs.get(), *read,
                       made->skipped.size(), variant);
  });
}

refract_status refract_reduce(const refract_module* module, const void* recording, size_t size,
                              const refract_reduce_options* options, refract_interesting test,
                              void* user, refract_variant** variant, refract_reduction* reduction,
                              char** message) {
  return Guarded(message, [&]() -> refract_status {
    if (variant != nullptr) *variant = nullptr;
    if (module == nullptr || variant == nullptr || test == nullptr) {
      return BadArgument("null argument", message);
    }
    refract_reduce_options given;
    if (!ReadStruct(options, &given)) return BadArgument("options: wrong struct_size", message);
    Result<message::Recording> read = ReadRecordingOf(recording, size);
    if (!read) return Fail(read.error(), message);
    ReduceOptions reduce;
    reduce.jobs = std::max(given.jobs, 1u);
    reduce.shrink = given.no_shrink == 0;
    CallbackTest callback(test, user);
    Result<Reduction> made = Reduce(module->original, *read, reduce, callback);
    if (callback.stopped()) {
      if (message != nullptr) *message = NewText("the interestingness test ended the reduction");
      return REFRACT_STOPPED;
    }
    if (!made) return Fail(made.error(), message);
    if (made->end == Reduction::End::kNotInteresting) {
      if (message != nullptr) *message = NewText("the variant is not interesting");
      return REFRACT_NOT_INTERESTING;
    }
    refract_reduction numbers = {};
    numbers.tries = made->tries;
    numbers.instructions = made->instructions;
    numbers.steps = static_cast<uint32_t>(made->steps);
    numbers.minimal = made->minimal ? 1 : 0;
    numbers.original_interesting = made->original_interesting ? 1 : 0;
    if (reduction != nullptr && !WriteStruct(numbers, reduction)) {
      return BadArgument("reduction: wrong struct_size", message);
    }
    return GiveVariant(std::move(made->words), made->inputs.get(), made->recording, 0, variant);
  });
}

void refract_variant_free(refract_variant* variant) {
  delete variant;
}

const uint32_t* refract_variant_words(const refract_variant* variant, size_t* count) {
  if (count != nullptr) *count = variant == nullptr ? 0 : variant->words.size();
  return variant == nullptr ? nullptr : variant->words.data();
}

const void* refract_variant_recording(const refract_variant* variant, size_t* size) {
  if (size != nullptr) *size = variant == nullptr ? 0 : variant->recording.size();
  return variant == nullptr ? nullptr : variant->recording.data();
}

const char* refract_variant_inputs(const refract_variant* variant) {
  return variant == nullptr || !variant->has_inputs ? nullptr : variant->inputs.c_str();
}

size_t refract_variant_steps(const refract_variant* variant) {
  return variant == nullptr ? 0 : variant->steps;
}

size_t refract_variant_skipped(const refract_variant* variant) {
  return variant == nullptr ? 0 : variant->skipped;
}
