// SPDX-License-Identifier: Apache-2.0
// The file in which an instrumented program marks the basic blocks that it runs. The code that
// writes it, data/coverage/block_counters.c, describes the format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace refract {
inline namespace coverage {

/// data/coverage/block_counters.c, compiled into the executable by cmake/coverage.cmake.
extern const std::string_view kBlockCounters;

/// The ending of such files.
inline constexpr std::string_view kBlockFileEnding = ".blocks";

struct BlockAddress {
  uint64_t address = 0;   ///< in the file of the program, as its symbols have it
  bool is_entry = false;  ///< of a function
};

/// The blocks of one program or library.
struct BlockFile {
  std::string program;  ///< its path
  std::vector<BlockAddress> blocks;
  std::vector<bool> marks;  ///< for each block, whether it ran
};

/// Reads a file. An error names it.
Result<BlockFile> ReadBlockFile(const std::string& file);
/// Reads only the marks, for a file with `count` blocks, and removes them from the file.
Result<std::vector<bool>> TakeMarks(const std::string& file, size_t count);

}  // namespace coverage
}  // namespace refract
