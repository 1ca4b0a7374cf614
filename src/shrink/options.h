// SPDX-License-Identifier: Apache-2.0
// Options and reports that all shrinking functions share. The caller passes the interestingness
// test as a function. One call of it is a try, and no candidate is tested twice. The same input and
// the same answers give the same result.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace refract {
inline namespace shrink {

/// Prepares a little of what is likely to be tested next. Returns false if everything is prepared.
using IdleWork = std::function<bool()>;

/// The state after a try.
struct ShrinkProgress {
  std::string_view pass;    ///< "skip constructs"
  size_t tries = 0;         ///< so far
  size_t instructions = 0;  ///< of the best module so far
};

struct ShrinkOptions {
  size_t budget = std::numeric_limits<size_t>::max();  ///< tries
  bool wrong_output = false;  ///< of ShrinkModule: the failure is that the module computes wrongly
  /// Of ShrinkModule: returns false for a valid candidate that cannot be interesting. Such a
  /// candidate is not a try. May be empty.
  std::function<bool(std::span<const uint32_t> words, const Module& candidate)> may_be_tested;
  /// Of ShrinkModule: what ShrunkModule::left was for a similar module. May be empty.
  std::vector<size_t> left;
  bool declarations = false;  ///< of ShrinkModule: no pass can remove more code
  bool keep_ids = false;      ///< of ShrinkModule: do not renumber ids at the end
  /// Called after each try; if it returns false, shrinking stops. May be empty.
  std::function<bool(const ShrinkProgress&)> progress;
};

/// What shrinking did.
struct ShrinkReport {
  size_t tries = 0;     ///< calls of the interestingness test
  size_t accepted = 0;  ///< tries that were interesting
  size_t unsound = 0;   ///< candidates that were invalid or did not replay, and were not tested
  size_t known = 0;     ///< candidates that had been tested before
  /// False if `budget` or `progress` ended the work; the result so far is correct in any case.
  bool is_finished = true;
  std::map<std::string, size_t> accepted_by;  ///< the changes in the result, by pass
};

}  // namespace shrink
}  // namespace refract
