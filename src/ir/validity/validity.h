// SPDX-License-Identifier: Apache-2.0
// Refract's own check of whether a module is valid, in addition to spirv-val. It covers the rules
// that an edit could break. Each rule has a name, so a report says which rule is broken and where.
// The two checks are independent: this one does not use SPIRV-Tools, and it rebuilds the control
// flow, so that a stale cache cannot hide a fault.
//
// It does not check what transformations do not change (layout of blocks, capabilities, images,
// built-ins). Operand types are checked only for the instructions in validity_types.cpp and
// validity_operations.cpp.
#pragma once

#include "base/result.h"
#include "ir/module.h"

namespace refract {
inline namespace ir {

/// Passes if no rule is broken. The error is "RULE: what is wrong: INSTRUCTION", with the ids of
/// the file. RULE is a word such as "id-dominance", or a rule of flow_rules.h. Accepts any module
/// that was read or edited, however invalid.
Status CheckModule(const Module& module);

/// The parts of CheckModule; each may assume that the earlier ones passed. Limits: SPIR-V 2.17.
/// Layout: 2.4. Ids: 2.16.1. Types: chapter 3. Declarations: 2.8 and interfaces.
Status CheckLimits(const Module& module);
Status CheckLayout(const Module& module);
Status CheckIds(const Module& module);
Status CheckTypes(const Module& module);
Status CheckDeclarations(const Module& module);
/// The rules of flow_rules.h, in strict mode.
Status CheckStructure(const Module& module);

}  // namespace ir
}  // namespace refract
