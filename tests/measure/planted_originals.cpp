// SPDX-License-Identifier: Apache-2.0
// Tests that unchanged modules show no planted bug (planted/README.md): for no reference and no
// donor, plain or after spirv-opt -O, does our small optimiser reach the place of a bug. Its output
// without a bug must also be valid.
//   planted_originals [--references DIR] [--donors DIR]
#include <cstdio>
#include <string_view>

#include "base/text.h"
#include "corpus/test_modules.h"
#include "glsl/load.h"
#include "ir/tools.h"
#include "measure/optimised.h"
#include "planted/passes.h"

namespace refract::measure {
namespace {

struct Totals {
  size_t modules = 0, faults = 0;
};

void Look(const std::vector<uint32_t>& words, const std::string& name, Totals* totals) {
  // Valid for Vulkan or, for donors that are not only for Vulkan, for SPIR-V itself.
  TargetEnvironment environment = DefaultEnvironment(words[1]);
  if (FindInvalid(words, environment)) environment = UniversalEnvironment(words[1]);
  ++totals->modules;
  Result<planted::Program> program = planted::ReadProgram(words, name);
  std::string fault = program ? "" : program.error().message;
  if (program) {
    planted::Optimise(&*program, planted::Passes());
    for (size_t i = 0; i < planted::BugTable().size(); ++i) {
      if (program->bugs.Reached(static_cast<planted::Bug>(i))) {
        fault += format("reaches {}; ", planted::BugTable()[i].name);
      }
    }
    const auto invalid = FindInvalid(planted::WriteProgram(*program), environment);
    if (invalid) fault += "invalid: " + OneLine(*invalid);
  }
  if (fault.empty()) return;
  ++totals->faults;
  std::printf("%s: %s\n", name.c_str(), fault.c_str());
}

int Run(const std::vector<std::string>& folders) {
  Totals totals;
  for (const std::string& folder : folders) {
    const Result<std::vector<std::string>> files = ReferenceFiles(folder);
    if (!files || files->empty()) {
      std::fprintf(stderr, "%s: no modules\n", folder.c_str());
      return 3;
    }
    for (const std::string& file : *files) {
      const Result<LoadedModule> loaded = LoadModuleFile(file);
      if (!loaded) continue;  // some donors are meant to be refused; their tests list them
      Look(loaded->words, file, &totals);
      const Result<std::vector<uint32_t>> optimised = Optimised(loaded->words, file);
      if (optimised) Look(*optimised, file + " -O", &totals);
    }
  }
  std::printf("%zu modules, %zu of them with faults\n", totals.modules, totals.faults);
  return totals.faults == 0 ? 0 : 1;
}

int Main(int argc, char** argv) {
  std::string references = "references", donors = "donors";
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name != "--references" && name != "--donors") {
      std::fprintf(stderr, "planted_originals: unknown option %s\n", argv[i]);
      return 2;
    }
    (name == "--references" ? references : donors) = argv[i + 1];
  }
  return Run({references, donors});
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  return refract::measure::Main(argc, argv);
}
