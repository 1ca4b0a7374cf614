// SPDX-License-Identifier: Apache-2.0
// The C++20 interface of Refract's library: classes that own what refract.h returns, and values in
// place of pointers. Header-only. refract.h says what each function does, its units and its errors;
// docs/library.md has examples. Nothing throws, except std::bad_alloc of the standard library and
// what the caller's interestingness test throws (Reduce passes it on).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "refract/refract.h"

namespace refract {
inline namespace v1 {

struct Error {
  refract_status status = REFRACT_OK;
  std::string message;
};

/// A value or an Error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

namespace detail {

/// Takes the text of an error.
inline Error TakeError(refract_status status, char* message) {
  Error error{status, message == nullptr ? "" : message};
  refract_text_free(message);
  return error;
}

/// A struct of refract.h with all defaults.
template <class Struct>
Struct Defaults() {
  Struct made = {};
  made.struct_size = sizeof(Struct);
  return made;
}

inline const char* OrNull(const std::string& text) {
  return text.empty() ? nullptr : text.c_str();
}

template <auto free>
struct Free {
  template <class T>
  void operator()(T* object) const {
    free(object);
  }
};

}  // namespace detail

/// As refract_module_options; empty texts are defaults.
struct ModuleOptions {
  std::string name, inputs, entry, environment;
  bool latest_shapes = false;
  uint32_t validator_seconds = 0;
};

/// A valid module with its inputs.
class Module {
 public:
  static Result<Module> Load(std::span<const uint32_t> words, const ModuleOptions& options = {}) {
    auto given = detail::Defaults<refract_module_options>();
    given.name = detail::OrNull(options.name);
    given.inputs = detail::OrNull(options.inputs);
    given.entry = detail::OrNull(options.entry);
    given.environment = detail::OrNull(options.environment);
    given.latest_shapes = options.latest_shapes ? 1 : 0;
    given.validator_seconds = options.validator_seconds;
    refract_module* module = nullptr;
    char* message = nullptr;
    const refract_status status =
        refract_module_load(words.data(), words.size_bytes(), &given, &module, &message);
    if (status != REFRACT_OK) return detail::TakeError(status, message);
    return Module(module);
  }

  std::span<const uint32_t> words() const {
    size_t count = 0;
    const uint32_t* words = refract_module_words(get(), &count);
    return {words, count};
  }
  std::string entry() const { return refract_module_entry(get()); }
  std::string environment() const { return refract_module_environment(get()); }
  const refract_module* get() const { return module_.get(); }

 private:
  explicit Module(refract_module* module) : module_(module) {}
  std::unique_ptr<refract_module, detail::Free<refract_module_free>> module_;
};

/// A variant with its recording.
class Variant {
 public:
  explicit Variant(refract_variant* variant) : variant_(variant) {}
  std::span<const uint32_t> words() const {
    size_t count = 0;
    const uint32_t* words = refract_variant_words(get(), &count);
    return {words, count};
  }
  /// The bytes of a .refract file.
  std::string_view recording() const {
    size_t size = 0;
    const void* bytes = refract_variant_recording(get(), &size);
    return {static_cast<const char*>(bytes), size};
  }
  /// The text of shader.json; empty without inputs.
  std::string inputs() const {
    const char* inputs = refract_variant_inputs(get());
    return inputs == nullptr ? "" : inputs;
  }
  size_t steps() const { return refract_variant_steps(get()); }
  size_t skipped() const { return refract_variant_skipped(get()); }
  const refract_variant* get() const { return variant_.get(); }

 private:
  std::unique_ptr<refract_variant, detail::Free<refract_variant_free>> variant_;
};

/// As refract_fuzz_options.
struct FuzzOptions {
  uint64_t seed = 0;
  uint32_t max_steps = 0;
  uint64_t max_words = 0;
  uint32_t flags = 0;
  std::vector<std::string> passes;
  std::vector<const Module*> donors;
};

inline Result<Variant> Fuzz(const Module& module, const FuzzOptions& options = {}) {
  std::vector<const char*> passes;
  for (const std::string& pass : options.passes) passes.push_back(pass.c_str());
  std::vector<const refract_module*> donors;
  for (const Module* donor : options.donors) donors.push_back(donor->get());
  auto given = detail::Defaults<refract_fuzz_options>();
  given.seed = options.seed;
  given.max_words = options.max_words;
  given.max_steps = options.max_steps;
  given.flags = options.flags;
  given.passes = passes.data();
  given.pass_count = passes.size();
  given.donors = donors.data();
  given.donor_count = donors.size();
  refract_variant* variant = nullptr;
  char* message = nullptr;
  const refract_status status = refract_fuzz(module.get(), &given, &variant, &message);
  if (status != REFRACT_OK) return detail::TakeError(status, message);
  return Variant(variant);
}

/// As refract_replay_options.
struct ReplayOptions {
  std::vector<uint32_t> steps;
  uint32_t first = 0;
  bool force = false;
};

inline Result<Variant> Replay(const Module& module, std::string_view recording,
                              const ReplayOptions& options = {}) {
  auto given = detail::Defaults<refract_replay_options>();
  given.steps = options.steps.data();
  given.step_count = options.steps.size();
  given.first = options.first;
  given.force = options.force ? 1 : 0;
  refract_variant* variant = nullptr;
  char* message = nullptr;
  const refract_status status =
      refract_replay(module.get(), recording.data(), recording.size(), &given, &variant, &message);
  if (status != REFRACT_OK) return detail::TakeError(status, message);
  return Variant(variant);
}

/// A candidate of a reduction; views that are valid during the call.
struct Candidate {
  std::span<const uint32_t> words;
  std::string_view inputs;  ///< empty: no inputs
};

struct ReduceOptions {
  uint32_t jobs = 1;
  bool shrink = true;
};

struct Reduction {
  Variant variant;
  refract_reduction numbers;
};

/// `test` returns true if the candidate is interesting. It is called in threads of the library, at
/// most options.jobs at a time. If it throws, the reduction ends, and Reduce throws the same.
inline Result<Reduction> Reduce(const Module& module, std::string_view recording,
                                const std::function<bool(const Candidate&)>& test,
                                const ReduceOptions& options = {}) {
  struct State {
    const std::function<bool(const Candidate&)>& test;
    std::mutex mutex;
    std::exception_ptr thrown;
  } state{test, {}, {}};
  const refract_interesting ask = [](void* user, const refract_candidate* candidate) -> int {
    auto& state = *static_cast<State*>(user);
    try {
      return state.test({{candidate->words, candidate->word_count},
                         candidate->inputs == nullptr ? "" : candidate->inputs})
                 ? 1
                 : 0;
    } catch (...) {
      const std::lock_guard<std::mutex> lock(state.mutex);
      state.thrown = std::current_exception();
      return -1;
    }
  };
  auto given = detail::Defaults<refract_reduce_options>();
  given.jobs = options.jobs;
  given.no_shrink = options.shrink ? 0 : 1;
  auto numbers = detail::Defaults<refract_reduction>();
  refract_variant* variant = nullptr;
  char* message = nullptr;
  const refract_status status = refract_reduce(module.get(), recording.data(), recording.size(),
                                               &given, ask, &state, &variant, &numbers, &message);
  if (status != REFRACT_OK) {
    Error error = detail::TakeError(status, message);
    if (state.thrown) std::rethrow_exception(state.thrown);
    return error;
  }
  return Reduction{Variant(variant), numbers};
}

/// The result of an interpreted run.
class Run {
 public:
  explicit Run(refract_run* run) : run_(run) {}
  refract_trap trap() const { return refract_run_trap(get()); }
  std::string trap_text() const { return refract_run_trap_text(get()); }
  bool defined() const { return refract_run_defined(get()) != 0; }
  bool exact() const { return refract_run_exact(get()) != 0; }
  uint64_t steps() const { return refract_run_steps(get()); }
  /// The outputs; their pointers are valid as long as this object.
  std::vector<refract_output> outputs() const {
    std::vector<refract_output> outputs(refract_run_output_count(get()),
                                        detail::Defaults<refract_output>());
    for (size_t i = 0; i < outputs.size(); ++i) refract_run_output(get(), i, &outputs[i]);
    return outputs;
  }
  const refract_run* get() const { return run_.get(); }

 private:
  std::unique_ptr<refract_run, detail::Free<refract_run_free>> run_;
};

/// `options` come from RunOptions().
inline refract_run_options RunOptions() {
  return detail::Defaults<refract_run_options>();
}
inline Result<Run> Interpret(const Module& module,
                             const refract_run_options& options = RunOptions()) {
  refract_run* run = nullptr;
  char* message = nullptr;
  const refract_status status = refract_interpret(module.get(), &options, &run, &message);
  if (status != REFRACT_OK) return detail::TakeError(status, message);
  return Run(run);
}

/// An image: `pixels` has 4 * width * height bytes.
struct ImageView {
  std::span<const uint8_t> pixels;
  uint32_t width = 0, height = 0;
};

inline Result<refract_comparison> CompareImages(const ImageView& a, const ImageView& b,
                                                refract_rule rule = REFRACT_RULE_EXACT) {
  for (const ImageView& image : {a, b}) {
    if (image.pixels.size() != size_t{4} * image.width * image.height) {
      return Error{REFRACT_BAD_ARGUMENT, "an image does not have 4 * width * height bytes"};
    }
  }
  const refract_image first = {sizeof(refract_image), a.pixels.data(), a.width, a.height};
  const refract_image second = {sizeof(refract_image), b.pixels.data(), b.width, b.height};
  auto comparison = detail::Defaults<refract_comparison>();
  char* message = nullptr;
  const refract_status status =
      refract_compare_images(&first, &second, rule, &comparison, &message);
  if (status != REFRACT_OK) return detail::TakeError(status, message);
  return comparison;
}

/// The error if the module is invalid, or nullopt.
inline std::optional<Error> FindInvalid(std::span<const uint32_t> words,
                                        const std::string& environment = "") {
  char* message = nullptr;
  const refract_status status =
      refract_validate(words.data(), words.size_bytes(), detail::OrNull(environment), &message);
  if (status == REFRACT_OK) return std::nullopt;
  return detail::TakeError(status, message);
}

inline Result<refract_divergence> DivergenceOf(const Module& module, uint32_t id) {
  refract_divergence divergence = REFRACT_DIVERGENT;
  char* message = nullptr;
  const refract_status status = refract_divergence_of(module.get(), id, &divergence, &message);
  if (status != REFRACT_OK) return detail::TakeError(status, message);
  return divergence;
}

/// The functions that break a rule of control flow: a line for each; empty if none does.
inline Result<std::string> CheckFlow(std::span<const uint32_t> words,
                                     refract_flow_mode mode = REFRACT_FLOW_STRICT) {
  size_t faults = 0;
  char* report = nullptr;
  char* message = nullptr;
  const refract_status status =
      refract_check_flow(words.data(), words.size_bytes(), mode, &faults, &report, &message);
  if (status != REFRACT_OK) return detail::TakeError(status, message);
  std::string lines = report == nullptr ? "" : report;
  refract_text_free(report);
  return lines;
}

inline std::vector<refract_transformation> Transformations() {
  std::vector<refract_transformation> all(refract_transformation_count(),
                                          detail::Defaults<refract_transformation>());
  for (size_t i = 0; i < all.size(); ++i) refract_transformation_at(i, &all[i]);
  return all;
}

/// A mutated file of at most `max_size` bytes made of `file` by up to `max_steps` more steps
/// (0: 3), or nullopt.
inline std::optional<std::vector<uint8_t>> Mutate(std::span<const uint8_t> file, size_t max_size,
                                                  uint32_t seed, uint32_t max_steps = 0) {
  if (file.size() > max_size) return std::nullopt;
  const auto made = std::make_unique_for_overwrite<uint8_t[]>(max_size);
  std::copy(file.begin(), file.end(), made.get());
  const size_t size = refract_mutate_steps(made.get(), file.size(), max_size, seed, max_steps);
  if (size == 0) return std::nullopt;
  return std::vector<uint8_t>(made.get(), made.get() + size);
}

/// The same with functions of the module of `other`.
inline std::optional<std::vector<uint8_t>> Crossover(std::span<const uint8_t> file,
                                                     std::span<const uint8_t> other,
                                                     size_t max_size, uint32_t seed,
                                                     uint32_t max_steps = 0) {
  const auto made = std::make_unique_for_overwrite<uint8_t[]>(max_size);
  const size_t size = refract_crossover_steps(file.data(), file.size(), other.data(), other.size(),
                                              made.get(), max_size, seed, max_steps);
  if (size == 0) return std::nullopt;
  return std::vector<uint8_t>(made.get(), made.get() + size);
}

/// The parts of a mutated file, as pointers into it.
inline Result<refract_mutated> MutatedParts(std::span<const uint8_t> file) {
  auto parts = detail::Defaults<refract_mutated>();
  char* message = nullptr;
  const refract_status status = refract_mutated_parts(file.data(), file.size(), &parts, &message);
  if (status != REFRACT_OK) return detail::TakeError(status, message);
  return parts;
}

}  // namespace v1
}  // namespace refract
