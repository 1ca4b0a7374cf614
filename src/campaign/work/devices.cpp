// SPDX-License-Identifier: Apache-2.0
#include "campaign/work/devices.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"

namespace refract {
inline namespace campaign {

std::string TextOf(const DeviceNews& news) {
  if (news.works) return format("{}: works again after {:.0f} s", news.driver, news.seconds);
  return format("{}: device lost in {}; not usable since then: {}", news.driver, news.where,
                news.detail);
}

std::string EventText(const DeviceNews& news, double at) {
  nlohmann::ordered_json json = {
      {"event", news.works ? "device_works" : "device_lost"}, {"at", at}, {"driver", news.driver}};
  if (news.works) {
    json["seconds"] = news.seconds;
  } else {
    json["where"] = news.where;
    json["detail"] = news.detail;
  }
  return json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

Devices::Devices(std::map<std::string, std::string> drivers, std::function<double()> clock)
    : drivers_(std::move(drivers)), clock_(std::move(clock)) {
  for (const auto& [target, driver] : drivers_) {
    if (!driver.empty()) devices_[driver].works_since = clock_();
  }
}

const Devices::Device* Devices::DeviceOf(const std::string& target) const {
  const auto driver = drivers_.find(target);
  if (driver == drivers_.end() || driver->second.empty()) return nullptr;
  return &devices_.at(driver->second);
}

bool Devices::Allows(const std::string& target) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Device* device = DeviceOf(target);
  if (device == nullptr || !device->lost) return true;
  ++skipped_[target];
  return false;
}

bool Devices::IsUsable(const std::string& target) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Device* device = DeviceOf(target);
  return device == nullptr || !device->lost;
}

bool Devices::HasUsable() const {
  return std::any_of(drivers_.begin(), drivers_.end(),
                     [&](const auto& target) { return IsUsable(target.first); });
}

bool Devices::IsWaiting() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::any_of(devices_.begin(), devices_.end(), [](const auto& one) {
    return one.second.lost && one.second.failed_tries < kTriesToWaitFor;
  });
}

void Devices::Lose(const std::string& target, const std::string& where, const std::string& detail) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto driver = drivers_.find(target);
  if (driver == drivers_.end() || driver->second.empty()) return;
  Device& device = devices_.at(driver->second);
  if (device.lost) return;
  const double now = clock_();
  // A device that soon is lost again is tried less often.
  const bool again = device.interval > 0 && now - device.works_since < kLongestInterval;
  device.interval = again ? std::min(2 * device.interval, kLongestInterval) : kFirstTry;
  device.lost = true;
  device.lost_at = now;
  device.next_try = now + device.interval;
  device.failed_tries = 0;
  news_.push_back({driver->second, false, where, detail, 0});
}

std::optional<std::string> Devices::TakeDue() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [driver, device] : devices_) {
    if (!device.lost || device.trying || clock_() < device.next_try) continue;
    device.trying = true;
    return driver;
  }
  return std::nullopt;
}

void Devices::Tried(const std::string& driver, bool works) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Device& device = devices_.at(driver);
  const double now = clock_();
  device.trying = false;
  if (works) {
    device.lost = false;
    device.works_since = now;
    news_.push_back({driver, true, {}, {}, now - device.lost_at});
    return;
  }
  ++device.failed_tries;
  device.interval = std::min(2 * device.interval, kLongestInterval);
  device.next_try = now + device.interval;
}

std::unique_lock<std::mutex> Devices::LockRecovery(const std::string& target) {
  const auto driver = drivers_.find(target);
  if (driver == drivers_.end() || driver->second.empty()) return {};
  // The map does not change after the constructor.
  return std::unique_lock<std::mutex>(devices_.at(driver->second).recovery);
}

std::vector<DeviceNews> Devices::TakeNews() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(news_, {});
}

std::vector<Devices::Skipped> Devices::SkippedTargets() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Skipped> skipped;
  for (const auto& [target, driver] : drivers_) {
    const Device* device = DeviceOf(target);
    const auto tests = skipped_.find(target);
    const bool lost = device != nullptr && device->lost;
    if (!lost && tests == skipped_.end()) continue;
    skipped.push_back({target, tests == skipped_.end() ? 0 : tests->second, lost});
  }
  return skipped;
}

}  // namespace campaign
}  // namespace refract
