// SPDX-License-Identifier: Apache-2.0
#include "ir/divergence/convergence.h"

#include "ir/grammar/operand_rules.h"
#include "ir/types.h"

namespace refract {
inline namespace ir {

DivergenceClass RequiredUniformity(const Module& module, Inst inst) {
  const Properties& row = PropertiesOf(module, inst);
  if (!row.convergent) return DivergenceClass::kDivergent;
  if (row.agreement == Agreement::kAsOperandsInQuad) return DivergenceClass::kQuad;
  if (!row.known || !row.operands.starts_with('k')) return DivergenceClass::kDraw;
  const auto scope = LiteralValue(module, module.IdAt(inst, 0));
  if (scope == static_cast<uint64_t>(spv::Scope::Subgroup)) return DivergenceClass::kSubgroup;
  if (scope == static_cast<uint64_t>(spv::Scope::Workgroup)) return DivergenceClass::kWorkgroup;
  return DivergenceClass::kDraw;
}

}  // namespace ir
}  // namespace refract
