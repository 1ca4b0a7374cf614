// SPDX-License-Identifier: Apache-2.0
#include "dedup/failing_tests.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "folder/file_names.h"
#include "folder/test_folder.h"
#include "ir/tools.h"
#include "wire/recording_file.h"
#include "wire/text.h"

namespace refract {
inline namespace dedup {
namespace {

constexpr uint64_t kMaxDelta = uint64_t{64} << 20;

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

template <class T>
void SortUnique(std::vector<T>* values) {
  std::sort(values->begin(), values->end());
  values->erase(std::unique(values->begin(), values->end()), values->end());
}

void SetSteps(const message::Recording& recording, DedupTest* test) {
  for (const message::Step& step : recording.steps) {
    test->types.emplace_back(message::KindName(step.transformation.kind));
    test->shapes.push_back(ShapeOf(ToText(step.transformation)));
  }
  SortUnique(&test->types);
  SortUnique(&test->shapes);
  test->steps = recording.steps.size();
}

// True for opcodes that say little about a bug. Types and constants come with the instructions that
// need them, labels and branches with every block.
bool IsUninformative(std::string_view opcode) {
  for (const std::string_view prefix : {"OpType", "OpConstant", "OpName", "OpMemberName"}) {
    if (opcode.starts_with(prefix)) return true;
  }
  return opcode == "OpLabel" || opcode == "OpBranch" || opcode == "OpDecorate";
}

// The added and removed lines of a difference, with their opcodes and without ids.
void SetDelta(std::string_view delta, DedupTest* test) {
  for (const std::string& line : Split(delta, '\n')) {
    if (!line.starts_with('+') && !line.starts_with('-')) continue;
    const std::string plain = LineWithoutIds(std::string_view(line).substr(1));
    if (plain.empty()) continue;
    test->opcodes.push_back(line[0] + plain.substr(0, plain.find(' ')));
    test->lines.push_back(line[0] + plain);
  }
  SortUnique(&test->opcodes);
  SortUnique(&test->lines);
}

// A module that cannot be read has no features.
void SetProgram(const std::string& file, DedupTest* test) {
  const Result<std::string> bytes = ReadFile(file, kMaxDelta);
  if (!bytes) return;
  std::vector<uint32_t> words(bytes->size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes->data(), words.size() * sizeof(uint32_t));
  const Result<std::string> text = Disassemble(words);
  if (!text) return;
  for (const std::string& line : Split(*text, '\n')) {
    std::string plain = LineWithoutIds(line);
    if (!plain.empty()) test->program.push_back(std::move(plain));
  }
  SortUnique(&test->program);
}

Result<DedupTest> ReadFolder(const std::string& folder) {
  const Result<TestRecord> record = ReadTestRecord(folder);
  if (!record) return record.error();
  if (!record->covers.empty()) {
    return Error{format("{}: a test for coverage, which shows no failure", folder)};
  }
  DedupTest test;
  test.path = folder;
  test.verdict = record->verdict;
  test.signature = record->signature;
  test.target = record->target.name;
  test.blamed = record->blamed;
  test.pass = record->blamed_pass;
  SetProgram(format("{}/{}", folder, kSmallest), &test);
  if (!record->HasVariant()) {  // there are no steps
    test.reduced = record->minimal || record->unchanged;
    return test;
  }
  const Result<message::Recording> recording = ReadTestRecording(folder);
  if (!recording) return recording.error();
  test.reduced = FileExists(folder + "/reduced.refract");
  SetSteps(*recording, &test);
  if (const Result<std::string> delta = ReadFile(format("{}/{}", folder, kDelta), kMaxDelta)) {
    SetDelta(*delta, &test);
  }
  return test;
}

Result<DedupTest> ReadBareRecording(const std::string& file) {
  const Result<std::string> bytes = ReadFile(file, kMaxRecordingBytes);
  if (!bytes) return bytes.error();
  const Result<message::Recording> recording = ReadRecording(*bytes, file);
  if (!recording) return recording.error();
  DedupTest test;
  test.path = file;
  SetSteps(*recording, &test);
  return test;
}

}  // namespace

std::string ShapeOf(std::string_view step) {
  std::string shape;
  std::set<std::string> seen;
  for (std::string word : Split(step, ' ')) {
    if (word.ends_with(':')) word.pop_back();
    const bool is_name = !word.empty() && IsLetter(word[0]);
    if (!is_name || !seen.insert(word).second) continue;
    shape += (shape.empty() ? "" : " ") + word;
  }
  return shape;
}

std::string LineWithoutIds(std::string_view line) {
  const size_t equals = line.find(" = Op");
  const size_t begin = equals == std::string_view::npos ? line.find("Op") : equals + 3;
  if (begin == std::string_view::npos) return {};
  std::string plain;
  for (const std::string& word : Split(line.substr(begin), ' ')) {
    if (plain.empty()) {
      if (IsUninformative(word)) return {};
      plain = word;
    } else if (!word.empty() && IsLetter(word[0])) {
      plain += " " + word;
    }
  }
  return plain;
}

Result<DedupTests> FindTests(const std::string& folder) {
  const Result<std::vector<std::string>> files = ListFiles(folder);
  if (!files) return files.error();
  const auto unfinished = [&](const std::string& file) {
    return file.find(".tmp/", folder.size()) != std::string::npos;
  };
  const auto parent = [](const std::string& file) {
    return file.substr(0, file.find_last_of('/'));
  };
  std::set<std::string> folders;
  for (const std::string& file : *files) {
    if (file.ends_with(format("/{}", kTestJson)) && !unfinished(file)) folders.insert(parent(file));
  }
  DedupTests found;
  const auto add = [&](Result<DedupTest> test) {
    if (test) {
      found.tests.push_back(std::move(*test));
    } else {
      found.left_out.push_back(test.error().message);
    }
  };
  for (const std::string& each : folders) add(ReadFolder(each));
  for (const std::string& file : *files) {
    if (Extension(file) != ".refract" || unfinished(file)) continue;
    if (!folders.contains(parent(file))) add(ReadBareRecording(file));
  }
  std::sort(found.tests.begin(), found.tests.end(),
            [](const DedupTest& a, const DedupTest& b) { return a.path < b.path; });
  std::sort(found.left_out.begin(), found.left_out.end());
  return found;
}

}  // namespace dedup
}  // namespace refract
