// SPDX-License-Identifier: Apache-2.0
// Watches the devices of a running campaign: finds out which are lost, tries them again, and
// reports both.
#pragma once

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "campaign/setup.h"
#include "campaign/store/store.h"
#include "campaign/work/devices.h"
#include "target/harness.h"

namespace refract {
inline namespace campaign {

/// Several threads may use it at once.
class DeviceWatch {
 public:
  /// All arguments must outlive this.
  DeviceWatch(const CampaignSetup& setup, Store& store, Harness& harness);
  /// Harness::Stop must have been called if Begin was.
  ~DeviceWatch();
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;

  /// Begins to try lost devices again, in a thread: a try may take a minute. The thread ends after
  /// Harness::Stop.
  void Begin();

  Devices& devices() { return devices_; }
  /// Marks the devices that the harness has found to be lost. `where` names the work that may have
  /// lost them.
  void NoteLost(const std::string& where);
  /// Stores the news since the last call as events, and returns them as messages. `now`: how many
  /// seconds the campaign has worked.
  Result<std::vector<std::string>> StoreNews(double now);

 private:
  void Watch();

  const CampaignSetup& setup_;
  Store& store_;
  Harness& harness_;
  std::map<std::string, Target> drivers_;  // by name
  Devices devices_;
  std::thread thread_;
};

}  // namespace campaign
}  // namespace refract
