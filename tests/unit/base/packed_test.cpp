// SPDX-License-Identifier: Apache-2.0
#include "base/packed.h"

#include <gtest/gtest.h>

namespace refract {
namespace {

using Pieces = std::vector<std::string_view>;

TEST(Packed, UnpacksToTheSamePieces) {
  const std::string with_zero("a\0b", 3);
  const std::string long_one(300, 'x');
  for (const Pieces& pieces :
       {Pieces(), Pieces{""}, Pieces{"", "", "c"}, Pieces{with_zero, "\xff\n", long_one}}) {
    const std::string packed = Pack(pieces);
    EXPECT_EQ(Unpack(packed), pieces);
  }
}

TEST(Packed, RefusesTruncatedBytes) {
  const std::string packed = Pack({"abc", "defg"});
  // Up to the end of a piece, the bytes are a shorter list.
  const size_t first = Pack({"abc"}).size();
  for (size_t size = 0; size < packed.size(); ++size) {
    const auto pieces = Unpack(packed.substr(0, size));
    EXPECT_EQ(pieces.has_value(), size == 0 || size == first) << size;
  }
  EXPECT_FALSE(Unpack(std::string(8, '\xff')));
  EXPECT_FALSE(Unpack(std::string(8, '\xff') + "abc"));
}

}  // namespace
}  // namespace refract
