// SPDX-License-Identifier: Apache-2.0
#include "campaign/work/device_watch.h"

#include <chrono>
#include <utility>

namespace refract {
inline namespace campaign {
namespace {

constexpr double kPause = 0.2;  // seconds between two looks

// By target: the name of the driver that it runs; empty: none. `drivers` gets the drivers.
std::map<std::string, std::string> DriversOf(const CampaignSetup& setup, Harness& harness,
                                             std::map<std::string, Target>* drivers) {
  std::map<std::string, std::string> names;
  for (const VersionedTarget& state : setup.targets) {
    std::optional<Target> driver = harness.DriverUnder(state.target);
    names[state.target.name] = driver ? driver->name : std::string();
    if (driver) drivers->emplace(driver->name, std::move(*driver));
  }
  return names;
}

}  // namespace

DeviceWatch::DeviceWatch(const CampaignSetup& setup, Store& store, Harness& harness)
    : setup_(setup),
      store_(store),
      harness_(harness),
      devices_(DriversOf(setup, harness, &drivers_)) {}

DeviceWatch::~DeviceWatch() {
  if (thread_.joinable()) thread_.join();
}

void DeviceWatch::Begin() {
  thread_ = std::thread([this] { Watch(); });
}

void DeviceWatch::Watch() {
  while (!harness_.IsStopped()) {
    if (const std::optional<std::string> driver = devices_.TakeDue()) {
      const bool works = harness_.CheckDriver(drivers_.at(*driver)).has_value();
      if (!harness_.IsStopped()) devices_.Tried(*driver, works);
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(kPause));
  }
}

void DeviceWatch::NoteLost(const std::string& where) {
  if (harness_.IsStopped()) return;
  for (const VersionedTarget& state : setup_.targets) {
    const std::string& name = state.target.name;
    if (!devices_.IsUsable(name) || !harness_.IsLost(state.target)) continue;
    devices_.Lose(name, where, "the health check failed");
  }
}

Result<std::vector<std::string>> DeviceWatch::StoreNews(double now) {
  std::vector<std::string> messages;
  for (const DeviceNews& news : devices_.TakeNews()) {
    messages.push_back(TextOf(news));
    if (Status told = store_.AddEvent(now, EventText(news, now)); !told) return told.error();
  }
  return messages;
}

}  // namespace campaign
}  // namespace refract
