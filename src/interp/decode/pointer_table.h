// SPDX-License-Identifier: Apache-2.0
// What is known of pointers at decode time. Private to this library.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "interp/decode/constant_table.h"
#include "interp/decode/decode_source.h"
#include "interp/decode/memory_layout.h"

namespace refract {
inline namespace interp {

struct PointerInfo {
  spv::StorageClass storage = spv::StorageClass::Function;
  Id pointee = Id::kNone;
  bool shared = false;
  bool fixed = false;    ///< `object` and `address` are the whole address
  uint32_t object = 0;   ///< for shared memory: index in Code::objects
  uint32_t address = 0;  ///< the row, the byte in the object, or the index in Bindings::images
  uint32_t row = 0;      ///< if not `fixed`: the row with the address
  MatrixLayout matrix;
};

class PointerTable {
 public:
  PointerTable(const DecodeSource& source, const Bindings& bindings, RowTable& rows,
               ConstantTable& constants)
      : source_(source), bindings_(bindings), rows_(rows), constants_(constants) {}

  void Set(Id pointer, const PointerInfo& info) { pointers_[pointer] = info; }
  /// A variable that cannot be used, and the reason for the error of its first use.
  void SetUnusable(Id variable, std::string reason) { unusable_[variable] = std::move(reason); }
  /// nullptr if Set was not called for it.
  const PointerInfo* Find(Id pointer) const;
  /// Any pointer. If it is computed, its rows hold the address. Errors name `user`.
  Result<PointerInfo> Of(Inst user, Id pointer);
  /// The rows of the pointer as a value.
  Result<uint32_t> RowOf(Inst user, Id pointer);
  /// Checks that images of the variable's shape are bound to the variable.
  Status CheckImage(Inst user, const PointerInfo& pointer) const;

 private:
  Status CheckImage(Inst user, Id type, const BoundImage& image) const;
  const DecodeSource& source_;
  const Bindings& bindings_;
  RowTable& rows_;
  ConstantTable& constants_;
  std::map<Id, PointerInfo> pointers_;
  std::map<Id, std::string> unusable_;
};

/// Whether it points to an array of descriptors: of blocks, images or samplers.
bool IsDescriptorArray(const Module& module, const PointerInfo& pointer);

/// The shape of an image, or of the image of a sampled image.
struct ImageShape {
  uint32_t axes = 0;  ///< 2 for a cube: those of a face
  spv::Dim dim = spv::Dim::Dim2D;
  bool arrayed = false, multisampled = false;
  bool attachment = false;  ///< Dim SubpassData: `dim` is 2D, and coordinates begin at the fragment
  bool cube() const { return dim == spv::Dim::Cube; }
};
/// Sets `*shape`. Returns false if the type is not an image, or if its dimension is not supported.
bool FindImageShape(const Module& module, Id type, ImageShape* shape);

}  // namespace interp
}  // namespace refract
