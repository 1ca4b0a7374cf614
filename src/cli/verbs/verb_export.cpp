// SPDX-License-Identifier: Apache-2.0
// refract export: converts test folders to the formats of other tools.
#include <string>
#include <vector>

#include "base/file.h"
#include "base/subprocess.h"
#include "cli/verbs.h"
#include "cts/checkout.h"
#include "cts/cts_test.h"
#include "folder/amber.h"

namespace refract {
inline namespace cli {
namespace {

struct ExportArguments {
  std::vector<std::string> folders;
  std::string amber;
  AmberOptions options;
  std::string cts, copyright, patch;
  std::vector<std::string> names;
  bool apply = false, no_glsl = false;
};

void Declare(ExportArguments& given, Options& options) {
  options.Arguments("FOLDER", &given.folders,
                    "A test folder (docs/test-folder.md). --cts takes several, and folders of "
                    "campaigns, of which it takes all kept tests");
  options.Text("--amber", "FILE", &given.amber,
               "Output file, an AmberScript (docs/export.md); - writes to standard output");
  options.Flag("--self-checking", &given.options.self_checking,
               "Convert only the self-checking module of a wrong output (check.spv)");
  options.Text("--description", "TEXT", &given.options.description,
               "Short description of the script, at most 58 characters (default: a text that "
               "follows from the kind of the failure)");
  options.Group("Tests of the Vulkan conformance suite (docs/cts.md)");
  options.Text("--cts", "DIR", &given.cts,
               "A checkout of VK-GL-CTS to which the tests are added, with its index and lists");
  options.Text("--copyright", "LINE", &given.copyright,
               "With --cts, required: the copyright line, 'Copyright 2026 The Authors'");
  options.Text(
      "--patch", "FILE", &given.patch,
      "With --cts: output file, a patch that git apply takes; - writes to standard output");
  options.Flag("--apply", &given.apply, "With --cts: change the files of the checkout");
  options.Repeated("--name", "NAME", &given.names,
                   "With --cts: the name of a test, once for each test in their order (default: a "
                   "name from the stage, the failure and the content)");
  options.Flag("--no-glsl", &given.no_glsl,
               "With --cts: do not add the shaders as GLSL, for which spirv-cross is needed");
}

Result<ExitCode> ExportAmber(const ExportArguments& given, Console& console) {
  if (given.folders.size() != 1) {
    return Error{"--amber takes one test folder", ErrorKind::kUsage};
  }
  const Result<std::string> script = AmberScriptOf(given.folders.front(), given.options);
  if (!script) return script.error();
  if (given.amber == "-") {
    console.Print(*script);
    return kDone;
  }
  if (Status written = WriteFile(given.amber, *script); !written) return written.error();
  console.Say(format("wrote {}", given.amber));
  return kDone;
}

// A test folder, and whether the user named it or a folder above it.
struct FoundFolder {
  std::string path;
  bool named;
};

Result<std::vector<FoundFolder>> FindFolders(const std::vector<std::string>& paths) {
  std::vector<FoundFolder> found;
  for (const std::string& path : paths) {
    const Result<std::vector<std::string>> folders = FindTestFolders(path);
    if (!folders) return folders.error();
    for (const std::string& folder : *folders) found.push_back({folder, folder == path});
  }
  return found;
}

Status CheckCtsArguments(const ExportArguments& given) {
  if (given.copyright.empty()) return Error{"--cts requires --copyright", ErrorKind::kUsage};
  if (given.patch.empty() && !given.apply) {
    return Error{"--cts requires --patch or --apply", ErrorKind::kUsage};
  }
  if (given.options.self_checking) {
    return Error{"--cts uses check.spv where there is one: leave out --self-checking",
                 ErrorKind::kUsage};
  }
  if (Status good = CheckCopyright(given.copyright); !good) return good;
  for (const std::string& name : given.names) {
    if (Status good = CheckTestName(name); !good) return good;
  }
  return {};
}

// Makes the tests. A test below a folder of a campaign that cannot be made is left out.
Result<std::vector<CtsTest>> MakeTests(const ExportArguments& given,
                                       const std::vector<FoundFolder>& folders, Console& console) {
  CtsTestOptions options;
  options.copyright = given.copyright;
  options.description = given.options.description;
  if (!given.no_glsl) {
    options.spirv_cross = FindProgram("spirv-cross");
    if (options.spirv_cross.empty()) {
      return Error{"spirv-cross is not installed: install it, or add --no-glsl",
                   ErrorKind::kUnavailable};
    }
  }
  std::vector<CtsTest> tests;
  for (size_t i = 0; i < folders.size(); ++i) {
    options.name = given.names.empty() ? "" : given.names[i];
    Result<CtsTest> test = MakeCtsTest(folders[i].path, options);
    if (test) {
      tests.push_back(std::move(*test));
    } else if (folders[i].named || !given.names.empty()) {
      return test.error();
    } else {
      console.Say(format("left out: {}", test.error().message));
    }
  }
  if (tests.empty()) return Error{"no test can be exported"};
  return tests;
}

Result<ExitCode> ExportCts(const ExportArguments& given, Console& console) {
  if (Status good = CheckCtsArguments(given); !good) return good.error();
  const Result<Checkout> checkout = ReadCheckout(given.cts);
  if (!checkout) return checkout.error();
  const Result<std::vector<FoundFolder>> folders = FindFolders(given.folders);
  if (!folders) return folders.error();
  if (!given.names.empty() && given.names.size() != folders->size()) {
    return Error{
        format("--name is given {} times, for {} tests", given.names.size(), folders->size())};
  }
  const Result<std::vector<CtsTest>> tests = MakeTests(given, *folders, console);
  if (!tests) return tests.error();
  const Result<std::vector<FileChange>> changes = AddTests(*checkout, *tests);
  if (!changes) return changes.error();
  if (changes->empty()) {
    console.Say("nothing new: the checkout has every test");
    return kDone;
  }
  const std::string patch = PatchOf(*changes);
  if (given.patch == "-") {
    console.Print(patch);
  } else if (!given.patch.empty()) {
    if (Status written = WriteFile(given.patch, patch); !written) return written.error();
    console.Say(format("wrote {}", given.patch));
  }
  if (given.apply) {
    if (Status written = WriteChanges(given.cts, *changes); !written) return written.error();
  }
  for (const CtsTest& test : *tests) console.Say(format("{}: {}", test.name, test.folder));
  return kDone;
}

Result<ExitCode> Run(const ExportArguments& given, Console& console) {
  if (given.amber.empty() == given.cts.empty()) {
    return Error{"give either --amber or --cts", ErrorKind::kUsage};
  }
  if (given.folders.empty()) return Error{"no test folder given", ErrorKind::kUsage};
  if (!given.cts.empty()) return ExportCts(given, console);
  if (!given.copyright.empty() || !given.patch.empty() || given.apply || !given.names.empty()) {
    return Error{"--copyright, --patch, --apply and --name need --cts", ErrorKind::kUsage};
  }
  return ExportAmber(given, console);
}

}  // namespace

const Verb kExportVerb = {
    .name = "export",
    .summary = "Convert test folders to scripts for Amber, or to tests of the Vulkan CTS",
    .example = "refract export found/lavapipe_1 --amber lavapipe_1.amber",
    .exit_codes = {{kTargetMissing, "spirv-cross is not installed, and --no-glsl is not given"}},
    .main_options = {"--amber", "--self-checking", "--description", "--cts", "--copyright",
                     "--patch", "--apply"},
    .declare = DeclareVerb<ExportArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
