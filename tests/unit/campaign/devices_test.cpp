// SPDX-License-Identifier: Apache-2.0
// Which devices are lost, and when they are tried again. The clock is planted.
#include "campaign/work/devices.h"

#include <gtest/gtest.h>

namespace refract {
namespace {

class DevicesTest : public ::testing::Test {
 protected:
  // Lets each due try fail until `until`; returns when the tries were.
  std::vector<double> FailUntil(double until) {
    std::vector<double> tries;
    for (; now_ < until; now_ += 1) {
      if (const auto driver = devices_.TakeDue()) {
        EXPECT_EQ(*driver, "gpu");
        tries.push_back(now_);
        devices_.Tried(*driver, false);
      }
    }
    return tries;
  }

  double now_ = 0;
  Devices devices_{{{"gpu", "gpu"}, {"opt@gpu", "gpu"}, {"cpu", "cpu"}, {"tool", ""}},
                   [this] { return now_; }};
};

TEST_F(DevicesTest, AllTargetsOfALostDeviceAreSkipped) {
  EXPECT_TRUE(devices_.Allows("gpu"));
  EXPECT_TRUE(devices_.TakeNews().empty());
  devices_.Lose("opt@gpu", "test 7", "why");
  devices_.Lose("gpu", "test 8", "another");
  EXPECT_FALSE(devices_.Allows("gpu"));
  EXPECT_FALSE(devices_.Allows("gpu"));
  EXPECT_FALSE(devices_.IsUsable("opt@gpu"));
  EXPECT_TRUE(devices_.Allows("cpu"));
  EXPECT_TRUE(devices_.Allows("tool"));
  EXPECT_TRUE(devices_.HasUsable());
  const std::vector<DeviceNews> news = devices_.TakeNews();
  ASSERT_EQ(news.size(), 1u) << "only the first loss is reported";
  EXPECT_EQ(TextOf(news[0]), "gpu: device lost in test 7; not usable since then: why");
  EXPECT_EQ(EventText(news[0], 2.5),
            R"({"event":"device_lost","at":2.5,"driver":"gpu","where":"test 7","detail":"why"})");
  EXPECT_TRUE(devices_.TakeNews().empty());
  const std::vector<Devices::Skipped> skipped = devices_.SkippedTargets();
  ASSERT_EQ(skipped.size(), 2u);
  EXPECT_EQ(skipped[0].target, "gpu");
  EXPECT_EQ(skipped[0].tests, 2u);
  EXPECT_EQ(skipped[1].target, "opt@gpu");
  EXPECT_EQ(skipped[1].tests, 0u);
  EXPECT_TRUE(skipped[1].is_lost);
}

TEST_F(DevicesTest, ALostDeviceIsTriedAtGrowingIntervals) {
  EXPECT_FALSE(devices_.TakeDue());
  devices_.Lose("gpu", "test 7", "why");
  EXPECT_EQ(FailUntil(2500), (std::vector<double>{10, 30, 70, 150, 310, 630, 1230, 1830, 2430}));
}

TEST_F(DevicesTest, OneThreadAtATimeTries) {
  devices_.Lose("gpu", "test 7", "why");
  now_ = 10;
  EXPECT_TRUE(devices_.TakeDue());
  EXPECT_FALSE(devices_.TakeDue());
}

TEST_F(DevicesTest, ADeviceThatWorksAgainIsReportedAndUsed) {
  devices_.Lose("gpu", "test 7", "why");
  devices_.TakeNews();
  now_ = 32;
  ASSERT_TRUE(devices_.TakeDue());
  devices_.Tried("gpu", true);
  EXPECT_TRUE(devices_.Allows("gpu"));
  const std::vector<DeviceNews> news = devices_.TakeNews();
  ASSERT_EQ(news.size(), 1u);
  EXPECT_EQ(TextOf(news[0]), "gpu: works again after 32 s");
  EXPECT_EQ(EventText(news[0], 33),
            R"({"event":"device_works","at":33.0,"driver":"gpu","seconds":32.0})");
  // If it is soon lost again, the interval goes on growing.
  devices_.Lose("gpu", "test 8", "why");
  EXPECT_EQ(FailUntil(150), (std::vector<double>{52, 92}));
  now_ = 172;
  ASSERT_TRUE(devices_.TakeDue());
  devices_.Tried("gpu", true);
  now_ = 1000;
  devices_.Lose("gpu", "test 9", "why");
  EXPECT_EQ(FailUntil(1031), (std::vector<double>{1010, 1030}));
}

TEST_F(DevicesTest, NobodyWaitsForAHopelessDevice) {
  EXPECT_FALSE(devices_.IsWaiting());
  devices_.Lose("gpu", "test 7", "why");
  EXPECT_TRUE(devices_.IsWaiting());
  EXPECT_EQ(FailUntil(151).size(), Devices::kTriesToWaitFor);
  EXPECT_FALSE(devices_.IsWaiting());
}

TEST(Devices, AToolIsNeverLost) {
  Devices devices(std::map<std::string, std::string>{{"tool", ""}});
  devices.Lose("tool", "test 7", "why");
  EXPECT_TRUE(devices.Allows("tool"));
  EXPECT_TRUE(devices.TakeNews().empty());
  EXPECT_FALSE(devices.LockRecovery("tool").owns_lock());
}

TEST(Devices, NoTargetIsUsableIfAllDevicesAreLost) {
  Devices devices(std::map<std::string, std::string>{{"gpu", "gpu"}, {"opt@gpu", "gpu"}});
  EXPECT_TRUE(devices.HasUsable());
  devices.Lose("gpu", "test 7", "why");
  EXPECT_FALSE(devices.HasUsable());
}

}  // namespace
}  // namespace refract
