// SPDX-License-Identifier: Apache-2.0
// Our own judgement of whether a module is valid, beside spirv-val's: the rules that an edit of
// ours could break. One named rule each, so that a report says which one and where. The opinions
// are independent: nothing here asks SPIRV-Tools, and the control flow is built anew, so that a
// stale cache cannot hide what it should show.
//
// Not judged: what no transformation touches (layout of blocks, capabilities, images, built-ins).
// Operand types are judged for the instructions in validity_types.cpp; others pass.
#pragma once

#include "base/result.h"
#include "ir/module.h"

namespace refract::inline ir {

/// Passes if no rule is broken. The error is "RULE: what is wrong: INSTRUCTION", with ids as in
/// the file; the rule is a word such as "id-dominance", or a rule of flow_rules.h. Any module that
/// was read or edited, however broken, gets an answer.
Status CheckModule(const Module& module);

/// The same for one part; each may rely on those before it having passed.
/// Limits: SPIR-V 2.17. Layout: 2.4. Ids: 2.16.1. Types: chapter 3. Declarations: 2.8, interfaces.
Status CheckLimits(const Module& module);
Status CheckLayout(const Module& module);
Status CheckIds(const Module& module);
Status CheckTypes(const Module& module);
Status CheckDeclarations(const Module& module);
/// The rules of flow_rules.h, strictly.
Status CheckStructure(const Module& module);

}  // namespace refract::inline ir
