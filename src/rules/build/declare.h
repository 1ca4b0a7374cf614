// SPDX-License-Identifier: Apache-2.0
// Types and constants that messages give by value. A step that needs one makes it, named by its
// content, unless the module has an equal one (lowest name first); so no step depends on another
// for a declaration.
#pragma once

#include <cstdint>
#include <optional>

#include "message/values.h"
#include "rules/context_editor.h"

namespace refract::inline rules {

// --- from the module to messages
/// The type by value, or by name if it has an identity of its own (a struct of the original, a
/// decorated type, ...). A struct by value stands for one without decorations that has just these
/// members: a step that wants one makes it like any other declaration.
message::Type Describe(const Module& module, Id type);
/// The constant by value; nullopt if it cannot be said that way (spec constants, undef, samplers).
std::optional<message::Constant> DescribeConstant(const Module& module, Id constant);
/// A scalar constant of a type, by its bits.
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
/// The type if the module has it; kNone if not (it may still be declarable).
Id FindType(const Module& module, const message::Type& type);
/// Whether the type is there or could be declared without a new capability: total for any message.
bool IsDeclarable(const Module& module, const message::Type& type);
/// The same for a constant; its words must fit its type.
bool IsDeclarable(const Module& module, const message::Constant& constant);
Id FindConstant(const Module& module, const message::Constant& constant);
/// Finds or makes; only what IsDeclarable.
Id Declare(Editor& editor, const message::Type& type);
Id Declare(Editor& editor, const message::Constant& constant);

/// Whether a value of this type has a null constant (OpConstantNull; SPIR-V 3.42.7).
bool HasNull(const Module& module, Id type);
/// The null constant of a type that has one.
Id DeclareNull(Editor& editor, Id type);

/// The import of GLSL.std.450; kNone if there is none.
Id FindGlslImport(const Module& module);

}  // namespace refract::inline rules
