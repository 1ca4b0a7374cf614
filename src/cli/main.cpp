// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "cli/command_line.h"
#include "cli/verbs.h"

int main(int argc, char** argv) {
  using namespace refract;
  // In the order of --help.
  const std::array verbs = {
      &kFuzzVerb, &kReplayVerb, &kShowVerb, &kCompareVerb, &kDiffVerb, &kListVerb, &kExplainVerb,
  };
  return RunCommandLine(argc, argv, verbs);
}
