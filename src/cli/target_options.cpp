// SPDX-License-Identifier: Apache-2.0
#include "cli/target_options.h"

#include "base/text.h"
#include "target/target_files.h"

namespace refract {
inline namespace cli {
namespace {

std::string CheckName(const std::string& name) {
  if (!DescribesTargets(name)) return {};
  return format(
      "{} describes targets; use --target-file for it; this option takes names of targets", name);
}

}  // namespace

void DeclareTargets(Options& options, std::vector<std::string>* names, const char* help) {
  options.List("--targets,--target", "NAME[,NAME...]", names, help, CheckName);
}

void DeclareTarget(Options& options, const char* names, std::string* name, const char* help) {
  options.CheckedText(names, "NAME", name, help, CheckName);
}

void DeclareTargetFiles(Options& options, std::vector<std::string>* files, const char* help) {
  options.Repeated("--target-file,--target-files", "DIR|FILE", files, help);
}

}  // namespace cli
}  // namespace refract
