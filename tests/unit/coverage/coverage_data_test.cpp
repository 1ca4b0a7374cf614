// SPDX-License-Identifier: Apache-2.0
// Coverage data: the file, the formats of other tools, comparisons and gaps.
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "coverage/compare.h"
#include "coverage/formats.h"
#include "coverage/gaps.h"
#include "coverage/html.h"
#include "folder/gzip.h"

namespace refract {
namespace {

CoverageData Made(const std::vector<std::vector<bool>>& lines_of_tests) {
  CoverageData data;
  data.target = "opt";
  data.program = "p";
  data.files = {{"a.cpp", {2, 3, 7}, {{"F", 2}}}, {"b/c.cpp", {1}, {{"G", 1}, {"H", 1}}}};
  for (size_t i = 0; i < lines_of_tests.size(); ++i) {
    data.tests.push_back({"t" + std::to_string(i), lines_of_tests[i], {i == 0, false, true}});
  }
  return data;
}

TEST(CoverageData, ComesBackFromItsText) {
  const CoverageData data = Made({{true, true, false, false}, {false, false, true, true}});
  const std::string text = CoverageText(data);
  const Result<CoverageData> back = ParseCoverage("f", text);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(CoverageText(*back), text);
  EXPECT_EQ(back->tests[1].lines, data.tests[1].lines);
  EXPECT_EQ(back->All().functions, (std::vector<bool>{true, false, true}));
  const Result<std::string> plain = Decompressed("f", Compressed(text), 1 << 20);
  ASSERT_TRUE(plain);
  EXPECT_EQ(*plain, text);
  EXPECT_FALSE(Decompressed("f", Compressed(text), 10));
  EXPECT_FALSE(Decompressed("f", Compressed(text).substr(0, 40), 1 << 20));
}

TEST(CoverageData, RefusesWhatDoesNotFit) {
  const std::string text = CoverageText(Made({{true, true, false, false}}));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    const Result<CoverageData> read = ParseCoverage("f", other);
    return read ? "accepted" : read.error().message;
  };
  EXPECT_EQ(changed("\"lines\":[0,2,2]", "\"lines\":[0,2,3]"),
            "f: test 't0': the lengths do not fit the files");
  EXPECT_EQ(changed("[2,1,4]", "[2,0,4]"), "f: lines must ascend");
  EXPECT_EQ(changed("\"a.cpp\"", "\"z.cpp\""), "f: the files are not sorted");
  EXPECT_EQ(changed(":1,", ":2,"), "f: made by another version of Refract");
  EXPECT_TRUE(changed("\"target\"", "\"goal\"").starts_with("f: not coverage data: "));
  EXPECT_TRUE(changed("}", "").starts_with("f: not coverage data: "));
}

// The lines of a file, "3+" if it ran and "3" if not, and then the functions.
std::string LinesOf(const std::string& text, const std::string& root = {}) {
  const Result<CoverageData> data = ParseAnyCoverage("f", text, root);
  if (!data) return data.error().message;
  std::string shown;
  size_t line = 0, function = 0;
  const TestHits all = data->All();
  for (const SourceFile& file : data->files) {
    shown += file.name + ":";
    for (const uint32_t number : file.lines) {
      shown += " " + std::to_string(number) + (all.lines[line++] ? "+" : "");
    }
    for (const SourceFunction& each : file.functions) {
      shown += " " + each.name + "@" + std::to_string(each.line);
      shown += all.functions[function++] ? "+" : "";
    }
    shown += "; ";
  }
  return shown;
}

TEST(CoverageFormats, ReadsLcov) {
  const std::string text =
      "TN:\nSF:/s/x/a.cpp\nFN:3,Foo(int, int)\nFN:5,9,Bar\nFNDA:2,Foo(int, int)\nFNDA:0,Bar\n"
      "DA:3,2\nDA:4,0,abc\nBRDA:3,0,0,1\nend_of_record\nSF:/s/b.h\nDA:1,1\nend_of_record\n";
  EXPECT_EQ(LinesOf(text), "b.h: 1+; x/a.cpp: 3+ 4 Bar@5 Foo(int, int)@3+; ");
  EXPECT_EQ(LinesOf(text, "/s/x/"), "a.cpp: 3+ 4 Bar@5 Foo(int, int)@3+; ");
  EXPECT_EQ(LinesOf("DA:3,2\n"), "f:1: not a record of lcov");
  EXPECT_EQ(LinesOf("SF:a\nDA:x,2\n"), "f:2: not a record of lcov");
  EXPECT_EQ(LinesOf("SF:a\nDA:1,2\n"), "f: the last end_of_record is missing");
  EXPECT_EQ(LinesOf(""), "f: no source file in it");
}

TEST(CoverageFormats, ReadsLlvm) {
  // A function of lines 1 to 6: line 3 begins a region that did not run and ends in line 4; line 5
  // is a skipped region.
  const std::string text = R"({"data":[{"files":[{"filename":"/s/a.cpp","segments":[
      [1,10,5,true,true,false],[3,4,0,true,true,false],[4,3,5,true,false,false],
      [5,1,0,false,true,false],[6,2,0,false,false,false]]}],
      "functions":[{"name":"F","count":5,"filenames":["/s/a.cpp"],"regions":[[1,10,6,2,5]]}]}],
      "type":"llvm.coverage.json.export","version":"2.0.1"})";
  EXPECT_EQ(LinesOf(text), "a.cpp: 1+ 2+ 3+ 4 F@1+; ");
  EXPECT_EQ(LinesOf("{}"), "f: JSON of neither llvm-cov nor gcov");
  EXPECT_TRUE(LinesOf("{\"data\":[{}]}").starts_with("f: not coverage data: "));
}

TEST(CoverageFormats, ReadsGcov) {
  const std::string text = R"gcov({"format_version":"1","gcc_version":"12",
      "current_working_directory":"/s/b","data_file":"a","files":[
      {"file":"../a.cpp",
       "functions":[{"demangled_name":"f()","name":"_f","start_line":2,"execution_count":0}],
       "lines":[{"line_number":2,"count":0},{"line_number":3,"count":7}]},
      {"file":"/s/b/c.h","functions":[],"lines":[{"line_number":1,"count":1}]}]})gcov";
  EXPECT_EQ(LinesOf(text), "a.cpp: 2 3+ f()@2; b/c.h: 1+; ");
}

TEST(CoverageComparison, CountsBothWays) {
  const CoverageComparison both =
      CompareCoverage(Made({{true, true, false, false}}), Made({{false, true, true, false}}));
  const FileCounts total = both.total();
  EXPECT_EQ(total.lines.all, 4u);
  EXPECT_EQ(total.lines.a, 2u);
  EXPECT_EQ(total.lines.only_a, 1u);
  EXPECT_EQ(total.lines.only_b, 1u);
  ASSERT_EQ(both.ByFolder().size(), 2u);
  EXPECT_EQ(both.ByFolder()[0].name, ".");
  EXPECT_EQ(both.ByFolder()[1].name, "b");
  const std::string json = ComparisonJson(both);
  EXPECT_NE(json.find("\"lines_only_b\": [\n        7\n      ]"), std::string::npos) << json;
}

TEST(CoverageComparison, WritesPagesWithTheSource) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(WriteFile(folder->path() + "/a.cpp", "one\nif (a < b)\nth\xe2\x80\xaeree\n"));
  const CoverageComparison both =
      CompareCoverage(Made({{false, true, false, false}}), Made({{true, true, false, false}}));
  const std::string out = folder->path() + "/out";
  ASSERT_TRUE(WriteComparisonPages(both, folder->path(), {"A & co", "B"}, out));
  const Result<std::string> index = ReadFile(out + "/index.html");
  ASSERT_TRUE(index);
  EXPECT_NE(index->find("A &amp; co"), std::string::npos);
  EXPECT_NE(index->find("<a href=\"file_1.html\">a.cpp</a>"), std::string::npos);
  const Result<std::string> page = ReadFile(out + "/file_1.html");
  ASSERT_TRUE(page);
  EXPECT_NE(page->find("<span class=\"b\" id=\"l2\">     2  if (a &lt; b)</span>"),
            std::string::npos);
  EXPECT_NE(page->find("<span class=\"ab\" id=\"l3\">     3  th\xef\xbf\xbdree</span>"),
            std::string::npos);
  EXPECT_FALSE(FileExists(out + "/file_2.html")) << "nothing differs in b/c.cpp";
}

TEST(CoverageGaps, FewestTestsFirst) {
  const CoverageData a = Made({{false, true, false, false}});
  const CoverageData b =
      Made({{true, false, true, false}, {true, false, true, true}, {false, true, false, false}});
  const std::vector<CoverageGap> gaps = FindGaps(a, b);
  ASSERT_EQ(gaps.size(), 3u);
  EXPECT_EQ(gaps[0].file, "b/c.cpp");
  EXPECT_EQ(gaps[0].tests, std::vector<size_t>{1});
  EXPECT_EQ(gaps[1].first, 2u);
  EXPECT_EQ(gaps[1].last, 2u) << "line 3 is between";
  EXPECT_EQ(gaps[2].first, 7u);
  EXPECT_EQ(gaps[2].tests, (std::vector<size_t>{0, 1}));
  const std::vector<GapTest> chosen = TestsForGaps(gaps, b.tests.size());
  ASSERT_EQ(chosen.size(), 1u);
  EXPECT_EQ(chosen[0].test, 1u);
  EXPECT_EQ(chosen[0].gaps, (std::vector<size_t>{0, 1, 2}));
  EXPECT_TRUE(FindGaps(b, a).empty());
}

TEST(CoverageGaps, JoinsLinesOfTheSameTests) {
  const std::vector<CoverageGap> gaps =
      FindGaps(Made({{false, false, false, false}}), Made({{true, true, true, false}}));
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].first, 2u);
  EXPECT_EQ(gaps[0].last, 7u);
  EXPECT_EQ(gaps[0].lines, 3u);
}

}  // namespace
}  // namespace refract
