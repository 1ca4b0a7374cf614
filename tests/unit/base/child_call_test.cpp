// SPDX-License-Identifier: Apache-2.0
#include "base/child_call.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>
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

// What a child that is kept does: "pid" asks for its process, "spin" for no end, "crash" for a
// signal, and "grow" for all memory.
std::string Obey(const std::string& request) {
  if (request == "pid") return std::to_string(::getpid());
  if (request == "crash") ::raise(SIGSEGV);
  while (request == "spin") ::usleep(1000);
  std::vector<std::string> all;
  while (request == "grow") {
    all.emplace_back(1 << 20, 'x');
    ::usleep(500);
  }
  return request;
}

TEST(KeptChildren, OneChildAnswersManyCalls) {
  KeptChildren children(Obey);
  const std::string first = children.Call("pid", {}).bytes;
  EXPECT_NE(first, std::to_string(::getpid()));
  const std::string large(3'000'000, 'x');  // more than a socket holds
  for (const std::string& bytes : {std::string(), std::string("a\0b", 3), large}) {
    const ChildResult answer = children.Call(bytes, {});
    EXPECT_EQ(answer.end, End::kDone);
    EXPECT_EQ(answer.bytes, bytes);
  }
#ifndef REFRACT_SANITIZE  // with sanitisers, each call has a child of its own
  EXPECT_EQ(children.Call("pid", {}).bytes, first);
#endif
}

TEST(KeptChildren, AChildThatEndedIsReplaced) {
  KeptChildren children(Obey);
  EXPECT_EQ(children.Call("spin", {.seconds = 0.1}).end, End::kTime);
  const ChildResult crashed = children.Call("crash", {});
  EXPECT_EQ(crashed.end, End::kSignal);
  EXPECT_EQ(crashed.signal, SIGSEGV);
  EXPECT_EQ(children.Call("grow", {.memory = uint64_t{256} << 20}).end, End::kMemory);
  const std::string child = children.Call("pid", {}).bytes;
  EXPECT_FALSE(child.empty());
  ::kill(static_cast<pid_t>(std::stoi(child)), SIGKILL);  // while nobody waits for it
  const ChildResult after = children.Call("pid", {});
  EXPECT_EQ(after.end, End::kDone);
#ifndef REFRACT_SANITIZE  // with sanitisers, each call has a child of its own
  EXPECT_NE(after.bytes, child);
#endif
}

TEST(KeptChildren, ACopyOfTheProcessHasChildrenOfItsOwn) {
  KeptChildren children(Obey);
  const std::string first = children.Call("pid", {}).bytes;
  const ChildResult in_copy = CallInChild([&] { return children.Call("pid", {}).bytes; }, {});
  EXPECT_FALSE(in_copy.bytes.empty());
  EXPECT_NE(in_copy.bytes, first);
#ifndef REFRACT_SANITIZE  // with sanitisers, each call has a child of its own
  EXPECT_EQ(children.Call("pid", {}).bytes, first);
#endif
}

TEST(KeptChildren, ThreadsDoNotShareAChild) {
  KeptChildren children(Obey);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&children, i] {
      for (int call = 0; call < 50; ++call) {
        const std::string request = std::to_string(100 * i + call);
        EXPECT_EQ(children.Call(request, {}).bytes, request);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace refract
