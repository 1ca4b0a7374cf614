// SPDX-License-Identifier: Apache-2.0
// Functions on types and constants.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/module.h"

namespace refract {
inline namespace ir {

bool IsType(spv::Op opcode);
bool IsConstant(spv::Op opcode);      ///< OpConstant..., OpSpecConstant...; not OpUndef
bool IsSpecConstant(spv::Op opcode);  ///< OpSpecConstant...

inline spv::Op TypeOpcode(const Module& module, Id type) {
  return module.OpcodeOf(type);
}
bool IsBool(const Module& module, Id type);
bool IsInt(const Module& module, Id type);
bool IsFloat(const Module& module, Id type);
bool IsVector(const Module& module, Id type);
bool IsPointer(const Module& module, Id type);
/// The number of bits of an int or float type; 0 for other types.
uint32_t Width(const Module& module, Id type);
bool IsSigned(const Module& module, Id type);
/// The component type of a vector, the column type of a matrix, the element type of an array or the
/// pointee of a pointer; kNone for other types (for structs use PartType).
Id ElementType(const Module& module, Id type);
/// The type of part `index` of a composite type; kNone if it is out of range or the type is not a
/// composite.
Id PartType(const Module& module, Id type, uint32_t index);
/// True if member `index` of a struct has the same type as the member before it. Walks over types
/// skip such members: nested structs of two equal members would take exponential time.
bool IsRepeatedMember(const Module& module, Id type, uint32_t index);
/// The number of parts of a vector, matrix, struct, or array whose length is an OpConstant; nullopt
/// for other arrays (specialisation constants are never folded) and for other types.
std::optional<uint32_t> PartCount(const Module& module, Id type);
/// The scalar type itself, or the component type of a vector; kNone for others.
Id ScalarType(const Module& module, Id type);
/// True for the same type, and for integer scalars or vectors that differ only in signedness.
bool EqualUpToSign(const Module& module, Id a, Id b);
/// True if values of this type can be stored in a variable of storage class Function or Private,
/// composed and extracted: scalars, vectors, matrices, and sized arrays and structs of them.
bool IsStorable(const Module& module, Id type);

spv::StorageClass StorageClassOf(const Module& module, Id pointer_type);

/// The literal value, zero-extended, of an OpConstant of scalar int or float type, an
/// OpConstantTrue or OpConstantFalse, or an OpConstantNull of scalar type. nullopt for everything
/// else, also for specialisation constants, whose value is not known.
std::optional<uint64_t> LiteralValue(const Module& module, Id constant);
/// The value of a bool constant that is not a specialisation constant; else nullopt.
std::optional<bool> LiteralBool(const Module& module, Id constant);
/// The literal words of `value` for a scalar type: 1 word up to 32 bits, 2 above. Narrow integers
/// are sign- or zero-extended as the specification requires (2.2.1).
std::vector<uint32_t> LiteralWords(const Module& module, Id type, uint64_t value);

/// True for OpAccessChain and OpInBoundsAccessChain.
bool IsAccessChain(spv::Op opcode);
/// The variable, parameter or other memory-object declaration from which a pointer is derived
/// through access chains and copies; kNone if it cannot be determined (phi, select, load, call,
/// ...).
Id RootOfPointer(const Module& module, Id pointer);

}  // namespace ir
}  // namespace refract
