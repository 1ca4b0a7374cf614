// SPDX-License-Identifier: Apache-2.0
// Finds the decorations of ids in the annotation section.
#pragma once

#include <spirv/unified1/spirv.hpp11>

#include "ir/module.h"

namespace refract {
inline namespace ir {

/// True if the instruction decorates the id that it names (SPIR-V 3.42.4).
bool IsDecoration(spv::Op opcode);

/// True if any decoration of the id or of its members, directly or through a group, names it.
bool IsDecorated(const Module& module, Id id);
/// The OpDecorate of `id` with `decoration`, also through a group (OpGroupDecorate); kNone if
/// not found.
Inst FindDecoration(const Module& module, Id id, spv::Decoration decoration);
/// True if the struct type is an interface block: decorated with Block or BufferBlock.
bool IsBlock(const Module& module, Id type);
/// True if the type is an array of blocks, or an array of such arrays. Such an array is not memory:
/// it stands for many descriptors, or for what stages pass for many vertices.
bool IsArrayOfBlocks(const Module& module, Id type);
/// The OpMemberDecorate of member `member` of struct type `type` with `decoration`; kNone if
/// not found. Decorations through groups are not found, because their literals are in another
/// instruction.
Inst FindMemberDecoration(const Module& module, Id type, uint32_t member,
                          spv::Decoration decoration);
/// True if the member has the decoration, which has no literals, directly or through a group.
bool HasMemberDecoration(const Module& module, Id type, uint32_t member,
                         spv::Decoration decoration);
/// True if all decorations of the id affect only the precision and the name of the value, so that a
/// transformation may rewrite or replace it. False if there is an unknown decoration.
bool IsTouchable(const Module& module, Id id);
/// The same, but the id may have NonUniform, too: the caller keeps it.
bool IsTouchableOrNonUniform(const Module& module, Id id);
/// True if the value may be copied without its decorations: it has none, or only decorations that
/// do not apply to the value itself.
bool IsFreelyCopyable(const Module& module, Id id);

}  // namespace ir
}  // namespace refract
