// SPDX-License-Identifier: Apache-2.0
#include "harness/command_target.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/file.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "harness/shipped_targets.h"
#include "input/json_text.h"

namespace refract {
namespace {

namespace fs = std::filesystem;
using Kind = JsonNode::Kind;

constexpr uint64_t kMaxFileBytes = uint64_t{1} << 20;
constexpr uint64_t kMaxSeconds = 86400;
constexpr uint64_t kMaxMebibytes = uint64_t{1} << 20;
constexpr uint64_t kDefaultMebibytes = 4096;
constexpr size_t kMaxNameBytes = 64;

constexpr std::pair<std::string_view, std::string Placeholders::*> kPlaceholders[] = {
    {"in", &Placeholders::in},       {"out", &Placeholders::out},
    {"env", &Placeholders::env},     {"vulkan", &Placeholders::vulkan},
    {"spirv", &Placeholders::spirv}, {"entry", &Placeholders::entry},
    {"stage", &Placeholders::stage},
};

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Copies `text`, with `value_of(NAME)` for each {NAME}; braces around anything but a word stay.
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

/// Reads one file; keeps its name for errors.
class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  Result<CommandTarget> Read(const JsonNode& root) const;

 private:
  Error Refuse(const JsonNode& node, std::string_view pointer, std::string_view what) const {
    return Error{format("{}:{}: {}: {}", file_, node.line, pointer.empty() ? "/" : pointer, what)};
  }
  Status CheckKeys(const JsonNode& node, const std::string& pointer,
                   std::span<const std::string_view> known) const;
  Status Text(const JsonNode& parent, const std::string& pointer, std::string_view key,
              bool required, std::string* value) const;
  Status Texts(const JsonNode& parent, const std::string& pointer, std::string_view key,
               std::vector<std::string>* values) const;
  Status Number(const JsonNode& parent, const std::string& pointer, std::string_view key,
                uint64_t highest, uint64_t* value) const;
  Status Step(const JsonNode& node, const std::string& pointer, CommandStep* step) const;
  Status Arguments(const JsonNode& node, const std::string& pointer, CommandStep* step) const;
  Status Render(const JsonNode& root, CommandTarget* target) const;

  const std::string& file_;
};

Status Reader::CheckKeys(const JsonNode& node, const std::string& pointer,
                         std::span<const std::string_view> known) const {
  if (node.kind != Kind::kObject) return Refuse(node, pointer, "expected an object");
  for (const auto& [key, value] : node.members) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string names;
    for (const std::string_view name : known) {
      names += format("{}{}", names.empty() ? "" : ", ", name);
    }
    return Refuse(value, JsonPointer(pointer, key), format("unknown key; there are {}", names));
  }
  return {};
}

Status Reader::Text(const JsonNode& parent, const std::string& pointer, std::string_view key,
                    bool required, std::string* value) const {
  const JsonNode* node = parent.Find(key);
  const std::string at = JsonPointer(pointer, key);
  if (node == nullptr) {
    return required ? Status(Refuse(parent, at, "missing; a string")) : Status();
  }
  if (node->kind != Kind::kString) return Refuse(*node, at, "expected a string");
  const bool plain = std::none_of(node->text.begin(), node->text.end(),
                                  [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (node->text.empty() || !plain) return Refuse(*node, at, "expected one line of text");
  *value = node->text;
  return {};
}

Status Reader::Texts(const JsonNode& parent, const std::string& pointer, std::string_view key,
                     std::vector<std::string>* values) const {
  const JsonNode* node = parent.Find(key);
  if (node == nullptr) return {};
  const std::string at = JsonPointer(pointer, key);
  if (node->kind != Kind::kArray) return Refuse(*node, at, "expected a list of strings");
  values->clear();
  for (size_t i = 0; i < node->items.size(); ++i) {
    const JsonNode& item = node->items[i];
    if (item.kind != Kind::kString || item.text.find('\0') != std::string::npos) {
      return Refuse(item, format("{}/{}", at, i), "expected a string");
    }
    values->push_back(item.text);
  }
  return {};
}

Status Reader::Number(const JsonNode& parent, const std::string& pointer, std::string_view key,
                      uint64_t highest, uint64_t* value) const {
  const JsonNode* node = parent.Find(key);
  if (node == nullptr) return {};
  if (node->kind != Kind::kInteger || node->integer == 0 || node->integer > highest) {
    return Refuse(*node, JsonPointer(pointer, key),
                  format("expected a whole number from 1 to {}", highest));
  }
  *value = node->integer;
  return {};
}

Status Reader::Arguments(const JsonNode& node, const std::string& pointer,
                         CommandStep* step) const {
  const std::string at = pointer + "/run";
  if (Status read = Texts(node, pointer, "run", &step->argv); !read) return read;
  if (step->argv.empty() || step->argv[0].empty()) {
    return Refuse(node, at, "missing; a list of strings: the program and its arguments");
  }
  const JsonNode& run = *node.Find("run");
  for (size_t i = 0; i < step->argv.size(); ++i) {
    std::string unknown;
    ReplacePlaceholders(step->argv[i], [&](std::string_view name) {
      if (i == 0 || FindPlaceholder(name) == nullptr) unknown = name;
      return std::string();
    });
    if (unknown.empty()) continue;
    return Refuse(run.items[i], format("{}/{}", at, i),
                  i == 0 ? format("the program cannot be a placeholder: {{{}}}", unknown)
                         : format("unknown placeholder {{{}}}; there are {{in}}, {{out}}, {{env}}, "
                                  "{{vulkan}}, {{spirv}}, {{entry}}, {{stage}}",
                                  unknown));
  }
  if (!Uses(*step, "in")) return Refuse(run, at, "no argument is {in}, the file to work on");
  step->to_standard_output = !Uses(*step, "out");
  if (fs::path program = step->argv[0]; program.has_parent_path() && program.is_relative()) {
    std::error_code error;
    program = fs::absolute(fs::path(file_).parent_path() / program, error).lexically_normal();
    step->argv[0] = program.string();
  }
  return {};
}

Status Reader::Step(const JsonNode& node, const std::string& pointer, CommandStep* step) const {
  constexpr std::string_view kKeys[] = {"run",        "name",    "output", "time_limit",
                                        "memory_mib", "version", "hint"};
  if (Status keys = CheckKeys(node, pointer, kKeys); !keys) return keys;
  if (Status read = Arguments(node, pointer, step); !read) return read;
  step->name = fs::path(step->argv[0]).filename().string();
  if (Status read = Text(node, pointer, "name", false, &step->name); !read) return read;
  std::string output;
  if (Status read = Text(node, pointer, "output", true, &output); !read) return read;
  if (output != "spirv" && output != "text") {
    return Refuse(*node.Find("output"), pointer + "/output", "expected \"spirv\" or \"text\"");
  }
  step->makes_spirv = output == "spirv";
  uint64_t seconds = 60, mebibytes = kDefaultMebibytes;
  for (const Status& read : {Number(node, pointer, "time_limit", kMaxSeconds, &seconds),
                             Number(node, pointer, "memory_mib", kMaxMebibytes, &mebibytes),
                             Texts(node, pointer, "version", &step->version_arguments),
                             Text(node, pointer, "hint", false, &step->hint)}) {
    if (!read) return read;
  }
  step->time_limit = static_cast<double>(seconds);
  step->memory_limit = mebibytes << 20;
  return {};
}

Status Reader::Render(const JsonNode& root, CommandTarget* target) const {
  const JsonNode* node = root.Find("render");
  if (node == nullptr) return {};
  if (node->kind == Kind::kBool) {
    target->render = node->boolean ? CommandTarget::Render::kFirst : CommandTarget::Render::kNone;
    return {};
  }
  if (node->kind != Kind::kString || node->text.empty()) {
    return Refuse(*node, "/render", "expected true, false or the name of a driver target");
  }
  target->render = CommandTarget::Render::kNamed;
  target->driver = node->text;
  return {};
}

Result<CommandTarget> Reader::Read(const JsonNode& root) const {
  constexpr std::string_view kKeys[] = {"name", "description", "commands", "render"};
  CommandTarget target;
  target.file = file_;
  if (Status keys = CheckKeys(root, "", kKeys); !keys) return keys.error();
  if (Status read = Text(root, "", "name", true, &target.name); !read) return read.error();
  // It becomes part of file names and of lists separated by commas; X.json would be an ICD file.
  const bool fits = std::all_of(target.name.begin(), target.name.end(), [](char c) {
    return IsWordCharacter(c) || c == '-' || c == '.' || c == '+';
  });
  if (!fits || target.name[0] == '-' || target.name[0] == '.' ||
      target.name.size() > kMaxNameBytes || target.name.ends_with(".json")) {
    return Refuse(*root.Find("name"), "/name",
                  "expected letters, digits and _ - . + (at most 64; no .json at the end)");
  }
  if (Status read = Text(root, "", "description", true, &target.description); !read) {
    return read.error();
  }
  const JsonNode* commands = root.Find("commands");
  if (commands == nullptr || commands->kind != Kind::kArray || commands->items.empty()) {
    return Refuse(commands != nullptr ? *commands : root, "/commands",
                  "expected a list of at least one command");
  }
  for (size_t i = 0; i < commands->items.size(); ++i) {
    CommandStep step;
    step.version_arguments = {"--version"};
    if (Status read = Step(commands->items[i], format("/commands/{}", i), &step); !read) {
      return read.error();
    }
    target.steps.push_back(std::move(step));
  }
  if (Status read = Render(root, &target); !read) return read.error();
  if (!target.steps.back().makes_spirv && target.render != CommandTarget::Render::kNone) {
    return Refuse(commands->items.back(), format("/commands/{}/output", target.steps.size() - 1),
                  "the last command makes text, which cannot be rendered; \"render\": false says "
                  "that it need not be");
  }
  return target;
}

}  // namespace

Result<CommandTarget> ParseCommandTarget(const std::string& file, std::string_view text) {
  const Result<JsonNode> root = ParseJson(file, text);
  if (!root) return root.error();
  return Reader(file).Read(*root);
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

Result<std::vector<CommandTarget>> ReadCommandTargets(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const size_t first = files.size();
    for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
      if (it->path().extension() == ".json") files.push_back(it->path().string());
    }
    if (error) return Error{format("{}: cannot read: {}", path, error.message())};
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
  }
  std::vector<CommandTarget> targets;
  std::map<std::string, std::string> file_of;
  for (const std::string& file : files) {
    const Result<std::string> text = ReadFile(file, kMaxFileBytes);
    if (!text) return text.error();
    Result<CommandTarget> target = ParseCommandTarget(file, *text);
    if (!target) return target.error();
    const auto [other, fresh] = file_of.emplace(target->name, file);
    if (!fresh) {
      return Error{format("{}: /name: '{}' is also the name of {}; rename one", file, target->name,
                          other->second)};
    }
    targets.push_back(std::move(*target));
  }
  return targets;
}

std::string MissingProgram(const CommandTarget& target) {
  for (const CommandStep& step : target.steps) {
    const std::string& program = step.argv[0];
    if (!FindProgram(program).empty()) continue;
    return format(
        "{}: {}{}", program,
        program.find('/') == std::string::npos ? "no such program on PATH" : "no such program",
        step.hint.empty() ? "" : format(" ({})", step.hint));
  }
  return {};
}

std::string VersionsOf(const CommandTarget& target) {
  std::string text;
  std::vector<std::string> asked;
  for (const CommandStep& step : target.steps) {
    if (std::find(asked.begin(), asked.end(), step.argv[0]) != asked.end()) continue;
    asked.push_back(step.argv[0]);
    Command command;
    command.argv = {FindProgram(step.argv[0])};
    command.time_limit = 10;
    command.argv.insert(command.argv.end(), step.version_arguments.begin(),
                        step.version_arguments.end());
    const Result<CommandResult> result = RunCommand(command);
    std::string version = "version unknown";
    for (const std::string& line : Split(result ? result->output : "", '\n')) {
      const std::string_view said = Trim(line).substr(0, 100);
      if (said.empty()) continue;
      version = said;
      break;
    }
    text += format("{}{}: {}", text.empty() ? "" : "; ", step.name, version);
  }
  return text;
}

std::vector<std::string> Fill(const CommandStep& step, const Placeholders& values) {
  std::vector<std::string> argv = {FindProgram(step.argv[0])};
  for (size_t i = 1; i < step.argv.size(); ++i) {
    argv.push_back(ReplacePlaceholders(
        step.argv[i], [&](std::string_view name) { return values.*FindPlaceholder(name); }));
  }
  return argv;
}

}  // namespace refract
