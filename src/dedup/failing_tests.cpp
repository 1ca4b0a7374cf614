// SPDX-License-Identifier: Apache-2.0
#include "dedup/failing_tests.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "folder/file_names.h"
#include "folder/test_folder.h"
#include "ir/tools.h"
#include "wire/recording_file.h"

namespace refract {
inline namespace dedup {
namespace {

constexpr uint64_t kMaxDelta = uint64_t{64} << 20;

template <class T>
void SortUnique(std::vector<T>* values) {
  std::sort(values->begin(), values->end());
  values->erase(std::unique(values->begin(), values->end()), values->end());
}

void SetSteps(const message::Recording& recording, DedupTest* test) {
  for (const message::Step& step : recording.steps) {
    test->types.emplace_back(message::KindName(step.transformation.kind));
  }
  SortUnique(&test->types);
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

// The opcodes on the added and removed lines of a difference: "+%7 = OpIMul %4 %5 %5" gives
// "+OpIMul".
std::vector<std::string> OpcodesIn(std::string_view delta) {
  std::vector<std::string> opcodes;
  for (const std::string& line : Split(delta, '\n')) {
    if (!line.starts_with('+') && !line.starts_with('-')) continue;
    const size_t equals = line.find(" = Op");
    const size_t begin = equals == std::string::npos ? line.find("Op") : equals + 3;
    if (begin == std::string::npos) continue;
    const std::string opcode = line.substr(begin, line.find(' ', begin) - begin);
    if (!IsUninformative(opcode)) opcodes.push_back(line[0] + opcode);
  }
  SortUnique(&opcodes);
  return opcodes;
}

Result<DedupTest> ReadFolder(const std::string& folder) {
  const Result<TestRecord> record = ReadTestRecord(folder);
  if (!record) return record.error();
  DedupTest test;
  test.path = folder;
  test.verdict = record->verdict;
  test.signature = record->signature;
  test.target = record->target.name;
  if (!record->HasVariant()) {  // there are no steps
    test.reduced = record->minimal || record->unchanged;
    return test;
  }
  const Result<message::Recording> recording = ReadTestRecording(folder);
  if (!recording) return recording.error();
  test.reduced = FileExists(folder + "/reduced.refract");
  SetSteps(*recording, &test);
  if (const Result<std::string> delta = ReadFile(format("{}/{}", folder, kDelta), kMaxDelta)) {
    test.opcodes = OpcodesIn(*delta);
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
