// SPDX-License-Identifier: Apache-2.0
// Disables one refusal of a check and tries messages on it. Those that are accepted only because of
// that are applied, and every oracle checks the result.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "fixtures/runner.h"
#include "fixtures/starts.h"
#include "measure/refuses.h"

namespace refract::fixtures {

/// All refusals. The number of a refusal is its index.
const std::vector<Refusal>& AllRefusals();

/// "FILE: REASON", with " (2)" for the second refusal of a file with the same reason.
std::string NameOfRefusal(int refusal);

/// What all runs share.
struct MutationInputs {
  struct KnownExample {
    Example example;
    int refusal = kNoRefusal;  ///< the refusal that the example is for
  };
  std::vector<std::vector<Start>> groups;
  Draws draws;
  std::vector<KnownExample> known;  ///< the examples in fixtures
};

Result<MutationInputs> MakeMutationInputs(const std::vector<Fixture>& fixtures);

struct MutantOptions {
  uint64_t count = 10000;  ///< messages: first those of fixtures for the refusal, then mutated ones
  uint64_t seed = 1;
  uint64_t seconds = 120;  ///< time limit, whatever the number of messages
};

struct Outcome {
  std::string caught_by;  ///< the oracles that noticed it, or "crash", "hang"; empty: none
  std::string how;        ///< their messages
  uint64_t asked = 0;     ///< messages until then
  uint64_t refused = 0;   ///< messages refused for this reason
  uint64_t opened = 0;    ///< of those, messages that were accepted without the refusal
  uint64_t idle = 0;      ///< of those, messages that did not change the module
  std::string instead;    ///< why the last of the other messages was refused anyway
  std::string broken;     ///< a failure with all refusals enabled, so not due to this one
};

/// One disabled refusal, tested in a separate process, which may crash, hang or use too much
/// memory.
class MutantRun {
 public:
  MutantRun(const MutationInputs& material, int refusal, const MutantOptions& options);
  MutantRun(const MutantRun&) = delete;
  MutantRun& operator=(const MutantRun&) = delete;
  ~MutantRun();

  int refusal() const { return refusal_; }
  pid_t process() const { return process_; }
  /// The result, after the process has ended with `status`.
  Outcome Finish(int status) const;

  struct Report;

 private:
  int refusal_;
  pid_t process_ = -1;
  Report* report_;         // shared with the process
  std::FILE* complaints_;  // its stderr
};

}  // namespace refract::fixtures
