// SPDX-License-Identifier: Apache-2.0
#include "cts/cts_test.h"

#include <algorithm>
#include <set>

#include "base/file.h"
#include "base/hash.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "folder/amber.h"
#include "folder/amber_shader.h"
#include "folder/file_names.h"

namespace refract {
inline namespace cts {
namespace {

constexpr size_t kMostNameBytes = 100;
constexpr size_t kWidth = 96;
constexpr double kCrossSeconds = 60;

// The notice that the appendix of the licence says to attach to each file.
constexpr const char* kNotice[] = {
    "Licensed under the Apache License, Version 2.0 (the \"License\");",
    "you may not use this file except in compliance with the License.",
    "You may obtain a copy of the License at",
    "",
    "     http://www.apache.org/licenses/LICENSE-2.0",
    "",
    "Unless required by applicable law or agreed to in writing, software",
    "distributed under the License is distributed on an \"AS IS\" BASIS,",
    "WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.",
    "See the License for the specific language governing permissions and",
    "limitations under the License.",
};

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7f; });
}

// A line of a comment. The suite accepts neither tabs after blanks, blanks at the end of a line,
// nor characters outside of ASCII.
std::string CommentLine(std::string_view text) {
  std::string line = "# ";
  for (const char c : text) {
    if (c == '\t') {
      line += "    ";
    } else {
      line += c >= ' ' && c < 0x7f ? c : '?';
    }
  }
  line.resize(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string Paragraph(std::string_view text) {
  std::string lines, line;
  for (const std::string& word : Split(text, ' ')) {
    if (!line.empty() && line.size() + 1 + word.size() > kWidth) {
      lines += CommentLine(line);
      line.clear();
    }
    line += line.empty() ? word : " " + word;
  }
  return lines + CommentLine(line);
}

std::string VerdictPhrase(const TestRecord& record) {
  switch (record.verdict) {
    case FailureClass::kWrongImage:
      return "drew a wrong image";
    case FailureClass::kWrongBuffer:
      return "wrote wrong values";
    case FailureClass::kHang:
      return "did not end";
    case FailureClass::kRejected:
      return "was rejected";
    default:
      return "failed";
  }
}

std::string List(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string WhatIsTested(const AmberScript& script) {
  const TestRecord& record = script.record;
  if (!record.covers.empty()) {
    return format(
        "What is tested: a {} shader for which {} runs code that the other tests of a suite did "
        "not run: {}. Refract made the shader smaller as long as this code ran.",
        AmberStage(script.shaders.front().stage), record.target.name, record.covers);
  }
  std::string text =
      format("What is tested: a {} shader that {} on {}{}",
             AmberStage(script.shaders.front().stage), VerdictPhrase(record), record.target.name,
             record.target.version.empty() ? "" : format(" ({})", record.target.version));
  text += record.what.empty() ? "." : format(": {}.", record.what);
  if (!record.blamed.empty()) {
    text += format(" The failure is one of {}{}.", record.blamed,
                   record.blamed_pass.empty() ? "" : ", " + record.blamed_pass);
  }
  if (record.IsProgram()) {
    text += " Refract generated the program and made it smaller.";
  } else if (!record.types.empty()) {
    text += format(
        " Refract made it from a shader that works, by steps that do not change what a shader "
        "computes ({}), and left out the steps that are not needed.",
        List(record.types));
  }
  return text;
}

std::string WhyItIsRight(const AmberScript& script, bool self_checking) {
  const bool compute = script.shaders.front().stage == spv::ExecutionModel::GLCompute;
  std::string text = "Why the expected result is right: ";
  if (self_checking) {
    text += compute
                ? "the shader compares the values that it computed with constants, and writes 1 "
                  "if all are equal. The constants are"
                : "the shader compares the colours that it computed with constants, and draws red "
                  "if all are equal. The constants are";
  } else {
    text += "the script expects";
  }
  return text +
         " what Refract's interpreter computes for the shader. The interpreter follows the "
         "specifications of SPIR-V and Vulkan. It found no undefined behaviour and no order of "
         "execution that changes the result, and the specifications allow only one result for each "
         "value that is expected.";
}

std::string_view CrossStage(spv::ExecutionModel stage) {
  if (stage == spv::ExecutionModel::GLCompute) return "comp";
  return stage == spv::ExecutionModel::Vertex ? "vert" : "frag";
}

// The shader in GLSL as a comment. If SPIRV-Cross cannot write it, the comment says so.
Result<std::string> GlslComment(const ScriptShader& shader, const std::string& program) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  if (!folder) return folder.error();
  const std::string file = folder->path() + "/shader.spv";
  const std::string out = folder->path() + "/shader.glsl";
  const std::string_view bytes(reinterpret_cast<const char*>(shader.words.data()),
                               shader.words.size() * 4);
  if (Status written = WriteFile(file, bytes); !written) return written.error();
  Command command;
  command.argv = {program,
                  file,
                  "--version",
                  "450",
                  "--vulkan-semantics",
                  "--entry",
                  shader.entry,
                  "--stage",
                  std::string(CrossStage(shader.stage)),
                  "--output",
                  out};
  command.time_limit = kCrossSeconds;
  const Result<CommandResult> run = RunCommand(command);
  if (!run) return run.error();
  const Result<std::string> glsl = ReadFile(out);
  if (run->end != CommandResult::End::kExit || run->exit_code != 0 || !glsl) {
    return Paragraph(format("SPIRV-Cross cannot write {} as GLSL.", shader.name));
  }
  std::string text = Paragraph(format("{} as GLSL, written by SPIRV-Cross:", shader.name));
  std::vector<std::string> lines = Split(*glsl, '\n');
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (const std::string& line : lines) text += CommentLine("  " + line);
  return text;
}

std::vector<std::string> IndexRequirements(const AmberRequirements& needs) {
  std::set<std::string> all = needs.extensions;
  all.insert(needs.properties.begin(), needs.properties.end());
  for (const std::string& feature : needs.features) {
    all.insert(feature.find('.') == std::string::npos ? "Features." + feature : feature);
  }
  return {all.begin(), all.end()};
}

std::string VerdictWords(const TestRecord& record) {
  if (!record.covers.empty()) return "coverage";
  std::string words(FailureClassName(record.verdict));
  std::replace(words.begin(), words.end(), '_', '-');
  return words;
}

}  // namespace

Status CheckTestName(const std::string& name) {
  const auto is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  if (!name.empty() && name.size() <= kMostNameBytes &&
      std::all_of(name.begin(), name.end(), is_good) && name.front() != '-' && name.back() != '-' &&
      name.find("--") == std::string::npos) {
    return {};
  }
  return Error{
      format("'{}' is no name for a test: it must have lower-case letters, digits and "
             "single hyphens between them, and at most {} characters",
             name, kMostNameBytes)};
}

Status CheckCopyright(const std::string& line) {
  if (line.starts_with("Copyright ") && IsPrintable(line)) return {};
  return Error{
      format("'{}' is no copyright line: it must begin with 'Copyright ' and be one line of "
             "printable ASCII, such as 'Copyright 2026 The Authors'",
             line)};
}

Result<CtsTest> MakeCtsTest(const std::string& folder, const CtsTestOptions& options) {
  AmberOptions amber;
  amber.description = options.description;
  amber.self_checking = FileExists(format("{}/{}", folder, kSelfChecking));
  amber.only_values = true;
  const Result<AmberScript> script = AmberPartsOf(folder, amber);
  if (!script) return script.error();
  CtsTest test;
  test.folder = folder;
  test.description = script->description;
  std::replace(test.description.begin(), test.description.end(), '"', '\'');
  test.requirements = IndexRequirements(script->needs);
  test.name = options.name;
  if (test.name.empty()) {
    test.name =
        format("refract-{}-{}-{}", AmberStage(script->shaders.front().stage),
               VerdictWords(script->record), ContentHash(StatementsOf(script->body)).substr(0, 8));
  }
  test.text = "#!amber\n\n" + CommentLine(options.copyright) + "#\n";
  for (const char* line : kNotice) test.text += CommentLine(line);
  test.text +=
      format("\n# A test for {} found by Refract.\n\n# Short description: {}\n\n",
             script->record.covers.empty() ? "a bug" : "a gap of coverage", test.description);
  test.text += Paragraph(WhatIsTested(*script)) + "#\n";
  test.text += Paragraph(WhyItIsRight(*script, amber.self_checking)) + "\n";
  if (!options.spirv_cross.empty()) {
    for (const ScriptShader& shader : script->shaders) {
      const Result<std::string> glsl = GlslComment(shader, options.spirv_cross);
      if (!glsl) return glsl.error();
      test.text += *glsl + "\n";
    }
  }
  test.text += script->body;
  return test;
}

std::string StatementsOf(const std::string& script) {
  std::string statements;
  for (const std::string& line : Split(script, '\n')) {
    const std::string_view text = Trim(line);
    if (!text.empty() && text.front() != '#') statements += format("{}\n", text);
  }
  return statements;
}

Result<std::vector<std::string>> FindTestFolders(const std::string& path) {
  if (FileExists(format("{}/{}", path, kTestJson))) return std::vector<std::string>{path};
  const Result<std::vector<std::string>> files = ListFiles(path);
  if (!files) return files.error();
  std::vector<std::string> muted = {path + "/own_errors/"};
  for (const std::string& file : *files) {
    constexpr std::string_view kMark = "NOT_INTERESTING";
    if (file.ends_with(format("/{}", kMark)))
      muted.push_back(file.substr(0, file.size() - kMark.size()));
  }
  std::vector<std::string> folders;
  for (const std::string& file : *files) {
    if (!file.ends_with(format("/{}", kTestJson)) || file.find(".tmp/") != std::string::npos) {
      continue;
    }
    const bool is_muted = std::any_of(muted.begin(), muted.end(), [&](const std::string& start) {
      return file.starts_with(start);
    });
    if (!is_muted) folders.push_back(file.substr(0, file.size() - kTestJson.size() - 1));
  }
  if (folders.empty()) return Error{format("{}: there is no test folder", path)};
  return folders;
}

}  // namespace cts
}  // namespace refract
