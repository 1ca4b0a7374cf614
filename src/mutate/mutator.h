// SPDX-License-Identifier: Apache-2.0
// Changes mutated files (mutated_file.h) by a few steps at a time, for other fuzzers.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/declarations.h"
#include "engine/original.h"
#include "message/recording.h"

namespace refract {
inline namespace mutate {

/// The most steps of one mutation, unless the caller says another number: for targets that take
/// less than a millisecond.
constexpr uint32_t kDefaultMaxSteps = 3;
/// The most steps of a mutated file, and thus of one mutation. Mutations of files with more are
/// slow (docs/mutator.md).
constexpr uint32_t kMaxMutatedSteps = 500;

/// Makes mutated files. The same arguments give the same bytes, whatever was called before: the
/// object only keeps what it needs often, for files whose variants have at most `capacity` words in
/// all. Not for several threads.
class Mutator {
 public:
  explicit Mutator(size_t capacity = size_t{2} << 20) : capacity_(capacity) {}

  /// Adds 1 to `max_steps` random steps (0: the default) to a mutated file or a module; small and
  /// large numbers are equally likely. The last steps are left out if the file would be larger than
  /// `max_bytes`, its variant larger than 16 times the original, or its steps more than
  /// kMaxMutatedSteps. If the first one is, the file begins again with its original. Returns
  /// nullopt if `bytes` are neither, or if no result of at most `max_bytes` was found. The result
  /// is not validated. A module that is not known is validated in this process, without a limit.
  std::optional<std::string> Mutate(std::string_view bytes, size_t max_bytes, uint64_t seed,
                                    uint32_t max_steps = 0);
  /// The same, beginning with a step that adds a function, or a part of one, of the module at the
  /// beginning of `other`. nullopt also if it has none that can be added.
  std::optional<std::string> Crossover(std::string_view bytes, std::string_view other,
                                       size_t max_bytes, uint64_t seed, uint32_t max_steps = 0);

 private:
  // A file that was read or made: everything that the next step needs.
  struct Subject {
    std::shared_ptr<const Original> original;
    Context context;
    message::Recording recording;
    Declarations declarations;
    /// What Crossover takes of it, once it did.
    mutable std::optional<std::vector<AnyMessage>> donated;
  };
  using SubjectPointer = std::shared_ptr<const Subject>;

  SubjectPointer SubjectOf(std::string_view bytes);
  SubjectPointer ReplayFile(std::string_view bytes);
  SubjectPointer MakeSubject(std::string_view words, OriginalOptions options);
  SubjectPointer OriginalOf(std::string_view words, const OriginalOptions& options);
  static bool AddStep(const AnyMessage& message, Subject* subject);
  static std::string WriteFile(uint64_t seed, Subject* subject);
  SubjectPointer Find(uint64_t key);
  void Remember(uint64_t key, SubjectPointer subject);
  std::optional<std::string> Extend(std::string_view bytes, const std::vector<AnyMessage>& donors,
                                    size_t max_bytes, uint64_t seed, uint32_t max_steps);
  std::optional<std::string> ExtendSubject(const Subject& from,
                                           const std::vector<AnyMessage>& donors, size_t max_bytes,
                                           uint64_t seed, uint32_t max_steps);

  const size_t capacity_;
  size_t kept_words_ = 0;  // of all modules in recent_
  // By Hash64 of the file, the most recently used first.
  std::list<std::pair<uint64_t, SubjectPointer>> recent_;
  std::unordered_map<uint64_t, decltype(recent_)::iterator> by_key_;
};

}  // namespace mutate
}  // namespace refract
