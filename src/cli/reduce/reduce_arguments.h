// SPDX-License-Identifier: Apache-2.0
// The arguments of `refract reduce`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/console.h"
#include "cli/options.h"
#include "cli/original_options.h"
#include "cli/reduce/reduce_interestingness.h"
#include "reduce/reduce.h"

namespace refract {
inline namespace cli {

struct ReduceArguments {
  OriginalArguments original;
  std::string recording;  ///< empty: the module is reduced, without a recording
  std::string output;
  InterestingnessArguments interestingness;
  uint64_t jobs = 1;
  std::optional<uint64_t> budget;
  std::optional<uint64_t> max_tries;
  bool resume = false;
  bool plain = false;
  bool smallest = false;
  bool steps_only = false;
  std::string folder;
  std::string algorithm = "bisect";
};

void DeclareReduceArguments(ReduceArguments& given, Options& options);
/// Moves the first word after "--" to the script if the parser took it for RECORDING.
void SeparateScript(const Console& console, ReduceArguments* given);
/// Refuses contradictory options before any work.
Status CheckReduceArguments(const ReduceArguments& given, const Console& console);

/// The journal of answers; empty if OUT is standard output.
std::string JournalOf(const ReduceArguments& given);
std::string SmallestOf(const ReduceArguments& given);
/// The smallest original and variant with a wrong output, and their difference.
std::string PairOriginalOf(const ReduceArguments& given);
std::string PairVariantOf(const ReduceArguments& given);
std::string PairDiffOf(const ReduceArguments& given);
/// The smallest module with a wrong output that compares its own output.
std::string CheckOf(const ReduceArguments& given);

/// The journal of answers for a smallest module with a wrong output.
std::string SmallestJournalOf(const ReduceArguments& given);
/// The options that a reduction of a recording and one of a module share. The caller sets `stop`
/// and `progress`.
ReduceOptions ReduceOptionsOf(const ReduceArguments& given);

}  // namespace cli
}  // namespace refract
