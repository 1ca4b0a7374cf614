// SPDX-License-Identifier: Apache-2.0
// Finds the source lines and functions of the basic blocks of a program, with binutils: objdump
// reads its line table, and nm its symbols.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "coverage/block_file.h"
#include "coverage/data.h"

namespace refract {
inline namespace coverage {

/// A row of a line table: the code from `address` to the next row is of this line.
struct LineRow {
  uint64_t address = 0;
  uint32_t file = 0;  ///< index into LineTable::files
  uint32_t line = 0;  ///< 0: of no line
};
struct LineTable {
  std::vector<std::string> files;  ///< as the compiler got them
  std::vector<LineRow> rows;       ///< sorted by address
};
/// Reads the output of `objdump --dwarf=decodedline -w`.
LineTable ParseLineTable(std::string_view text);

struct Symbol {
  uint64_t address = 0;
  std::string name;
};
/// Reads the functions in the output of `nm -C --defined-only`, sorted by address.
std::vector<Symbol> ParseSymbols(std::string_view text);

/// What each block of a program is in its source.
struct SourceMap {
  std::vector<SourceFile> files;
  /// For each block, elements of TestHits::lines. Code that the compiler put into several blocks
  /// has several blocks for a line; the line ran if one of them ran.
  std::vector<std::vector<uint32_t>> lines;
  /// For each block that begins a function, the element of TestHits::functions.
  std::vector<std::optional<uint32_t>> functions;

  /// What ran, given the marks of the blocks.
  TestHits HitsOf(std::string test, const std::vector<bool>& marks) const;
};

/// Makes the map. A block has the lines of all rows from its address to that of the next block.
/// Only files in `source` count; paths that are not absolute are in `build`. Both are absolute.
SourceMap MapSource(const LineTable& table, const std::vector<Symbol>& symbols,
                    const std::vector<BlockAddress>& blocks, const std::string& source,
                    const std::string& build);

/// Runs objdump and nm on `program` and makes the map. The error says what is missing.
Result<SourceMap> MapProgram(const std::string& program, const std::vector<BlockAddress>& blocks,
                             const std::string& source, const std::string& build);

}  // namespace coverage
}  // namespace refract
