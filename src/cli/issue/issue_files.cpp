// SPDX-License-Identifier: Apache-2.0
#include "cli/issue/issue_files.h"

#include <sys/utsname.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "folder/amber.h"
#include "folder/amber_requirements.h"
#include "folder/archive.h"
#include "folder/file_names.h"
#include "folder/markdown.h"
#include "folder/test_json.h"
#include "image/png.h"
#include "target/run_commands.h"

namespace refract {
inline namespace cli {
namespace {

namespace fs = std::filesystem;

std::string_view Bytes(const std::vector<uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), 4 * words.size()};
}

// "Debian GNU/Linux 12 (bookworm), Linux 6.1.0 x86_64"
std::string SystemName() {
  std::string name;
  const Result<std::string> release = ReadFile("/etc/os-release", 1 << 16);
  for (const std::string& line : Split(release ? *release : "", '\n')) {
    constexpr std::string_view kKey = "PRETTY_NAME=";
    if (!line.starts_with(kKey)) continue;
    for (const char c : line.substr(kKey.size())) name += c == '"' ? "" : std::string(1, c);
  }
  utsname kernel{};
  if (::uname(&kernel) != 0) return name;
  return format("{}{}{} {} {}", name, name.empty() ? "" : ", ", kernel.sysname, kernel.release,
                kernel.machine);
}

// The image in the folder; nothing if it has none that can be read.
std::optional<Image> ImageIn(const std::string& folder, const char* name) {
  const std::string file = format("{}/{}", folder, name);
  const Result<std::string> bytes = ReadFile(file);
  if (!bytes) return std::nullopt;
  Result<Image> image = DecodePng(*bytes, file);
  if (!image) return std::nullopt;
  return std::move(*image);
}

// The last part of a path.
std::string LastPart(const std::string& path) {
  std::error_code error;
  fs::path full = fs::absolute(path, error).lexically_normal();
  if (!full.has_filename()) full = full.parent_path();
  return full.filename().string();
}

bool ShowsSmall(const IssueTest& test, const Issue& issue) {
  return test.small && issue.module == test.small->name;
}

const std::vector<uint32_t>& FailingWords(const IssueTest& test, const Issue& issue) {
  return ShowsSmall(test, issue) ? test.small->modules[0].job.spirv : test.modules.back().job.spirv;
}

// For a wrong output of a tool: a script that draws the module before and after the tool.
Result<std::string> ScriptBeforeAndAfter(const IssueTest& test, const Issue& issue,
                                         const std::vector<uint32_t>& after) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  if (!folder) return folder.error();
  const auto copy = [&](const std::string& from, const std::string& to) {
    const Result<std::string> bytes = ReadFile(format("{}/{}", test.folder, from));
    if (!bytes) return Status();
    return WriteFile(format("{}/{}", folder->path(), to), *bytes);
  };
  TestRecord record = test.record;
  record.fleshed_by.clear();
  record.generated_by.clear();
  record.unchanged = false;
  if (ShowsSmall(test, issue)) record.rule = CompareRule::kExact;
  const bool own = FileExists(format("{}/{}.json", test.folder, issue.module));
  const std::string inputs = (own ? issue.module : "original") + ".json";
  for (const Status& done :
       {WriteFile(folder->path() + "/test.json", TestJson(record)),
        WriteFile(folder->path() + "/original.spv", Bytes(FailingWords(test, issue))),
        WriteFile(folder->path() + "/variant.spv", Bytes(after)), copy(inputs, "original.json")}) {
    if (!done) return done.error();
  }
  for (const CompanionFile& companion : kCompanionFiles) {
    const std::string name(companion.file);
    if (Status copied = copy(name, name); !copied) return copied.error();
  }
  return AmberScriptOf(folder->path());
}

// Sets the commands, and returns the script for Amber, if there is one.
Result<std::string> AddCommands(const IssueTest& test, const IssueRuns& runs, Issue* issue) {
  const bool tool = issue->record.target.kind == "command";
  const bool wrong = IsWrongOutput(issue->record.verdict);
  Result<std::string> script = std::string();
  if (tool && test.target && test.target->command != nullptr) {
    Job job = test.modules.back().job;
    job.spirv = FailingWords(test, *issue);
    const Result<Placeholders> values =
        PlaceholdersOf(*test.target->command, job, issue->record.environment);
    if (!values) return values.error();
    const Target& shown = runs.one_pass ? *runs.one_pass : *test.target;
    const std::optional<TestRun>& run = wrong && runs.small ? runs.small : runs.shown;
    const std::string last = run ? run->variant.command : "";
    issue->commands = CommandLines(*shown.command, *values, kIssueModule, last);
    if (runs.one_pass) {
      issue->full_commands = CommandLines(*test.target->command, *values, kIssueModule, last);
    }
    if (issue->record.verdict == FailureClass::kInvalidOutput) {
      issue->commands.push_back(format("spirv-val --target-env {} out{}.spv",
                                       NameOf(issue->record.environment), issue->commands.size()));
    }
    if (wrong && run && !run->variant.spirv.empty()) {
      script = ScriptBeforeAndAfter(test, *issue, run->variant.spirv);
    }
  } else {
    AmberOptions options;
    options.self_checking = issue->module == "check";
    script = AmberScriptOf(test.folder, options);
  }
  if (!script) {
    issue->amber_refusal = script.error().message;
    return std::string();
  }
  if (!script->empty()) issue->amber = VulkanVersionFor(test.modules.back().job.spirv[1]);
  return script;
}

// The README of the archive: what each file is.
std::string ArchiveReadme(const Issue& issue) {
  std::string text = format("# {}\n\n`issue.md` is the report.\n\n", IssueTitle(issue));
  text += "| file | content |\n|---|---|\n";
  text += format("| `{}.spv`, `{}.spvasm` | the module that fails, and its text |\n", kIssueModule,
                 kIssueModule);
  if (!issue.amber.empty()) {
    text += format("| `test.amber` | the test as a script for Amber: `amber -v {} test.amber` |\n",
                   issue.amber);
  }
  text +=
      "| `test` | all files of the failure, which `test/README.md` describes. With Refract, "
      "`refract repeat test` runs the test |\n";
  return text;
}

Result<std::vector<ArchiveFile>> FilesOf(const IssueTest& test, const Issue& issue,
                                         const std::string& script) {
  std::vector<ArchiveFile> files = {
      {"README.md", ArchiveReadme(issue)},
      {"issue.md", IssueText(issue)},
      {format("{}.spv", kIssueModule), std::string(Bytes(FailingWords(test, issue)))},
      {format("{}.spvasm", kIssueModule), issue.assembly},
  };
  if (!script.empty()) files.push_back({"test.amber", script});
  for (const std::string_view name : kTestFiles) {
    const std::string file = format("{}/{}", test.folder, name);
    if (!FileExists(file)) continue;
    Result<std::string> bytes = ReadFile(file);
    if (!bytes) return bytes.error();
    // The log may have paths of the machine.
    if (name == kLog) *bytes = WithoutFolders(*bytes);
    files.push_back({format("test/{}", name), std::move(*bytes)});
  }
  return files;
}

}  // namespace

std::string DefaultIssueOutput(const std::string& folder) {
  return LastPart(folder);
}

Status CheckIssueOutput(const std::string& output, bool force) {
  if (LastPart(output).empty()) return Error{"the output needs a name", ErrorKind::kUsage};
  for (const char* extension : {".md", ".tar.gz"}) {
    if (force || !FileExists(output + extension)) continue;
    return Error{
        format("{}{}: exists; choose another name with --output, or replace it with "
               "--force",
               output, extension)};
  }
  return {};
}

Status ReadSmallProgram(bool runs, Console& console, IssueTest* test) {
  const bool wrong = IsWrongOutput(test->record.verdict);
  // Without a run, the folder does not tell which output of a small program is wrong.
  if (wrong && !runs) return {};
  // To see a wrong output of a tool, its input and output are drawn. A driver draws one module.
  const bool checks = wrong && test->record.target.kind != "command";
  SmallProgram small;
  small.name = checks ? "check" : "smallest";
  Result<std::optional<RunnableModule>> loaded =
      LoadSmallModule(test->folder, test->record, small.name, console);
  if (!loaded) return loaded.error();
  if (!*loaded) return {};
  small.modules.push_back(std::move(**loaded));
  if (wrong && !checks) {
    TestRecord alone = test->record;
    alone.unchanged = true;
    Result<std::optional<RunResult>> expected = ExpectedOf(small.modules, alone);
    if (!expected) return expected.error();
    small.expected = std::move(*expected);
  }
  test->small = std::move(small);
  return {};
}

Issue IssueOf(const IssueTest& test, const std::string& output) {
  Issue issue;
  issue.record = test.record;
  issue.name = LastPart(output);
  issue.version = test.record.target.version;
  issue.system = test.record.kernel;
  const Result<std::string> log = ReadFile(format("{}/{}", test.folder, kLog), 64 << 20);
  if (log) issue.failure = FailureFromLog(*log);
  const std::optional<Image> original = ImageIn(test.folder, "original.png");
  const std::optional<Image> variant = ImageIn(test.folder, "variant.png");
  issue.images = original && variant;
  if (issue.images) issue.pixels = DifferenceOf(*original, *variant);
  return issue;
}

Status WriteIssue(const IssueTest& test, const IssueRuns& runs, const std::string& output,
                  Issue* issue) {
  if (runs.shown) issue->system = SystemName();
  // Without a run, the folder tells that its small program fails. A script for a driver needs the
  // correct outputs, so it has a module whose outputs are known.
  const bool small = runs.shown ? runs.small.has_value() : test.small.has_value();
  const bool shown =
      small && (issue->record.target.kind == "command" || IsWrongOutput(issue->record.verdict));
  issue->module = shown ? test.small->name : FailingModuleOf(test.folder, test.record);
  issue->smaller = small && !shown;
  const std::vector<uint32_t>& words = FailingWords(test, *issue);
  const Result<std::string> text = Disassemble(words, {.indent = true, .header = true});
  if (!text) return text.error();
  issue->assembly = *text;
  issue->spirv = NameOf(UniversalEnvironment(words[1]));
  if (const Result<std::string> delta = ReadFile(format("{}/{}", test.folder, kDelta)); delta) {
    issue->delta = *delta;
  }
  const Result<std::string> script = AddCommands(test, runs, issue);
  if (!script) return script.error();
  const Result<std::vector<ArchiveFile>> files = FilesOf(test, *issue, *script);
  if (!files) return files.error();
  const Result<std::string> archive = TarGz(issue->name, *files);
  if (!archive) return archive.error();
  OutputSet outputs;
  if (Status added = outputs.Add(output + ".md", IssueText(*issue)); !added) return added;
  if (Status added = outputs.Add(output + ".tar.gz", *archive); !added) return added;
  return outputs.Commit();
}

}  // namespace cli
}  // namespace refract
