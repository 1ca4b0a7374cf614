// SPDX-License-Identifier: Apache-2.0
// What the annotation section says of an id.
#pragma once

#include <spirv/unified1/spirv.hpp11>

#include "ir/module.h"

namespace refract::inline ir {

/// Whether the instruction decorates what it names (SPIR-V 3.42.4).
bool IsDecoration(spv::Op opcode);

/// Whether any decoration (of the id or of its members, directly or through a group) names it.
bool IsDecorated(const Module& module, Id id);
/// The OpDecorate of `id` with `decoration`; none. Groups (OpGroupDecorate) are looked through.
Inst FindDecoration(const Module& module, Id id, spv::Decoration decoration);
/// Whether the struct type is the block of an interface: decorated Block or BufferBlock.
bool IsBlock(const Module& module, Id type);
/// Whether the type is an array of blocks, or an array of such: not memory but many descriptors, or
/// what stages pass for many vertices.
bool IsArrayOfBlocks(const Module& module, Id type);
/// The OpMemberDecorate of member `member` of struct type `type` with `decoration`; none. Groups
/// are not looked through: what they say has its literals elsewhere.
Inst FindMemberDecoration(const Module& module, Id type, uint32_t member,
                          spv::Decoration decoration);
/// Whether a decoration without literals is said of the member, also through a group.
bool HasMemberDecoration(const Module& module, Id type, uint32_t member,
                         spv::Decoration decoration);
/// Whether all its decorations are known to bear on nothing but the value's precision and its
/// name, so that a transformation may rewrite or replace it. An unknown decoration makes its target
/// untouchable.
bool IsTouchable(const Module& module, Id id);
/// Whether a value may be given a second name, i.e. a copy of it made without its decorations: it
/// has none, or only such as say nothing of the value itself.
bool IsFreelyCopyable(const Module& module, Id id);

}  // namespace refract::inline ir
