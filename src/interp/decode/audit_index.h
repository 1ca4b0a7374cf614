// SPDX-License-Identifier: Apache-2.0
// The claims of an Audit by id, and the ops that check them. Private to this library.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "interp/interpreter.h"

namespace refract {
inline namespace interp {

struct Decoder;
struct TypeInfo;

struct AuditIndex {
  AuditIndex(const Module& module, const Audit* audit);

  std::set<Id> dead_blocks, uniform;
  std::set<Id> irrelevant, irrelevant_pointees;  ///< empty if the audit does not randomise
  std::map<Id, DivergenceClass> agreed;
  /// The equalities to check after an instruction.
  std::map<Inst, std::vector<const std::pair<ValuePath, ValuePath>*>> equal_after;
};

/// Emits the checks after an instruction.
Status AuditAfter(Decoder& decoder, Inst inst);
/// Emits the checks of a function's parameters, at its start.
Status AuditParameters(Decoder& decoder, Function function);
/// Emits the check that all or no invocations of a scope enter the block.
void AuditEntry(Decoder& decoder, Block block);
/// Gives the row of an irrelevant constant another value.
void RandomiseConstant(Decoder& decoder, Inst inst, uint32_t row, const TypeInfo& type);
/// Makes random arguments for the function that is run alone.
Status DecodeArguments(Decoder& decoder, Function function);
/// Emits the check that a value is the same for all invocations of a scope (audit_agreement.cpp).
Status AuditAgreement(Decoder& decoder, Inst inst);

}  // namespace interp
}  // namespace refract
