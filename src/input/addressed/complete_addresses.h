// SPDX-License-Identifier: Apache-2.0
// Makes the buffers to which addresses in new inputs point.
//
// A buffer has the size and the members of the type to which the pointer points. Where members are
// pointers again, further buffers follow. A list of nodes of one type ends after a few nodes with
// the null address, so that loops over it end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/bindings.h"
#include "input/block_names.h"
#include "input/inputs.h"
#include "input/layout_rules.h"
#include "ir/module.h"

namespace refract {
inline namespace input {

/// What a maker of new entries needs of the inputs that they become part of.
struct NewEntries {
  std::function<std::string(const std::string& wanted)> free_name;
  std::function<void(InputValue*)> fill;  ///< gives zeros or random numbers
  std::function<Status(InputValue)> keep;
};

class AddressCompleter {
 public:
  AddressCompleter(const Module& module, const BlockNames& names, NewEntries entries);

  /// The address of a new buffer for what a pointer of type `pointer` points to.
  Result<AddressInput> Make(Id pointer, const std::string& name,
                            const std::vector<BoundConstant>& constants);

 private:
  // A part of the buffer, and the name of its entry.
  struct Part {
    Id type = Id::kNone;
    uint64_t offset = 0;
    MatrixLayout matrix;
    std::string name;
  };
  Status AddPart(const Part& part);
  Status AddMembers(const Part& part);
  Status AddArray(const Part& part);
  Status AddElements(const Part& part, uint32_t rows, uint32_t count, Id scalar, uint32_t stride);
  Status AddAddresses(const Part& part, uint32_t count, uint32_t stride);
  InputValue ValueFor(const Part& part, uint32_t count, uint32_t stride) const;

  const Module& module_;
  const BlockNames& names_;
  const NewEntries entries_;
  std::vector<BoundConstant> constants_;
  bool computes_ = false;        // the module computes addresses from numbers
  std::vector<Id> open_;         // the types of the buffers that are being made
  std::string root_;             // the name of the outermost of them
  std::string buffer_;           // that of the innermost
  uint32_t runtime_length_ = 0;  // of a runtime array in it
  uint32_t made_ = 0;
};

}  // namespace input
}  // namespace refract
