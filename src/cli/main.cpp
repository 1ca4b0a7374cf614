// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "driver/worker.h"

int main(int argc, char** argv) {
  using namespace refract;
  BecomeWorkerIfAsked(argc, argv);
  return RunCommandLine(argc, argv, AllVerbs());
}
