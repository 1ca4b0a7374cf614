// SPDX-License-Identifier: Apache-2.0
// The full-screen status of campaigns at several sizes.
#include "cli/campaign/campaign_screen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/text.h"

namespace refract {
namespace {

CampaignStatus Typical() {
  CampaignStatus status;
  status.folder = "night";
  CampaignProgress& progress = status.progress;
  progress.phase = CampaignPhase::kTests;
  progress.seconds = 3725;
  progress.all_seconds = 3725;
  progress.time_limit = 8 * 3600;
  progress.tests = 12345;
  progress.tests_per_second = 3.31;
  progress.recent_tests_per_second = 2.96;
  progress.checked = progress.references = 102;
  progress.waiting = 6;
  progress.reducing = 1;
  CampaignCounts& counts = progress.counts;
  counts.buckets = {3, 0, 1, 2, 4, 3005};
  counts.reduced = 7;
  counts.crash_only = 3;
  counts.put_aside = 1;
  counts.types = 97;
  counts.missing_types.resize(31);
  counts.targets = {{"lavapipe", 12345, 8, 2, 1800.7, TargetUse::kInUse},
                    {"spirv-opt-O@lavapipe", 12345, 11, 0, 1600, TargetUse::kInUse},
                    {"swiftshader", 901, 120, 40, 600, TargetUse::kSkipped}};
  counts.events = {"0:12:01 new bucket: lavapipe: crash lavapipe: SIGSEGV in emit_load",
                   "0:12:44 test 2214 reduced from 310 steps to 2: crash lavapipe: SIGSEGV in "
                   "emit_load"};
  return status;
}

std::string TextOf(const CampaignStatus& status, size_t width, size_t height) {
  std::string text = "\n";
  for (const ScreenLine& line : CampaignScreen(status, width, height)) text += line.text + "\n";
  return text;
}

TEST(CampaignScreen, At80Columns) {
  EXPECT_EQ(TextOf(Typical(), 80, 24), R"(
refract campaign: night                                            running tests

Tests                                    Buckets of failing tests
  run time           62 min 05 s           new findings       3
  time left          6 h 57 min            last new finding   12 min ago
  tests              12,345                known issues       1
  rate, last minute  3.0 tests/s           muted              2
  rate, this start   3.3 tests/s           only counted       4
                                           faults of Refract  0

Reducing failing tests                   Coverage
  under way  1                             references checked     102 of 102
  waiting    5                             used only for crashes  3
  reduced    7                             put aside              1
                                           transformation types   97 of 128

Target                  runs  failures  seconds  share  state
lavapipe              12,345         8    1,800   45 %  in use
spirv-opt-O@lavapipe  12,345        11    1,600   40 %  in use
swiftshader              901       120      600   15 %  hangs: skipped

Last events
  0:12:01 new bucket: lavapipe: crash lavapipe: SIGSEGV in emit_load
  0:12:44 test 2214 reduced from 310 steps to 2: crash lavapipe: SIGSEGV in e...
)");
}

TEST(CampaignScreen, At60Columns) {
  EXPECT_EQ(TextOf(Typical(), 60, 24), R"(
refract campaign: night                        running tests

Tests                          Buckets of failing tests
  run time     62 min 05 s       new findings    3
  time left    6 h 57 min        last new        12 min ago
  tests        12,345            known issues    1
  last minute  3.0 tests/s       muted           2
  average      3.3 tests/s       only counted    4
                                 Refract faults  0

Reducing failing tests         Coverage
  under way  1                   references       102 of 102
  waiting    5                   crashes only     3
  reduced    7                   put aside        1
                                 transform types  97 of 128

Target                 runs  failures  share  state
lavapipe             12,345         8   45 %  in use
spirv-opt-O@lava...  12,345        11   40 %  in use
swiftshader             901       120   15 %  hangs: skipped

Last events
  0:12:01 new bucket: lavapipe: crash lavapipe: SIGSEGV i...
  0:12:44 test 2214 reduced from 310 steps to 2: crash la...
)");
}

TEST(CampaignScreen, At120Columns) {
  EXPECT_EQ(TextOf(Typical(), 120, 30), R"(
refract campaign: night                                                                                    running tests

Tests                                   Buckets of failing tests                Reducing failing tests
  run time           62 min 05 s          new findings       3                    under way  1
  time left          6 h 57 min           last new finding   12 min ago           waiting    5
  tests              12,345               known issues       1                    reduced    7
  rate, last minute  3.0 tests/s          muted              2
  rate, this start   3.3 tests/s          only counted       4                  Coverage
                                          faults of Refract  0                    references checked     102 of 102
                                                                                  used only for crashes  3
                                                                                  put aside              1
                                                                                  transformation types   97 of 128

Target                  runs  failures  only counted  seconds  share  state
lavapipe              12,345         8             2    1,800   45 %  in use
spirv-opt-O@lavapipe  12,345        11             0    1,600   40 %  in use
swiftshader              901       120            40      600   15 %  hangs: skipped

Last events
  0:12:01 new bucket: lavapipe: crash lavapipe: SIGSEGV in emit_load
  0:12:44 test 2214 reduced from 310 steps to 2: crash lavapipe: SIGSEGV in emit_load
)");
}

TEST(CampaignScreen, AtTinySizes) {
  EXPECT_EQ(TextOf(Typical(), 20, 5), R"(
running tests
Buckets of failin...
  new findings    3
  last new       ...
  known issues    1
)");
  EXPECT_EQ(TextOf(Typical(), 1, 1), "\nr\n");
}

TEST(CampaignScreen, ManyTargetsAreCut) {
  CampaignStatus status = Typical();
  status.progress.counts.targets.resize(20);
  status.warnings = {"a warning"};
  EXPECT_EQ(TextOf(status, 80, 20), R"(
refract campaign: night                                            running tests
Tests                                    Buckets of failing tests
  run time           62 min 05 s           new findings       3
  time left          6 h 57 min            last new finding   12 min ago
  tests              12,345                known issues       1
  rate, last minute  3.0 tests/s           muted              2
  rate, this start   3.3 tests/s           only counted       4
                                           faults of Refract  0

Reducing failing tests                   Coverage
  under way  1                             references checked     102 of 102
  waiting    5                             used only for crashes  3
  reduced    7                             put aside              1
                                           transformation types   97 of 128
Target                  runs  failures  seconds  share  state
lavapipe              12,345         8    1,800   45 %  in use
spirv-opt-O@lavapipe  12,345        11    1,600   40 %  in use
swiftshader              901       120      600   15 %  hangs: skipped
                           0         0        0    0 %  in use
and 16 more targets
)");
}

TEST(CampaignScreen, LongNamesAndWideNumbers) {
  CampaignStatus status = Typical();
  status.folder = "/a/folder/far/below/the/root/with/a/name/that/does/not/fit/campaign-of-tonight";
  status.state = CampaignStatus::State::kStopping;
  CampaignProgress& progress = status.progress;
  progress.seconds = 40 * 86400 + 3600;
  progress.all_seconds = progress.seconds + 10 * 86400;
  progress.tests = 123456789012;
  progress.test_limit = 123456789013;
  progress.tests_per_second = progress.recent_tests_per_second = 1234.5;
  progress.counts.targets[0] = {
      "spirv-opt-passes:--eliminate-dead-code-aggressive,--loop-unroll@a-driver-of-somebody",
      123456789012,
      123456789,
      0,
      98765432.1,
      TargetUse::kNoReference};
  progress.counts.events = {"a\x1b[31m text with \ta tab and a \xc3\xbc that is too long " +
                            std::string(80, 'x')};
  EXPECT_EQ(TextOf(status, 60, 24), R"(
...es/not/fit/campaign-of-tonight  ending; ^C again kills it

Tests                          Buckets of failing tests
  run time     40 d 1 h          new findings    3
  all starts   50 d 1 h          last new        50 d ago
  tests        123,456,789...    known issues    1
  last minute  1234.5 tests/s    muted           2
  average      1234.5 tests/s    only counted    4
                                 Refract faults  0

Reducing failing tests         Coverage
  under way  1                   references       102 of 102
  waiting    5                   crashes only     3
  reduced    7                   put aside        1
                                 transform types  97 of 128

Target              runs     failures  share  state
spir...  123,456,789,012  123,456,789  100 %  no reference
spir...           12,345           11    0 %  in use
swif...              901          120    0 %  hangs: skipped

Last events
  a [31m text with  a tab and a ü that is too long xxxxxx...
)");
}

TEST(CampaignScreen, EveryScreenFits) {
  CampaignStatus status = Typical();
  status.warnings = {"warning one", "warning two"};
  for (size_t width = 1; width <= 140; ++width) {
    for (size_t height = 1; height <= 50; ++height) {
      const std::vector<ScreenLine> lines = CampaignScreen(status, width, height);
      ASSERT_LE(lines.size(), height) << width;
      for (const ScreenLine& line : lines) ASSERT_LE(line.text.size(), width) << height;
    }
  }
}

TEST(CampaignScreen, WarningsAreTheLastMessages) {
  CampaignStatus status = Typical();
  status.warnings = {"refract: warning: something"};
  const std::vector<ScreenLine> lines = CampaignScreen(status, 80, 24);
  EXPECT_EQ(lines.back().text, "  refract: warning: something");
  EXPECT_EQ(lines.back().style, ScreenLine::Style::kWarning);
  EXPECT_EQ(lines.front().style, ScreenLine::Style::kHeading);
}

TEST(CampaignScreen, WithoutTestsYet) {
  CampaignStatus status;
  status.folder = "night";
  status.progress.references = 5;
  status.progress.counts.missing_types.resize(128);
  EXPECT_EQ(TextOf(status, 80, 24), R"(
refract campaign: night                                      checking references

Tests                                    Buckets of failing tests
  run time           0 s                   new findings       0
  tests              0                     last new finding   none yet
  rate, last minute  0.0 tests/s           known issues       0
  rate, this start   0.0 tests/s           muted              0
                                           only counted       0
                                           faults of Refract  0

Reducing failing tests                   Coverage
  under way  0                             references checked     0 of 5
  waiting    0                             used only for crashes  0
  reduced    0                             put aside              0
                                           transformation types   0 of 128

Target  runs  failures  seconds  share  state
)");
}

TEST(CampaignScreen, DurationsAndNumbers) {
  EXPECT_EQ(ScreenDuration(-1), "0 s");
  EXPECT_EQ(ScreenDuration(119.9), "119 s");
  EXPECT_EQ(ScreenDuration(120), "2 min 00 s");
  EXPECT_EQ(ScreenDuration(7199), "119 min 59 s");
  EXPECT_EQ(ScreenDuration(7200), "2 h 00 min");
  EXPECT_EQ(ScreenDuration(172800), "2 d 0 h");
  EXPECT_EQ(ScreenNumber(0), "0");
  EXPECT_EQ(ScreenNumber(999), "999");
  EXPECT_EQ(ScreenNumber(1000), "1,000");
  EXPECT_EQ(ScreenNumber(1234567), "1,234,567");
  EXPECT_EQ(CutToWidth("abcdef", 6), "abcdef");
  EXPECT_EQ(CutToWidth("abcdefg", 6), "abc...");
  EXPECT_EQ(CutToWidth("abcdefg", 2), "ab");
  EXPECT_EQ(CutToWidth("\xc3\xbc\xc3\xbc", 2), "\xc3\xbc\xc3\xbc");
  EXPECT_EQ(CutToWidth("\xc3\xbc\xc3\xbc\xc3\xbc", 2), "\xc3\xbc\xc3\xbc");
}

}  // namespace
}  // namespace refract
