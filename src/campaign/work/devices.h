// SPDX-License-Identifier: Apache-2.0
// The devices of a campaign, and which of them are lost. A device is lost if it hung or was lost,
// and then did not pass the health check or did not run the original. Tests skip the targets that
// run on it. It is tried again at growing intervals.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace refract {
inline namespace campaign {

/// The loss or the recovery of a device.
struct DeviceNews {
  std::string driver;
  bool works = false;  ///< it works again; false: it was lost
  std::string where;   ///< where it was lost: "test 7868"
  std::string detail;  ///< why it is not usable
  double seconds = 0;  ///< if it works again: how long it was lost
};
/// The message of news: "nvidia: device lost in test 7868; not usable since then: ...".
std::string TextOf(const DeviceNews& news);
/// The event of news, as JSON. `at`: seconds of the campaign.
std::string EventText(const DeviceNews& news, double at);

/// Several threads may use it at once.
class Devices {
 public:
  /// Seconds until the first try of a lost device, and the longest time between two tries. Each
  /// interval is twice the one before.
  static constexpr double kFirstTry = 10;
  static constexpr double kLongestInterval = 600;
  /// A device that failed this often is not waited for if there is nothing else to do.
  static constexpr uint32_t kTriesToWaitFor = 4;

  /// `drivers`: by target, the name of the driver that it runs. A target that runs none has an
  /// empty name, and is never lost.
  explicit Devices(std::map<std::string, std::string> drivers,
                   std::function<double()> clock = MonotonicSeconds);

  /// Whether a test may run on `target` now. Each refusal is counted.
  bool Allows(const std::string& target);
  /// The same, not counted.
  bool IsUsable(const std::string& target) const;
  /// Whether one of the targets is usable.
  bool HasUsable() const;
  /// Whether a device is lost for which it is worth to wait.
  bool IsWaiting() const;

  /// Stores that the device of `target` is lost. Only the first call for a lost device counts.
  void Lose(const std::string& target, const std::string& where, const std::string& detail);

  /// Takes a driver that must be tried now. Call Tried afterwards.
  std::optional<std::string> TakeDue();
  void Tried(const std::string& driver, bool works);

  /// While it is held, no other thread finds out whether the device of `target` still works.
  std::unique_lock<std::mutex> LockRecovery(const std::string& target);

  /// News since the last call.
  std::vector<DeviceNews> TakeNews();

  struct Skipped {
    std::string target;
    uint64_t tests = 0;    ///< that did not run on it
    bool is_lost = false;  ///< now
  };
  /// Targets that tests skipped because their device was lost.
  std::vector<Skipped> SkippedTargets() const;

 private:
  struct Device {
    bool lost = false, trying = false;
    double lost_at = 0, next_try = 0, works_since = 0;
    double interval = 0;  // before the next try
    uint32_t failed_tries = 0;
    std::mutex recovery;
  };
  // Null if the target runs no driver.
  const Device* DeviceOf(const std::string& target) const;

  const std::map<std::string, std::string> drivers_;  // by target
  const std::function<double()> clock_;
  mutable std::mutex mutex_;
  std::map<std::string, Device> devices_;    // by driver
  std::map<std::string, uint64_t> skipped_;  // tests, by target
  std::vector<DeviceNews> news_;
};

}  // namespace campaign
}  // namespace refract
