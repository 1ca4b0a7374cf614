// SPDX-License-Identifier: Apache-2.0
#include "base/child_call.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <vector>

namespace refract {
namespace {

using End = ChildResult::End;

TEST(ChildCall, ReturnsTheBytesOfTheCall) {
  const std::string large(3'000'000, 'x');  // more than a pipe holds
  for (const std::string& bytes : {std::string(), std::string("a\0b", 3), large}) {
    const ChildResult answer = CallInChild([&] { return bytes; }, {});
    EXPECT_EQ(answer.end, End::kDone);
    EXPECT_EQ(answer.bytes, bytes);
  }
}

TEST(ChildCall, DoesNotChangeTheParentProcess) {
  int number = 1;
  const ChildResult answer = CallInChild(
      [&] {
        number = 2;
        return std::to_string(number);
      },
      {});
  EXPECT_EQ(answer.bytes, "2");
  EXPECT_EQ(number, 1);
}

TEST(ChildCall, EndsAtTheTimeLimit) {
  const ChildResult answer = CallInChild(
      [] {
        while (true) ::usleep(1000);
        return std::string();
      },
      {.seconds = 0.1});
  EXPECT_EQ(answer.end, End::kTime);
}

TEST(ChildCall, EndsAtTheMemoryLimit) {
  const ChildResult answer = CallInChild(
      [] {
        std::vector<std::string> all;
        while (true) {
          all.emplace_back(1 << 20, 'x');
          ::usleep(500);  // keeps the growth between two checks small
        }
        return std::string();
      },
      {.memory = uint64_t{256} << 20});
  EXPECT_EQ(answer.end, End::kMemory);
}

TEST(ChildCall, ReportsTheSignalOfACrash) {
  const ChildResult answer = CallInChild(
      [] {
        ::raise(SIGSEGV);
        return std::string();
      },
      {});
  EXPECT_EQ(answer.end, End::kSignal);
  EXPECT_EQ(answer.signal, SIGSEGV);
}

}  // namespace
}  // namespace refract
