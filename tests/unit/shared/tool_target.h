// SPDX-License-Identifier: Apache-2.0
// A command target of one command, which makes no module.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "target/targets.h"

namespace refract {

inline Target ToolTarget(std::vector<std::string> argv, double time_limit) {
  CommandTarget tool;
  tool.name = "tool";
  tool.render = CommandTarget::Render::kNone;
  CommandStep step;
  step.name = "command";
  step.argv = std::move(argv);
  step.time_limit = time_limit;
  step.only_checks = true;
  step.memory_limit = uint64_t{1} << 30;
  tool.steps = {step};
  Target target;
  target.name = "tool";
  target.kind = Target::Kind::kCommand;
  target.command = std::make_shared<const CommandTarget>(tool);
  return target;
}

}  // namespace refract
