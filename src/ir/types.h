// SPDX-License-Identifier: Apache-2.0
// Questions about types and constants.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/module.h"

namespace refract::inline ir {

bool IsType(spv::Op opcode);
bool IsConstant(spv::Op opcode);      ///< OpConstant..., OpSpecConstant..., not OpUndef
bool IsSpecConstant(spv::Op opcode);  ///< OpSpecConstant...

inline spv::Op TypeOpcode(const Module& module, Id type) {
  return module.OpcodeOf(type);
}
bool IsBool(const Module& module, Id type);
bool IsInt(const Module& module, Id type);
bool IsFloat(const Module& module, Id type);
bool IsVector(const Module& module, Id type);
bool IsPointer(const Module& module, Id type);
/// Bits of an int or float type; 0 for others.
uint32_t Width(const Module& module, Id type);
bool IsSigned(const Module& module, Id type);
/// Component type of a vector or matrix (its column type), element of an array, pointee of a
/// pointer; kNone for others (structs: MemberType).
Id ElementType(const Module& module, Id type);
/// Type of part `index` of a composite of this type; kNone if out of range or not a composite.
Id PartType(const Module& module, Id type, uint32_t index);
/// Whether member `index` of a struct has the type of the one before it. Who walks a type passes
/// over it: structs of two equal members, level upon level, would else be walked for ever.
bool IsRepeatedMember(const Module& module, Id type, uint32_t index);
/// Number of parts of a vector, matrix, struct or array whose size is an OpConstant; nullopt for
/// arrays sized otherwise (spec constants are never folded) and non-composites.
std::optional<uint32_t> PartCount(const Module& module, Id type);
/// The scalar type itself or the component type of a vector; kNone for others.
Id ScalarType(const Module& module, Id type);
/// The same type, or int scalars or vectors that differ in signedness alone.
bool EqualUpToSign(const Module& module, Id a, Id b);
/// Whether values of this type can be stored in a variable of class Function or Private, composed
/// and extracted: scalars, vectors, matrices, and sized arrays and structs of them.
bool IsStorable(const Module& module, Id type);

spv::StorageClass StorageClassOf(const Module& module, Id pointer_type);

/// The literal value of an OpConstant of scalar int or float type, OpConstantTrue or False, or
/// OpConstantNull of scalar type, zero-extended; nullopt for everything else, spec constants too
/// (their value is not known).
std::optional<uint64_t> LiteralValue(const Module& module, Id constant);
/// For a bool constant (not spec): its value.
std::optional<bool> LiteralBool(const Module& module, Id constant);
/// The literal words of `value` for a scalar type of `width` bits: 1 word up to 32 bits, 2 above;
/// narrow ints are sign- or zero-extended as the specification wants (2.2.1).
std::vector<uint32_t> LiteralWords(const Module& module, Id type, uint64_t value);

/// OpAccessChain or OpInBoundsAccessChain.
bool IsAccessChain(spv::Op opcode);
/// The variable, parameter or other memory-object declaration a pointer is derived from, through
/// access chains and copies; kNone if that cannot be told (phi, select, load, call, ...).
Id RootOfPointer(const Module& module, Id pointer);

}  // namespace refract::inline ir
