// SPDX-License-Identifier: Apache-2.0
#include "coverage/source_map.h"

#include <gtest/gtest.h>

#include "coverage/block_file.h"

namespace refract {
namespace {

constexpr std::string_view kTable = R"(
opt:     file format elf64-x86-64

Contents of the .debug_line section:

CU: /build//src/opt/main.cpp:
File name                            Line number    Starting address    View    Stmt
opt/main.cpp                                   3              0x1000               x
opt/main.cpp                                   4              0x1008       1       x
opt/main.cpp                                   0              0x1010
opt/main.cpp                                   5              0x1020               x

../src/opt/a b.h:[++]
a b.h                                          9              0x1024               x
a b.h                                          -              0x1040

/usr/include/vector:
vector                                       100              0x1030               x

/build//src/opt/b.cpp:
opt/b.cpp                                      7              0x0800               x

/build//src/opt/b.h:[++]
opt/b.h                                        8              0x0804               x
)";

TEST(SourceMap, ReadsRowsOfObjdump) {
  const LineTable table = ParseLineTable(kTable);
  EXPECT_EQ(table.files,
            (std::vector<std::string>{"/src/opt/main.cpp", "../src/opt/a b.h",
                                      "/usr/include/vector", "/src/opt/b.cpp", "/src/opt/b.h"}));
  std::vector<std::tuple<uint64_t, uint32_t, uint32_t>> rows;
  for (const LineRow& row : table.rows) rows.emplace_back(row.address, row.file, row.line);
  EXPECT_EQ(rows, (std::vector<std::tuple<uint64_t, uint32_t, uint32_t>>{{0x800, 3, 7},
                                                                         {0x804, 4, 8},
                                                                         {0x1000, 0, 3},
                                                                         {0x1008, 0, 4},
                                                                         {0x1010, 0, 0},
                                                                         {0x1020, 0, 5},
                                                                         {0x1024, 1, 9},
                                                                         {0x1030, 2, 100},
                                                                         {0x1040, 1, 0}}));
}

TEST(SourceMap, ReadsFunctionsOfNm) {
  const std::vector<Symbol> symbols = ParseSymbols(
      "0000000000001020 t helper(int, char)\n0000000000001000 T main\n"
      "0000000000004000 B buffer\n                 U printf\n");
  ASSERT_EQ(symbols.size(), 2u);
  EXPECT_EQ(symbols[0].name, "main");
  EXPECT_EQ(symbols[1].name, "helper(int, char)");
  EXPECT_EQ(symbols[1].address, 0x1020u);
}

TEST(SourceMap, GivesEachBlockItsLines) {
  const std::vector<BlockAddress> blocks = {{0x1020, true}, {0x1000, true}, {0x1008, false}};
  const SourceMap map = MapSource(ParseLineTable(kTable), {{0x1000, "main"}, {0x1020, "helper()"}},
                                  blocks, "/src", "/build");
  ASSERT_EQ(map.files.size(), 2u) << "files outside of the source folder do not count";
  EXPECT_EQ(map.files[0], (SourceFile{"opt/a b.h", {9}, {}}));
  EXPECT_EQ(map.files[1], (SourceFile{"opt/main.cpp", {3, 4, 5}, {{"helper()", 5}, {"main", 3}}}));
  EXPECT_EQ(map.lines, (std::vector<std::vector<uint32_t>>{{0, 3}, {1}, {2}}));
  const TestHits hits = map.HitsOf("t", {true, false, true});
  EXPECT_EQ(hits.lines, (std::vector<bool>{true, false, true, true}));
  EXPECT_EQ(hits.functions, (std::vector<bool>{true, false}));
}

}  // namespace
}  // namespace refract
