// SPDX-License-Identifier: Apache-2.0
#include "fuzz/coverage_files.h"

#include <cstring>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "coverage/block_file.h"
#include "coverage/compare.h"
#include "coverage/formats.h"
#include "coverage/gaps.h"
#include "coverage/map_file.h"
#include "folder/gzip.h"

namespace refract::fuzz {
namespace {

constexpr std::string_view kTexts[] = {
    "TN:\nSF:/s/x/a.cpp\nFN:3,Foo(int, int)\nFN:5,9,Bar\nFNDA:2,Foo(int, int)\nFNDA:0,Bar\n"
    "DA:3,2\nDA:4,0,abc\nBRDA:3,0,0,1\nend_of_record\nSF:/s/b.h\nDA:1,1\nend_of_record\n",
    R"({"data":[{"files":[{"filename":"/s/a.cpp","segments":[
      [1,10,5,true,true,false],[3,4,0,true,true,false],[4,3,5,true,false,false],
      [5,1,0,false,true,false],[6,2,0,false,false,false]]}],
      "functions":[{"name":"F","count":5,"filenames":["/s/a.cpp"],"regions":[[1,10,6,2,5]]}]}],
      "type":"llvm.coverage.json.export","version":"2.0.1"})",
    R"gcov({"format_version":"1","gcc_version":"12","current_working_directory":"/s/b",
      "data_file":"a","files":[{"file":"../a.cpp",
       "functions":[{"demangled_name":"f()","name":"_f","start_line":2,"execution_count":0}],
       "lines":[{"line_number":2,"count":0},{"line_number":3,"count":7}]},
      {"file":"/s/b/c.h","functions":[],"lines":[{"line_number":1,"count":1}]}]})gcov",
};
constexpr const char* kHash = "0123456789abcdef";

CoverageData SampleData() {
  CoverageData data;
  data.target = "opt";
  data.program = kHash;
  data.files = {{"a.cpp", {2, 3, 7}, {{"F", 2}}}, {"b/c.cpp", {1, 900}, {{"G", 1}, {"H", 1}}}};
  data.tests = {{"one.frag", {true, true, false, false, true}, {true, false, true}},
                {"two.comp", {false, true, true, false, false}, {false, false, true}}};
  return data;
}

std::string SampleBlockFile() {
  constexpr uint64_t kBlocks = 5, kPage = 4096;
  std::string bytes(2 * kPage + 16 * kBlocks, '\0');
  bytes.replace(0, 8, "RFRBLK01");
  std::memcpy(bytes.data() + 8, &kBlocks, sizeof kBlocks);
  bytes.replace(24, 8, "/bin/opt");
  for (uint64_t i = 0; i < kBlocks; ++i) {
    const uint64_t block[] = {0x1000 + 16 * i, i & 1};
    std::memcpy(bytes.data() + 2 * kPage + 16 * i, block, sizeof block);
    bytes[kPage + i] = static_cast<char>(i & 1);
  }
  return bytes;
}

// The text of a source map.
std::string SampleMap() {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  if (!folder) return {};
  SourceMap map;
  map.files = SampleData().files;
  map.lines = {{0, 1}, {}, {2, 4}};
  map.functions = {0, std::nullopt, 2};
  const std::string file = folder->path() + "/map.gz";
  if (!WriteSourceMap(file, kHash, map)) return {};
  const Result<std::string> bytes = ReadFile(file);
  if (!bytes) return {};
  Result<std::string> text = Decompressed(file, *bytes, uint64_t{1} << 20);
  return text ? std::move(*text) : std::string();
}

// The error of a reader, if it does not name the file.
template <class Value>
std::optional<std::string> FaultOf(const Result<Value>& read, const std::string& file) {
  if (read || read.error().message.starts_with(file + ":")) return std::nullopt;
  return "an error without the file: " + read.error().message;
}

}  // namespace

std::string AnyCoverageFile(Random& random) {
  static const std::string map = SampleMap();
  const uint64_t drawn = random.Below(std::size(kTexts) + 3);
  const bool compressed = random.Percent(20);
  std::string bytes = drawn < std::size(kTexts)    ? std::string(kTexts[drawn])
                      : drawn == std::size(kTexts) ? CoverageText(SampleData())
                                                   : SampleBlockFile();
  if (drawn == std::size(kTexts) + 1) {
    bytes = map;
  }
  return compressed ? Compressed(bytes) : bytes;
}

std::optional<std::string> ReadCoverageFile(const std::string& bytes, bool* accepted) {
  static const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  if (!folder) return folder.error().message;
  const std::string file = folder->path() + "/damaged";
  if (!WriteFile(file, bytes)) return "cannot write " + file;
  const Result<BlockFile> blocks = ReadBlockFile(file);
  if (auto fault = FaultOf(blocks, file)) return fault;
  const Result<SourceMap> map = ReadSourceMap(file, kHash);
  if (auto fault = FaultOf(map, file)) return fault;
  if (map) map->HitsOf("", std::vector<bool>(map->lines.size(), true));
  const Result<CoverageData> data = ReadCoverage(file);
  if (auto fault = FaultOf(data, file)) return fault;
  *accepted = blocks || map || data;
  if (!data) return std::nullopt;
  static_cast<void>(ComparisonText(CompareCoverage(*data, SampleData())));
  const std::vector<CoverageGap> gaps = FindGaps(SampleData(), *data);
  if (!gaps.empty()) TestsForGaps(gaps, data->tests.size());
  const std::string text = CoverageText(*data);
  const Result<CoverageData> again = ParseCoverage("again", text);
  if (!again) return "written data cannot be read: " + again.error().message;
  if (CoverageText(*again) != text) return "the data change when they are written";
  return std::nullopt;
}

}  // namespace refract::fuzz
