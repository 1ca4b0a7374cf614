// SPDX-License-Identifier: Apache-2.0
// Checks the claims of an audit about which invocations agree on a value or on entering a block.
#include "base/text.h"
#include "interp/decode/decoder.h"
#include "interp/describe.h"
#include "ir/types.h"

namespace refract {
inline namespace interp {
namespace {

// The number of lanes of one unit, which are adjacent. For a draw, only one batch can be compared.
uint32_t UnitSize(const Machine& machine, uint32_t scope) {
  switch (static_cast<DivergenceClass>(scope)) {
    case DivergenceClass::kQuad:
      return 4;
    case DivergenceClass::kSubgroup:
      return machine.subgroup_size();
    default:
      return machine.lanes();
  }
}

// a: `count` rows; c: the scope; d: the id of the value.
void CheckAgreed(Machine& machine, const Op& op) {
  const uint32_t size = UnitSize(machine, op.c);
  for (uint32_t row = op.a; row < op.a + op.count; ++row) {
    const uint32_t* words = machine.Row(row);
    uint32_t unit = 0, kept = 0;
    bool is_first = true, agree = true;
    machine.ForActive([&](uint32_t lane) {
      if ((machine.ShadowOf(row, lane) & kUndefinedBit) != 0) return;
      if (is_first || lane / size != unit) {
        kept = words[lane];
        unit = lane / size;
        is_first = false;
      }
      agree = agree && words[lane] == kept;
    });
    if (agree) continue;
    const Module& module = *machine.code().module;
    machine.Fail(Trap::Kind::kAudit, op.instruction, machine.FirstActive(),
                 format("{}: %{} is known to be the same in each {}, but it differs",
                        Describe(module, op.instruction), module.FileId(static_cast<Id>(op.d)),
                        NameOf(static_cast<DivergenceClass>(op.c))));
    return;
  }
}

// c: the scope; d: the label.
void CheckEntered(Machine& machine, const Op& op) {
  const uint32_t size = UnitSize(machine, op.c);
  for (uint32_t first = 0; first < machine.lanes(); first += size) {
    bool some = false, all = true;
    for (uint32_t lane = first; lane < std::min(first + size, machine.lanes()); ++lane) {
      if (!machine.batch().present.Has(lane)) continue;
      some = some || machine.active().Has(lane);
      all = all && machine.active().Has(lane);
    }
    if (all || !some) continue;
    const Module& module = *machine.code().module;
    machine.Fail(
        Trap::Kind::kAudit, op.instruction, machine.FirstActive(),
        format("block %{} is known to be entered by all invocations of a {} or by none, but only "
               "some invocations enter it",
               module.FileId(static_cast<Id>(op.d)), NameOf(static_cast<DivergenceClass>(op.c))));
    return;
  }
}

}  // namespace

Status AuditAgreement(Decoder& decoder, Inst inst) {
  const Id id = decoder.module.Result(inst), type = decoder.module.Type(inst);
  const auto agreed = decoder.audit.agreed.find(id);
  if (agreed == decoder.audit.agreed.end() || type == Id::kNone ||
      agreed->second == DivergenceClass::kDivergent ||
      TypeOpcode(decoder.module, type) == spv::Op::OpTypePointer) {
    return {};
  }
  const TypeInfo* info = nullptr;
  if (Status known = decoder.types.TypeOf(type, &info); !known) return {};
  if (info->rows == 0 || info->scalar == Scalar::kPointer) return {};
  const Result<uint32_t> row = decoder.writer.RowOf(inst, id);
  if (!row) return row.error();
  Op op = decoder.writer.MakeOp(inst, CheckAgreed);
  op.a = *row;
  op.count = static_cast<uint32_t>(info->rows);
  op.c = static_cast<uint32_t>(agreed->second);
  op.d = Index(id);
  decoder.writer.Emit(op);
  return {};
}

void AuditEntry(Decoder& decoder, Block block) {
  const auto agreed = decoder.audit.agreed.find(decoder.module.LabelId(block));
  if (agreed == decoder.audit.agreed.end() || agreed->second == DivergenceClass::kDivergent) return;
  Op op = decoder.writer.MakeOp(decoder.module.Terminator(block), CheckEntered);
  op.c = static_cast<uint32_t>(agreed->second);
  op.d = Index(decoder.module.LabelId(block));
  decoder.writer.Emit(op);
}

}  // namespace interp
}  // namespace refract
