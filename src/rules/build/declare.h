// SPDX-License-Identifier: Apache-2.0
// Types and constants that messages give by value. A step that needs one uses an equal declaration
// of the module (the one with the lowest name), or declares it under a name made from its content.
// Therefore no step depends on another step for a declaration.
#pragma once

#include <cstdint>
#include <optional>

#include "message/values.h"
#include "rules/context_editor.h"

namespace refract {
inline namespace rules {

// --- from the module to messages
/// The type by value, or by name if it has an identity of its own (a struct of the original, a
/// decorated type and so on). A struct by value means the struct without decorations that has
/// exactly these members; a step that needs it declares it like any other type.
message::Type Describe(const Module& module, Id type);
/// The constant by value; nullopt if this is not possible (specialization constants, undefined
/// values, samplers).
std::optional<message::Constant> DescribeConstant(const Module& module, Id constant);
/// A scalar constant, given by its type and its bits.
message::Constant ScalarConstant(const Module& module, Id type, uint64_t bits);
message::Constant ScalarConstant(const message::Type& type, uint64_t bits);
message::Constant NullConstant(const message::Type& type);
message::Constant BoolConstant(bool value);
message::Type IntType(uint32_t width, bool is_signed);
message::Type FloatType(uint32_t width);
message::Type BoolType();
message::Type VectorType(message::Type component, uint32_t count);
message::Type PointerType(spv::StorageClass storage, message::Type pointee);

// --- from messages to the module
/// The type if the module has it; kNone otherwise (it may still be declarable).
Id FindType(const Module& module, const message::Type& type);
/// True if the module has the type or can declare it without a new capability. Accepts any message.
bool IsDeclarable(const Module& module, const message::Type& type);
/// The same for a constant, whose words must fit its type.
bool IsDeclarable(const Module& module, const message::Constant& constant);
Id FindConstant(const Module& module, const message::Constant& constant);
/// Finds the declaration or makes it. Requires IsDeclarable.
Id Declare(Editor& editor, const message::Type& type);
Id Declare(Editor& editor, const message::Constant& constant);

/// True if the type has a null constant (OpConstantNull; SPIR-V 3.42.7).
bool HasNull(const Module& module, Id type);
/// The null constant of a type. Requires HasNull.
Id DeclareNull(Editor& editor, Id type);

/// The import of GLSL.std.450; kNone if not found.
Id FindGlslImport(const Module& module);

}  // namespace rules
}  // namespace refract
