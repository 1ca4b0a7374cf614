// SPDX-License-Identifier: Apache-2.0
// refract export: converts a test folder to the format of another tool.
#include <string>

#include "base/file.h"
#include "cli/verbs.h"
#include "folder/amber.h"

namespace refract {
inline namespace cli {
namespace {

struct ExportArguments {
  std::string folder;
  std::string amber;
  AmberOptions options;
};

void Declare(ExportArguments& given, Options& options) {
  options.Argument("FOLDER", &given.folder, "A test folder (docs/test-folder.md)");
  options.RequiredText("--amber", "FILE", &given.amber,
                       "Output file, an AmberScript (docs/export.md); - writes to standard output");
  options.Flag("--self-checking", &given.options.self_checking,
               "Convert only the self-checking module of a wrong output (check.spv)");
  options.Text("--description", "TEXT", &given.options.description,
               "Short description of the script, at most 58 characters (default: a text that "
               "follows from the kind of the failure)");
}

Result<ExitCode> Run(const ExportArguments& given, Console& console) {
  const Result<std::string> script = AmberScriptOf(given.folder, given.options);
  if (!script) return script.error();
  if (given.amber == "-") {
    console.Print(*script);
    return kDone;
  }
  if (Status written = WriteFile(given.amber, *script); !written) return written.error();
  console.Say(format("wrote {}", given.amber));
  return kDone;
}

}  // namespace

const Verb kExportVerb = {
    .name = "export",
    .summary = "Convert a test folder to a script for Amber",
    .example = "refract export found/lavapipe_1 --amber lavapipe_1.amber",
    .exit_codes = {},
    .main_options = {"--amber", "--self-checking", "--description"},
    .declare = DeclareVerb<ExportArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
