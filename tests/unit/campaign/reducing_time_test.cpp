// SPDX-License-Identifier: Apache-2.0
// How threads share their time between finding and reducing. The clock is planted.
#include "campaign/work/reducing_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "campaign/work/task_queue.h"

namespace refract {
namespace {

// Runs a campaign of `minutes` in which reductions always wait. A reduction ends `late` seconds
// after its slice. Returns the seconds of all threads in which they reduced, by minute.
std::vector<double> Reduced(uint32_t jobs, int minutes, double late) {
  ReducingTime time(jobs);
  struct Thread {
    double begin = 0, end = -1;
  };
  std::vector<Thread> threads(jobs);
  std::vector<double> reduced(static_cast<size_t>(minutes));
  constexpr double kStep = 0.25;
  for (double now = 0; now < 60 * minutes; now += kStep) {
    size_t under_way = 0;
    for (Thread& thread : threads) {
      if (thread.end >= 0 && now >= thread.end) {
        time.End(thread.begin, thread.end);
        thread.end = -1;
      }
      under_way += thread.end >= 0;
    }
    for (Thread& thread : threads) {
      if (thread.end >= 0) continue;
      const double slice = time.Slice(now, under_way);
      if (slice <= 0) continue;
      thread = {now, now + slice + late};
      ++under_way;
    }
    reduced[static_cast<size_t>(now / 60)] += kStep * static_cast<double>(under_way);
  }
  return reduced;
}

TEST(ReducingTime, TakesAtMostAThirdOfEachMinute) {
  for (const uint32_t jobs : {1u, 2u, 3u, 4u, 5u, 6u, 12u}) {
    for (const double seconds : Reduced(jobs, 5, 0)) {
      EXPECT_LE(seconds, 20 * jobs) << jobs;
      EXPECT_GE(seconds, 20 * jobs * 3 / 5) << jobs;
    }
  }
}

TEST(ReducingTime, WithOneJobTheFirstPartOfAMinuteIsForFinding) {
  ReducingTime time(1);
  EXPECT_EQ(time.Slice(0, 0), 0);
  EXPECT_EQ(time.Slice(39, 0), 0);
  EXPECT_EQ(time.Slice(40, 0), 20);
  EXPECT_EQ(time.Slice(40, 1), 0) << "another thread reduces";
  EXPECT_EQ(time.Slice(55, 0), 5);
  EXPECT_EQ(time.Slice(56, 0), 0) << "too short to continue anything";
  EXPECT_EQ(time.Slice(60, 0), 0);
}

TEST(ReducingTime, WhatTookTooLongIsPaidBack) {
  // The time of several minutes together stays below a third.
  for (const double late : {2.0, 15.0, 50.0, 130.0}) {
    const std::vector<double> reduced = Reduced(1, 30, late);
    double all = 0;
    for (const double seconds : reduced) all += seconds;
    EXPECT_LE(all, 30 * 20 + late) << late;
    EXPECT_GT(all, 30 * 20 * 0.7) << late;
  }
}

Task TaskOf(int64_t bucket, uint64_t test, KeptState state, FailureClass verdict) {
  Task task;
  task.bucket.id = bucket;
  task.bucket.verdict = verdict;
  task.kept.id = static_cast<int64_t>(test);
  task.kept.test = test;
  task.kept.state = state;
  task.kept.target = "gpu";
  return task;
}

TEST(TaskQueue, TakesQuickConfirmationsAndThenTheNewestBucket) {
  TaskQueue queue;
  queue.Add(TaskOf(1, 10, KeptState::kConfirmed, FailureClass::kCrash));
  Task first = TaskOf(1, 9, KeptState::kConfirmed, FailureClass::kCrash);
  first.first_of_bucket = true;
  queue.Add(first);
  Task newest = TaskOf(2, 20, KeptState::kConfirmed, FailureClass::kWrongImage);
  newest.first_of_bucket = true;
  queue.Add(newest);
  queue.Add(TaskOf(1, 11, KeptState::kFound, FailureClass::kCrash));
  queue.Add(TaskOf(3, 30, KeptState::kFound, FailureClass::kHang));
  queue.Add(TaskOf(3, 31, KeptState::kReduced, FailureClass::kHang));
  const auto usable = [](const std::string&) { return true; };
  EXPECT_EQ(queue.Take(true, usable)->kept.test, 11u);
  EXPECT_FALSE(queue.Take(true, usable)) << "the others take minutes";
  std::vector<uint64_t> order;
  while (const auto task = queue.Take(false, usable)) order.push_back(task->kept.test);
  EXPECT_EQ(order, (std::vector<uint64_t>{20, 9, 30, 10}));
  EXPECT_TRUE(queue.empty());
}

TEST(TaskQueue, LeavesTestsOfLostTargets) {
  TaskQueue queue;
  queue.Add(TaskOf(1, 10, KeptState::kFound, FailureClass::kCrash));
  Task other = TaskOf(1, 11, KeptState::kFound, FailureClass::kCrash);
  other.kept.target = "cpu";
  queue.Add(other);
  const auto usable = [](const std::string& target) { return target != "gpu"; };
  EXPECT_EQ(queue.Take(false, usable)->kept.test, 11u);
  EXPECT_FALSE(queue.Take(false, usable));
  EXPECT_EQ(queue.size(), 1u);
}

TEST(TaskQueue, KnownIssuesAndFaultsAreConfirmedButNotReduced) {
  TaskQueue queue;
  for (const KeptState state : {KeptState::kFound, KeptState::kConfirmed}) {
    Task known = TaskOf(1, 10, state, FailureClass::kCrash);
    known.bucket.known = "known-1";
    queue.Add(known);
    Task fault = TaskOf(2, 11, state, FailureClass::kOurError);
    fault.kept.target = "refract";
    queue.Add(fault);
    EXPECT_EQ(queue.size(), 2u);
  }
}

}  // namespace
}  // namespace refract
