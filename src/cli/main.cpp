// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "driver/worker.h"
#include "ir/tools.h"

int main(int argc, char** argv) {
  using namespace refract;
  BecomeWorkerIfAsked(argc, argv);
  KeepValidators();
  return RunCommandLine(argc, argv, AllVerbs());
}
