// SPDX-License-Identifier: Apache-2.0
// Ops that no instruction asks for: they put claims about the module to the test.
#include "base/text.h"
#include "interp/decode.h"
#include "interp/describe.h"
#include "interp/ops_memory.h"
#include "ir/types.h"

namespace refract {
namespace {

// a, b: rows that are to be the same, `count` of them; c, d: the values' ids, for the message.
void CheckEqual(Machine& machine, const Op& op) {
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t* left = machine.Row(op.a + i);
    const uint32_t* right = machine.Row(op.b + i);
    machine.ForActive([&](uint32_t lane) {
      const uint32_t shadows[] = {machine.ShadowOf(op.a + i, lane) & kUndefinedBit,
                                  machine.ShadowOf(op.b + i, lane) & kUndefinedBit};
      if (shadows[0] == shadows[1] && (shadows[0] != 0 || left[lane] == right[lane])) return;
      const Module& module = *machine.code().module;
      machine.Fail(
          Trap::Kind::kAudit, op.instruction, lane,
          format("{}: %{} is known to equal %{}, but word {} of them {}",
                 Describe(module, op.instruction), module.FileId(static_cast<Id>(op.c)),
                 module.FileId(static_cast<Id>(op.d)), i,
                 shadows[0] != shadows[1] ? std::string("is undefined in one alone")
                                          : format("is {} and {}", left[lane], right[lane])));
    });
  }
}

// `count` scalars of kind `scalar` get values that any shader may have: of floats small whole
// numbers and fractions.
void Randomise(Machine& machine, const Op& op) {
  Random& random = machine.random();
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t row = op.result + i * RowsOf(op.scalar);
    machine.ClearShadow(row);
    machine.ForActive([&](uint32_t lane) {
      uint64_t bits = random.Next();
      const uint32_t width = WidthOf(op.scalar);
      if (random.Percent(50)) bits &= 7;
      switch (op.scalar) {
        case Scalar::kBool:
          bits &= 1;
          break;
        case Scalar::kFloat16:
          bits = 0x3800 + (bits & 0x0fff);  // 0.5 and up
          break;
        case Scalar::kFloat32:
          bits = 0x3f000000 + (bits & 0x03ffffff);
          break;
        case Scalar::kFloat64:
          bits = 0x3fe0000000000000 + (bits & 0x003fffffffffffff);
          break;
        default:
          if (width < 64) bits &= (uint64_t{1} << width) - 1;
      }
      machine.Set(row, op.scalar, lane, bits);
    });
  }
}

}  // namespace

void Decoder::PrepareAudit() {
  const Audit* audit = options_.audit;
  if (audit == nullptr) return;
  dead_blocks_.insert(audit->dead_blocks.begin(), audit->dead_blocks.end());
  code_->randomise = audit->randomise;
  if (audit->randomise != 0) {
    irrelevant_.insert(audit->irrelevant_values.begin(), audit->irrelevant_values.end());
    irrelevant_.insert(audit->irrelevant_pointees.begin(), audit->irrelevant_pointees.end());
  }
  // Checked where the later of two is made: there the other is available, if it ever is.
  for (const auto& equal : audit->equal) {
    const Inst a = module_.Definition(equal.first.value),
               b = module_.Definition(equal.second.value);
    const bool a_local = module_.FunctionOf(a) != Function::kNone;
    const bool b_local = module_.FunctionOf(b) != Function::kNone;
    if (!a_local && !b_local) continue;
    if (a_local && b_local && module_.FunctionOf(a) != module_.FunctionOf(b)) continue;
    const auto comes_before = [&](Inst first, Inst second) {
      const Block block = module_.BlockOf(first), other = module_.BlockOf(second);
      if (block == other) return module_.Precedes(first, second);
      if (block == module_[module_.FunctionOf(first)].head) return true;
      if (other == module_[module_.FunctionOf(first)].head) return false;
      return module_.Flow(module_.FunctionOf(first)).Dominates(block, other);
    };
    if (!a_local || (b_local && comes_before(a, b))) {
      equal_after_[b].push_back(&equal);
    } else if (!b_local || comes_before(b, a)) {
      equal_after_[a].push_back(&equal);
    }
  }
}

// The rows of a part of a value.
Result<std::pair<uint32_t, uint32_t>> Decoder::RowsOfPart(Inst user, const ValuePath& path) {
  const Result<uint32_t> row = RowOf(user, path.value);
  if (!row) return row.error();
  Id type = module_.TypeOf(path.value);
  const TypeInfo* info = nullptr;
  if (Status status = ValueType(user, type, &info); !status) return status.error();
  uint64_t place = *row;
  for (const uint32_t index : path.path) {
    if (index >= info->parts) return Cannot(user, "a part that is not there");
    place += info->element != Id::kNone ? index * info->element_rows : info->places[index];
    type = info->element != Id::kNone ? info->element : info->members[index];
    if (Status status = ValueType(user, type, &info); !status) return status.error();
  }
  return std::pair(static_cast<uint32_t>(place), static_cast<uint32_t>(info->rows));
}

Status Decoder::AuditAfter(Inst inst) {
  const Id result = module_.Result(inst);
  if (result == Id::kNone) return {};
  if (irrelevant_.contains(result)) {
    if (Status status = EmitRandom(inst); !status) return status;
  }
  const auto equals = equal_after_.find(inst);
  if (equals == equal_after_.end()) return {};
  for (const auto* equal : equals->second) {
    if (TypeOpcode(module_, module_.TypeOf(equal->first.value)) == spv::Op::OpTypePointer) continue;
    const auto a = RowsOfPart(inst, equal->first);
    if (!a) return a.error();
    const auto b = RowsOfPart(inst, equal->second);
    if (!b) return b.error();
    Op op = MakeOp(inst, CheckEqual);
    op.a = a->first;
    op.b = b->first;
    op.count = std::min(a->second, b->second);
    op.c = Index(equal->first.value);
    op.d = Index(equal->second.value);
    Emit(op);
  }
  return {};
}

// A value, or what a pointer points to, becomes something else.
Status Decoder::EmitRandom(Inst inst) {
  const Id id = module_.Result(inst);
  const bool is_pointer = TypeOpcode(module_, module_.Type(inst)) == spv::Op::OpTypePointer;
  Id type = module_.Type(inst);
  PointerInfo pointer;
  if (is_pointer) {
    const Result<PointerInfo> found = PointerOf(inst, id);
    if (!found) return found.error();
    pointer = *found;
    type = pointer.pointee;
    if (pointer.shared || (pointer.fixed && pointer.place >= kFirstSparseRow)) return {};
  }
  const TypeInfo* info = nullptr;
  if (Status status = ValueType(inst, type, &info); !status) return status;
  std::vector<Scalar> scalars;
  if (Status status = Flatten(type, &scalars); !status) return status;
  uint32_t row = 0;
  if (is_pointer) {
    row = NewRows(info->rows);
  } else {
    const Result<uint32_t> own = RowOf(inst, id);
    if (!own) return own.error();
    row = *own;
  }
  for (const Scalar scalar : scalars) {
    if (scalar == Scalar::kPointer) return {};
  }
  const uint32_t first = row;
  for (const Scalar scalar : scalars) {
    Op op = MakeOp(inst, Randomise);
    op.result = row;
    op.scalar = scalar;
    row += RowsOf(scalar);
    Emit(op);
  }
  return is_pointer ? EmitStore(inst, pointer, first) : Status();
}

}  // namespace refract
