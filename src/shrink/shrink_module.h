// SPDX-License-Identifier: Apache-2.0
// Makes a whole module smaller by shrink passes, regardless of what it then computes. For a wrong
// output, the interestingness test must find out what each candidate computes. The result is valid.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "ir/module.h"
#include "ir/tools.h"
#include "shrink/options.h"
#include "shrink/search.h"

namespace refract {
inline namespace shrink {

/// True if a module still shows the failure.
using InterestingModule = std::function<bool(std::span<const uint32_t>)>;
/// The same. `search` (null at the end) has the candidates that follow after answers no, with their
/// words, which the function may test early: SearchCandidate 0 is the module itself.
using InterestingInSearch =
    std::function<bool(std::span<const uint32_t> words, ModuleSearch* search)>;

struct ModuleSource {
  std::vector<uint32_t> words;
  std::string file;  ///< the name for error messages
  TargetEnvironment environment = TargetEnvironment::kUniversal16;
  ValidationOptions validation;
  /// The module of `words`, whose instructions may have other permanent names than `words` gives
  /// them; null: it is read from `words`.
  std::shared_ptr<const Module> module = nullptr;
};

struct ShrunkModule {
  std::vector<uint32_t> words;
  /// The module of `words` with the permanent names of the source; null if ids were renumbered.
  std::shared_ptr<const Module> module;
  /// For each pass, how many changes are left, which are not interesting.
  std::vector<size_t> left;
  ShrinkReport report;
};

/// Shrinks a module. The source must be interesting and is not tested. If neither spirv-val nor our
/// structural checker accepts it, it is refused; candidates must pass those of the two that accept
/// the source. Each pass is tried with chunks of its changes and at last with single ones, until
/// none has a change left. The result is not larger than the source, by instructions and then by
/// words. At the end the ids are numbered densely, if the result is still interesting and unless
/// ShrinkOptions::keep_ids is set.
Result<ShrunkModule> ShrinkModule(const ModuleSource& source, const InterestingModule& interesting,
                                  const ShrinkOptions& options = {});
Result<ShrunkModule> ShrinkModule(const ModuleSource& source,
                                  const InterestingInSearch& interesting,
                                  const ShrinkOptions& options);

/// Returns the number of instructions in a binary, debug lines included; 0 if it is not a module.
size_t CountInstructions(std::span<const uint32_t> words);

}  // namespace shrink
}  // namespace refract
