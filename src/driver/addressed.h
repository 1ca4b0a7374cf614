// SPDX-License-Identifier: Apache-2.0
// The addressed buffers of a job, which have no descriptors. Their addresses are known only here:
// they are written to the places of Bindings::addresses before the run, and become
// AddressNumbers again in what is read back.
#pragma once

#include <string>
#include <vector>

#include "driver/resources.h"

namespace refract {
inline namespace driver {

class AddressedMemory {
 public:
  VulkanFailure Make(const Device& device, const Bindings& bindings);
  /// Writes the addresses to all places that have one. `buffers` are those of the descriptors, in
  /// the order of Bindings::buffers.
  void WriteAddresses(const Bindings& bindings, const std::vector<Buffer>& buffers,
                      std::string* push_constants) const;
  /// Appends the contents of the addressed buffers, and replaces the addresses in all outputs.
  void ReadBack(const Bindings& bindings, std::vector<BoundBuffer>* outputs) const;

 private:
  struct Memory {
    Buffer buffer;
    VkDeviceSize begin = 0;  // where the content begins in `buffer`
    VkDeviceAddress address = 0;
    size_t size = 0;
  };
  void ReplaceAddresses(std::string* bytes) const;

  std::vector<Memory> memories_;
};

}  // namespace driver
}  // namespace refract
