// SPDX-License-Identifier: Apache-2.0
// What happens when one refusal of a check is left out: messages are thrown at it, and those that
// get a yes for that reason alone are applied and judged by every oracle.
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

/// Every refusal there is; its number is its place.
const std::vector<Refusal>& AllRefusals();

/// "FILE: REASON", with " (2)" for the second one of a file that says the same.
std::string NameOfRefusal(int refusal);

/// What all ordeals share.
struct MutationInputs {
  struct KnownExample {
    Example example;
    int refusal = kNoRefusal;  ///< the one that is made for it
  };
  std::vector<std::vector<Start>> groups;
  Draws draws;
  std::vector<KnownExample> known;  ///< what fixtures hold
};

Result<MutationInputs> MakeMutationInputs(const std::vector<Fixture>& fixtures);

struct MutantOptions {
  uint64_t count = 10000;  ///< messages: what fixtures hold for the refusal, then mutated ones
  uint64_t seed = 1;
  uint64_t seconds = 120;  ///< until it is over, whatever was asked
};

struct Outcome {
  std::string caught_by;  ///< the oracles that saw it, or "crash", "hang"; empty: nobody
  std::string how;        ///< what they said
  uint64_t asked = 0;     ///< messages until then
  uint64_t refused = 0;   ///< for this reason
  uint64_t opened = 0;    ///< of those, how many got a yes without it
  uint64_t idle = 0;      ///< of those, after how many the module was as before
  std::string instead;    ///< why the last one of the others was refused nevertheless
  std::string broken;     ///< it went wrong with all refusals in place: not this one's fault
};

/// One refusal left out, in a process of its own, which may crash, hang and eat memory.
class MutantRun {
 public:
  MutantRun(const MutationInputs& material, int refusal, const MutantOptions& options);
  MutantRun(const MutantRun&) = delete;
  MutantRun& operator=(const MutantRun&) = delete;
  ~MutantRun();

  int refusal() const { return refusal_; }
  pid_t process() const { return process_; }
  /// What came of it, once the process has ended with `status`.
  Outcome Finish(int status) const;

  struct Report;

 private:
  int refusal_;
  pid_t process_ = -1;
  Report* report_;         // shared with the process
  std::FILE* complaints_;  // its stderr
};

}  // namespace refract::fixtures
