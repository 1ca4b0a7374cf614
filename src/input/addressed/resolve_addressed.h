// SPDX-License-Identifier: Apache-2.0
// Gives buffers without descriptors their content, and finds what the addresses of shader.json
// mean.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/bindings.h"
#include "input/inputs.h"
#include "input/layout.h"

namespace refract {
inline namespace input {

/// The addressed buffers of shader.json by name, in the order of the file.
class AddressedNames {
 public:
  AddressedNames(const Inputs& inputs, std::string file);

  /// The number of address `index` of `value` (AddressNumber; 0: the null address). An error if
  /// there is no such buffer, or if the offset is after its end.
  Result<uint64_t> NumberOf(const InputValue& value, size_t index) const;
  /// The index of the buffer that gets `value`.
  Result<uint32_t> IndexFor(const InputValue& value) const;

 private:
  struct Buffer {
    uint32_t index = 0;
    uint64_t bytes = 0;
  };
  Result<Buffer> Find(const InputValue& value, const std::string& name) const;

  std::string file_;
  std::map<std::string, Buffer, std::less<>> buffers_;
};

/// An address at byte `offset` of a memory. `number` is from AddressedNames and not 0.
BoundAddress AddressAt(BoundAddress::Memory memory, uint32_t offset, uint64_t number);

struct ResolvedAddressed {
  std::vector<AddressedBuffer> buffers;
  std::vector<BoundAddress> addresses;  ///< in these buffers
};

/// The addressed buffers, with the values that entries give them. Errors call the inputs `file`.
Result<ResolvedAddressed> ResolveAddressed(const Inputs& inputs, const std::string& file);

/// True if each address has a place in its memory, and points into a buffer.
bool AddressesFit(const Bindings& bindings);

/// A layout with the floats that values of shader.json give the buffer: they can be compared as
/// floats. What else is in the buffer is not known.
Layout LayoutOf(const AddressedBuffer& buffer);

}  // namespace input
}  // namespace refract
