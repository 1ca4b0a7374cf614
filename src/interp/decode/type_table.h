// SPDX-License-Identifier: Apache-2.0
// Types as rows. Private to this library.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "interp/decode/constant_table.h"
#include "interp/decode/decode_source.h"

namespace refract {
inline namespace interp {

struct TypeInfo {
  spv::Op opcode = spv::Op::OpTypeVoid;
  /// For scalars; for vectors and matrices the type of the components.
  Scalar scalar = Scalar::kInt32;
  uint64_t rows = 0;
  uint32_t parts = 0;                 ///< number of components, columns, elements or members
  Id element = Id::kNone;             ///< for all but structs
  uint64_t element_rows = 0;          ///< for all but structs
  std::vector<uint64_t> member_rows;  ///< for structs: the first row of each member
  std::vector<Id> members;
  bool is_signed = false;
};

/// True if invocations share memory of this class, so that its pointers are an object and a byte.
bool IsShared(spv::StorageClass storage);

class TypeTable {
 public:
  TypeTable(const DecodeSource& source, ConstantTable& constants)
      : source_(source), constants_(constants) {}

  /// Fails for types that no supported value has.
  Status TypeOf(Id type, const TypeInfo** info);
  /// The same for the type of a value; fails also for values with too many rows.
  Status ValueType(Inst inst, Id type, const TypeInfo** info);
  /// Appends the scalars of a type, in the order of their rows.
  Status Flatten(Id type, std::vector<Scalar>* scalars);
  /// The bits of a scalar constant; nullopt if it has not been decoded yet or is not exact.
  std::optional<uint64_t> ConstantValue(Id constant);

 private:
  Status MakeType(Id type, TypeInfo* info);
  Status MakeStruct(Id type, TypeInfo* info);

  const DecodeSource& source_;
  ConstantTable& constants_;
  std::map<Id, TypeInfo> types_;
};

}  // namespace interp
}  // namespace refract
