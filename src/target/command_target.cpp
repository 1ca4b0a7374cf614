// SPDX-License-Identifier: Apache-2.0
#include "target/command_target.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "base/check.h"
#include "base/diagnostic.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "target/optimiser_passes.h"
#include "target/shipped_targets.h"
#include "target/target_json.h"

namespace refract {
inline namespace target {
namespace {

namespace fs = std::filesystem;
using Kind = JsonNode::Kind;

constexpr uint64_t kMaxSeconds = 86400;
constexpr uint64_t kMaxMebibytes = uint64_t{1} << 20;
constexpr uint64_t kDefaultMebibytes = 4096;

constexpr std::pair<std::string_view, std::string Placeholders::*> kPlaceholders[] = {
    {"in", &Placeholders::in},       {"out", &Placeholders::out},
    {"env", &Placeholders::env},     {"vulkan", &Placeholders::vulkan},
    {"spirv", &Placeholders::spirv}, {"entry", &Placeholders::entry},
    {"stage", &Placeholders::stage}, {"seed", &Placeholders::seed},
};

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Copies `text` and replaces each {NAME} by `value_of(NAME)`. Braces around anything but a word
/// stay.
template <class ValueOf>
std::string ReplacePlaceholders(std::string_view text, const ValueOf& value_of) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (text[at] == '{') {
      while (end < text.size() && IsWordCharacter(text[end])) ++end;
    }
    if (end > at + 1 && end < text.size() && text[end] == '}') {
      result += value_of(text.substr(at + 1, end - at - 1));
      at = end + 1;
    } else {
      result += text[at++];
    }
  }
  return result;
}

std::string Placeholders::*FindPlaceholder(std::string_view name) {
  for (const auto& [known, field] : kPlaceholders) {
    if (known == name) return field;
  }
  return nullptr;
}

/// Whether an argument is a placeholder that stands for several arguments.
bool IsList(std::string_view argument) {
  return argument == "{passes}" || argument == "{pass}" || argument == "{layout}";
}

bool Uses(const CommandStep& step, std::string_view placeholder) {
  bool found = false;
  for (const std::string& argument : step.argv) {
    ReplacePlaceholders(argument, [&](std::string_view name) {
      found = found || name == placeholder;
      return std::string();
    });
  }
  return found;
}

bool Has(const CommandStep& step, std::string_view argument) {
  return std::find(step.argv.begin() + 1, step.argv.end(), argument) != step.argv.end();
}

/// Reads one target file.
class Reader {
 public:
  explicit Reader(const std::string& file) : json_(file) {}

  Result<CommandTarget> Read(const JsonNode& root) const;

 private:
  Status Step(const JsonNode& node, const std::string& pointer, CommandStep* step) const;
  Status Arguments(const JsonNode& node, const std::string& pointer, CommandStep* step) const;
  Status Output(const JsonNode& node, const std::string& pointer, CommandStep* step) const;
  Status Version(const JsonNode& node, const std::string& pointer, CommandStep* step) const;
  Status Render(const JsonNode& root, CommandTarget* target) const;

  const TargetJson json_;
};

Status Reader::Arguments(const JsonNode& node, const std::string& pointer,
                         CommandStep* step) const {
  const std::string at = pointer + "/run";
  if (Status read = json_.Texts(node, pointer, "run", &step->argv); !read) return read;
  if (step->argv.empty() || step->argv[0].empty()) {
    return json_.Refuse(node, at,
                        "missing; expected a list of strings: the program and its arguments");
  }
  const JsonNode& run = *node.Find("run");
  for (size_t i = 0; i < step->argv.size(); ++i) {
    if (i > 0 && IsList(step->argv[i])) continue;
    std::string unknown;
    ReplacePlaceholders(step->argv[i], [&](std::string_view name) {
      if (i == 0 || FindPlaceholder(name) == nullptr) unknown = name;
      return std::string();
    });
    if (unknown.empty()) continue;
    const std::string place = format("{}/{}", at, i);
    if (i == 0) {
      return json_.Refuse(
          run.items[i], place,
          format("the name of the program cannot be a placeholder: {{{}}}", unknown));
    }
    if (IsList(format("{{{}}}", unknown))) {
      return json_.Refuse(run.items[i], place,
                          format("{{{}}} stands for several arguments, so it must be an argument "
                                 "of its own",
                                 unknown));
    }
    return json_.Refuse(
        run.items[i], place,
        format("unknown placeholder {{{}}}; known placeholders: {{in}}, {{out}}, {{env}}, "
               "{{vulkan}}, {{spirv}}, {{entry}}, {{stage}}, {{seed}}, {{passes}}, "
               "{{pass}}, {{layout}}",
               unknown));
  }
  if (!Uses(*step, "in")) return json_.Refuse(run, at, "no argument contains {in}, the input file");
  step->to_standard_output = !Uses(*step, "out");
  if (fs::path program = step->argv[0]; program.has_parent_path() && program.is_relative()) {
    std::error_code error;
    program =
        fs::absolute(fs::path(json_.file()).parent_path() / program, error).lexically_normal();
    step->argv[0] = program.string();
  }
  return {};
}

Status Reader::Output(const JsonNode& node, const std::string& pointer, CommandStep* step) const {
  std::string output;
  if (Status read = json_.Text(node, pointer, "output", true, &output); !read) return read;
  const JsonNode& value = *node.Find("output");
  if (output != "spirv" && output != "text" && output != "none") {
    return json_.Refuse(value, pointer + "/output", "expected \"spirv\", \"text\" or \"none\"");
  }
  step->makes_spirv = output == "spirv";
  step->only_checks = output == "none";
  if (!step->only_checks) return {};
  step->to_standard_output = false;
  if (!Uses(*step, "out")) return {};
  return json_.Refuse(value, pointer + "/output",
                      "\"none\" is for commands that write no output, and this one writes {out}");
}

Status Reader::Step(const JsonNode& node, const std::string& pointer, CommandStep* step) const {
  constexpr std::string_view kKeys[] = {
      "run",  "name",        "output",         "time_limit",     "memory_mib", "version",
      "hint", "unsupported", "spec_constants", "push_constants", "root"};
  if (Status keys = json_.CheckKeys(node, pointer, kKeys); !keys) return keys;
  if (Status read = Arguments(node, pointer, step); !read) return read;
  step->name = fs::path(step->argv[0]).filename().string();
  if (Status read = json_.Text(node, pointer, "name", false, &step->name); !read) return read;
  if (Status read = Output(node, pointer, step); !read) return read;
  uint64_t seconds = 60, mebibytes = kDefaultMebibytes;
  for (const Status& read :
       {json_.Number(node, pointer, "time_limit", kMaxSeconds, &seconds),
        json_.Number(node, pointer, "memory_mib", kMaxMebibytes, &mebibytes),
        Version(node, pointer, step), json_.Texts(node, pointer, "unsupported", &step->unsupported),
        json_.Text(node, pointer, "hint", false, &step->hint),
        json_.ReadRoot(node, pointer, &step->root)}) {
    if (!read) return read;
  }
  for (const auto& [key, keeps] : {std::pair("spec_constants", &step->keeps_spec_constants),
                                   std::pair("push_constants", &step->keeps_push_constants)}) {
    const JsonNode* value = node.Find(key);
    if (value == nullptr) continue;
    if (value->kind != Kind::kBool) {
      return json_.Refuse(*value, format("{}/{}", pointer, key), "expected true or false");
    }
    *keeps = value->boolean;
  }
  step->time_limit = static_cast<double>(seconds);
  step->memory_limit = mebibytes << 20;
  return {};
}

Status Reader::Version(const JsonNode& node, const std::string& pointer, CommandStep* step) const {
  const JsonNode* version = node.Find("version");
  if (version != nullptr && version->kind == Kind::kString) {
    return json_.Text(node, pointer, "version", false, &step->version);
  }
  return json_.Texts(node, pointer, "version", &step->version_arguments);
}

Status Reader::Render(const JsonNode& root, CommandTarget* target) const {
  const JsonNode* node = root.Find("render");
  if (node == nullptr) return {};
  if (node->kind == Kind::kBool) {
    target->render = node->boolean ? CommandTarget::Render::kFirst : CommandTarget::Render::kNone;
    return {};
  }
  if (node->kind != Kind::kString || node->text.empty()) {
    return json_.Refuse(*node, "/render", "expected true, false or the name of a driver target");
  }
  target->render = CommandTarget::Render::kNamed;
  target->driver = node->text;
  return {};
}

Result<CommandTarget> Reader::Read(const JsonNode& root) const {
  constexpr std::string_view kKeys[] = {"name", "description", "commands", "render", "root"};
  CommandTarget target;
  target.file = json_.file();
  if (Status keys = json_.CheckKeys(root, "", kKeys); !keys) return keys.error();
  if (Status read = json_.Title(root, true, &target.name, &target.description); !read) {
    return read.error();
  }
  Root system;
  if (Status read = json_.ReadRoot(root, "", &system); !read) return read.error();
  const JsonNode* commands = root.Find("commands");
  if (commands == nullptr || commands->kind != Kind::kArray || commands->items.empty()) {
    return json_.Refuse(commands != nullptr ? *commands : root, "/commands",
                        "expected a list of at least one command");
  }
  for (size_t i = 0; i < commands->items.size(); ++i) {
    CommandStep step;
    step.version_arguments = {"--version"};
    step.root = system;
    if (Status read = Step(commands->items[i], format("/commands/{}", i), &step); !read) {
      return read.error();
    }
    target.steps.push_back(std::move(step));
  }
  if (Status read = Render(root, &target); !read) return read.error();
  const auto maker = std::find_if(target.steps.rbegin(), target.steps.rend(),
                                  [](const CommandStep& step) { return !step.only_checks; });
  if (maker != target.steps.rend() && !maker->makes_spirv &&
      target.render != CommandTarget::Render::kNone) {
    const size_t i = static_cast<size_t>(target.steps.rend() - maker) - 1;
    return json_.Refuse(
        commands->items[i], format("/commands/{}/output", i),
        "the last command makes text, which cannot be drawn; add \"render\": false to "
        "only run the commands");
  }
  return target;
}

}  // namespace

Result<CommandTarget> ReadCommandTarget(const std::string& file, const JsonNode& root) {
  return Reader(file).Read(root);
}

Result<CommandTarget> ParseCommandTarget(const std::string& file, std::string_view text) {
  const Result<JsonNode> root = ParseJson(file, text);
  if (!root) return WithSource(root.error(), file, text);
  Result<CommandTarget> target = ReadCommandTarget(file, *root);
  if (!target) return WithSource(target.error(), file, text);
  return target;
}

std::vector<CommandTarget> ShippedCommandTargets() {
  std::vector<CommandTarget> targets;
  for (const ShippedTarget& shipped : kShippedTargets) {
    Result<CommandTarget> target =
        ParseCommandTarget(format("(built in) {}", shipped.file), shipped.text);
    CHECK(target.has_value());
    targets.push_back(std::move(*target));
  }
  std::sort(targets.begin(), targets.end(),
            [](const CommandTarget& a, const CommandTarget& b) { return a.name < b.name; });
  return targets;
}

std::string MissingProgram(const CommandTarget& target) {
  for (const CommandStep& step : target.steps) {
    const std::string& program = step.argv[0];
    if (!step.root.problem.empty()) return step.root.problem;
    if (!FindProgramIn(step.root, program).empty()) continue;
    const std::string place = program.find('/') != std::string::npos ? ""
                              : step.root.is_set() ? format(" in the root {}", step.root.folder)
                                                   : " on PATH";
    return format("{}: no such program{}{}", program, place,
                  step.hint.empty() ? "" : format(" ({})", step.hint));
  }
  return {};
}

namespace {

/// The first line that the program prints about its version.
std::string PrintedVersion(const CommandStep& step, const std::string& program) {
  Command command;
  command.argv = {program};
  command.argv.insert(command.argv.end(), step.version_arguments.begin(),
                      step.version_arguments.end());
  command.argv = StartedIn(step.root, std::move(command.argv));
  command.time_limit = 10;
  const Result<CommandResult> result = RunCommand(command);
  for (const std::string& line : Split(result ? result->output : "", '\n')) {
    const std::string_view said = Trim(line).substr(0, 100);
    if (!said.empty()) return std::string(said);
  }
  return "version unknown";
}

}  // namespace

std::string VersionsOf(const CommandTarget& target) {
  std::string text;
  std::vector<std::string> asked;
  for (const CommandStep& step : target.steps) {
    const std::string program = FindProgramIn(step.root, step.argv[0]);
    if (std::find(asked.begin(), asked.end(), program) != asked.end()) continue;
    asked.push_back(program);
    const std::string version = step.version.empty() ? PrintedVersion(step, program) : step.version;
    text += format("{}{}: {}", text.empty() ? "" : "; ", step.name, version);
  }
  return text;
}

std::string ProgramName(const CommandStep& step) {
  return step.argv[0].substr(step.argv[0].rfind('/') + 1);
}

std::string VersionOfStep(const CommandStep& step, std::string_view versions) {
  const std::string mark = step.name + ": ";
  for (size_t at = 0; at < versions.size();) {
    const size_t end = std::min(versions.find("; ", at), versions.size());
    const std::string_view one = versions.substr(at, end - at);
    if (one.starts_with(mark)) return std::string(one.substr(mark.size()));
    at = end + 2;
  }
  return {};
}

std::vector<std::string> Fill(const CommandStep& step, const Placeholders& values) {
  std::vector<std::string> argv = {FindProgramIn(step.root, step.argv[0])};
  for (size_t i = 1; i < step.argv.size(); ++i) {
    const std::string& argument = step.argv[i];
    if (IsList(argument)) {
      const std::vector<std::string>& list = argument == "{layout}" ? values.layout : step.passes;
      argv.insert(argv.end(), list.begin(), list.end());
      continue;
    }
    argv.push_back(ReplacePlaceholders(
        argument, [&](std::string_view name) { return values.*FindPlaceholder(name); }));
  }
  return argv;
}

bool TakesPasses(const CommandTarget& target) {
  return std::any_of(target.steps.begin(), target.steps.end(), [](const CommandStep& step) {
    return Has(step, "{passes}") || Has(step, "{pass}");
  });
}

bool TakesSeed(const CommandTarget& target) {
  return TakesPasses(target) ||
         std::any_of(target.steps.begin(), target.steps.end(),
                     [](const CommandStep& step) { return Uses(step, "seed"); });
}

CommandTarget WithSeed(CommandTarget target, uint64_t seed) {
  target.name = format("{}:{}", target.name, seed);
  target.seed = seed;
  for (CommandStep& step : target.steps) {
    if (Has(step, "{passes}")) step.passes = DrawPassList(seed);
    if (Has(step, "{pass}")) step.passes = DrawPass(seed);
  }
  return target;
}

Result<CommandTarget> WithPasses(CommandTarget target, const std::vector<std::string>& names) {
  const Result<std::vector<std::string>> flags = PassList(names);
  if (!flags) return flags.error();
  std::string joined;
  for (const std::string& name : names) joined += format("{}{}", joined.empty() ? "" : ",", name);
  target.name = format("{}:{}", target.name, joined);
  for (CommandStep& step : target.steps) {
    if (Has(step, "{passes}") || Has(step, "{pass}")) step.passes = *flags;
  }
  return target;
}

}  // namespace target
}  // namespace refract
