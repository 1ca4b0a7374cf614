// SPDX-License-Identifier: Apache-2.0
// Ops that no instruction requires: they check the claims of an audit about the module.
#include <algorithm>

#include "base/text.h"
#include "interp/decode/decoder.h"
#include "interp/describe.h"
#include "interp/ops/ops_memory.h"
#include "ir/types.h"

namespace refract {
inline namespace interp {
namespace {

// a, b: `count` scalars each, which must be equal; c, d: the ids of the values; list: the number of
// words of the values before these scalars, for the message. The shadow of a scalar is that of its
// first row.
void CheckEqual(Machine& machine, const Op& op) {
  const uint32_t rows = RowsOf(op.scalar);
  for (uint32_t i = 0; i < op.count * rows; ++i) {
    const uint32_t first = i - i % rows;
    const uint32_t* left = machine.Row(op.a + i);
    const uint32_t* right = machine.Row(op.b + i);
    machine.ForActive([&](uint32_t lane) {
      const uint32_t shadows[] = {machine.ShadowOf(op.a + first, lane) & kUndefinedBit,
                                  machine.ShadowOf(op.b + first, lane) & kUndefinedBit};
      if (shadows[0] == shadows[1] && (shadows[0] != 0 || left[lane] == right[lane])) return;
      const Module& module = *machine.code().module;
      machine.Fail(Trap::Kind::kAudit, op.instruction, lane,
                   format("{}: %{} is known to equal %{}, but word {} {}",
                          Describe(module, op.instruction), module.FileId(static_cast<Id>(op.c)),
                          module.FileId(static_cast<Id>(op.d)), op.list + i,
                          shadows[0] != shadows[1]
                              ? std::string("is undefined in only one of the two values")
                              : format("is {} in the first value and {} in the second value",
                                       left[lane], right[lane])));
    });
  }
}

// Op::flags of Randomise.
constexpr uint8_t kAnyBits = 1;

// A random value: for floats, small multiples of 1/2; for integers, small ones half of the time.
// kAnyBits: sometimes any bits.
uint64_t RandomBits(Random& random, Scalar scalar, bool any_bits) {
  uint64_t bits = random.Next();
  const uint64_t dice = random.Next();
  const uint32_t width = WidthOf(scalar);
  if (!(any_bits && IsFloat(scalar) && dice % 4 == 0)) {
    if ((dice & 4) != 0) bits &= 7;
    if (scalar == Scalar::kFloat16) return 0x3800 + (bits & 0x0fff);
    if (scalar == Scalar::kFloat32) return 0x3f000000 + (bits & 0x03ffffff);
    if (scalar == Scalar::kFloat64) return 0x3fe0000000000000 + (bits & 0x003fffffffffffff);
  }
  return width < 64 ? bits & ((uint64_t{1} << width) - 1) : bits;
}

void Randomise(Machine& machine, const Op& op) {
  for (uint32_t row = op.result; row < op.result + RowsOf(op.scalar); ++row) {
    machine.ClearShadow(row);
  }
  const bool any_bits = (op.flags & kAnyBits) != 0;
  machine.ForActive([&](uint32_t lane) {
    machine.Set(op.result, op.scalar, lane, RandomBits(machine.random(), op.scalar, any_bits));
  });
}

// a: `count` rows; c: the index in Code::uniform_values; list: where its words are kept.
void RecordUniformValue(Machine& machine, const Op& op) {
  Machine::UniformValues& uniform_values = machine.uniform_values();
  Machine::UniformValues::State& state = uniform_values.states[op.c];
  if (state == Machine::UniformValues::kVaries) return;
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t* words = machine.Row(op.a + i);
    uint32_t& kept = uniform_values.words[op.list + i];
    bool is_first = state == Machine::UniformValues::kUnseen, same = true;
    const bool shadowed = machine.IsShadowed(op.a + i);
    machine.ForActive([&](uint32_t lane) {
      if (is_first) kept = words[lane];
      is_first = false;
      same = same && words[lane] == kept;
      if (shadowed) same = same && (machine.ShadowOf(op.a + i, lane) & kShadowMask) == 0;
    });
    if (same) continue;
    state = Machine::UniformValues::kVaries;
    return;
  }
  if (machine.active_count() != 0) state = Machine::UniformValues::kSame;
}

void CheckUniformValue(Machine& machine, const Op& op) {
  RecordUniformValue(machine, op);
  if (machine.uniform_values().states[op.c] != Machine::UniformValues::kVaries) return;
  const Module& module = *machine.code().module;
  machine.Fail(Trap::Kind::kAudit, op.instruction, machine.FirstActive(),
               format("{}: the value is known to be always the same, but it changes",
                      Describe(module, op.instruction)));
}

// The first row of a part of a value, and the type of the part.
Result<std::pair<uint32_t, Id>> FindPart(Decoder& decoder, Inst user, const ValuePath& path) {
  const Result<uint32_t> row = decoder.writer.RowOf(user, path.value);
  if (!row) return row.error();
  Id type = decoder.module.TypeOf(path.value);
  const TypeInfo* info = nullptr;
  if (Status status = decoder.types.ValueType(user, type, &info); !status) return status.error();
  uint64_t place = *row;
  for (const uint32_t index : path.path) {
    if (index >= info->parts) return decoder.Cannot(user, "no part has this index");
    place += info->element != Id::kNone ? index * info->element_rows : info->member_rows[index];
    type = info->element != Id::kNone ? info->element : info->members[index];
    if (Status status = decoder.types.ValueType(user, type, &info); !status) return status.error();
  }
  return std::pair(static_cast<uint32_t>(place), type);
}

Status AuditEquals(Decoder& decoder, Inst inst) {
  const auto equals = decoder.audit.equal_after.find(inst);
  if (equals == decoder.audit.equal_after.end()) return {};
  for (const auto* equal : equals->second) {
    if (TypeOpcode(decoder.module, decoder.module.TypeOf(equal->first.value)) ==
        spv::Op::OpTypePointer)
      continue;
    const auto a = FindPart(decoder, inst, equal->first);
    if (!a) return a.error();
    const auto b = FindPart(decoder, inst, equal->second);
    if (!b) return b.error();
    std::vector<Scalar> scalars;
    if (Status status = decoder.types.Flatten(a->second, &scalars); !status) return status;
    uint32_t word = 0;
    for (size_t i = 0; i < scalars.size(); i += decoder.writer.Last().count) {
      Op op = decoder.writer.MakeOp(inst, CheckEqual);
      op.a = a->first + word;
      op.b = b->first + word;
      op.scalar = scalars[i];
      const auto other_rows =
          std::find_if(scalars.begin() + static_cast<ptrdiff_t>(i), scalars.end(),
                       [&](Scalar scalar) { return RowsOf(scalar) != RowsOf(op.scalar); });
      op.count = static_cast<uint32_t>(other_rows - scalars.begin()) - static_cast<uint32_t>(i);
      op.c = Index(equal->first.value);
      op.d = Index(equal->second.value);
      op.list = word;
      word += op.count * RowsOf(op.scalar);
      decoder.writer.Emit(op);
    }
  }
  return {};
}

// Does nothing for types that contain pointers or resources.
Status EmitRandomScalars(Decoder& decoder, Inst inst, Id type, uint32_t row, uint8_t flags) {
  std::vector<Scalar> scalars;
  if (Status status = decoder.types.Flatten(type, &scalars); !status) return status;
  const auto is_pointer = [](Scalar s) { return s == Scalar::kPointer || s == Scalar::kAddress; };
  if (std::any_of(scalars.begin(), scalars.end(), is_pointer)) return {};
  for (const Scalar scalar : scalars) {
    Op op;
    op.run = Randomise;
    op.instruction = inst;
    op.result = row;
    op.scalar = scalar;
    op.flags = flags;
    row += RowsOf(scalar);
    decoder.writer.Emit(op);
  }
  return {};
}

// Randomises a value, or the memory at a pointer.
Status EmitRandom(Decoder& decoder, Inst inst, Id id) {
  if (decoder.audit.irrelevant.contains(id) && !decoder.audit.irrelevant_pointees.contains(id)) {
    const Result<uint32_t> row = decoder.writer.RowOf(inst, id);
    if (!row) return row.error();
    return EmitRandomScalars(decoder, inst, decoder.module.TypeOf(id), *row, 0);
  }
  const Result<PointerInfo> pointer = decoder.pointers.Of(inst, id);
  if (!pointer) return pointer.error();
  if (pointer->shared || (pointer->fixed && pointer->address >= kFirstSparseRow)) return {};
  const TypeInfo* info = nullptr;
  if (Status status = decoder.types.ValueType(inst, pointer->pointee, &info); !status) {
    return status;
  }
  const uint32_t row = decoder.rows.Allocate(info->rows);
  const size_t before = decoder.writer.size();
  Status status = EmitRandomScalars(decoder, inst, pointer->pointee, row, 0);
  if (!status || decoder.writer.size() == before) return status;
  return decoder.writer.EmitStore(inst, *pointer, row);
}

Status EmitUniformValue(Decoder& decoder, Inst inst) {
  constexpr uint64_t kMaxUniformValueRows = 16;
  const Id id = decoder.module.Result(inst), type = decoder.module.Type(inst);
  if (type == Id::kNone || TypeOpcode(decoder.module, type) == spv::Op::OpTypePointer) return {};
  const TypeInfo* info = nullptr;
  if (Status known = decoder.types.TypeOf(type, &info); !known) return {};
  if (info->rows == 0 || info->rows > kMaxUniformValueRows || info->scalar == Scalar::kPointer) {
    return {};
  }
  const Result<uint32_t> row = decoder.writer.RowOf(inst, id);
  if (!row) return row.error();
  Op op;
  op.run = decoder.audit.uniform.contains(id) ? CheckUniformValue : RecordUniformValue;
  op.instruction = inst;
  op.a = *row;
  op.count = static_cast<uint32_t>(info->rows);
  op.c = static_cast<uint32_t>(decoder.code.uniform_values.size());
  op.list = decoder.code.uniform_value_rows;
  decoder.code.uniform_values.push_back(id);
  decoder.code.uniform_value_rows += op.count;
  decoder.writer.Emit(op);
  return {};
}

}  // namespace

AuditIndex::AuditIndex(const Module& module, const Audit* audit) {
  if (audit == nullptr) return;
  uniform.insert(audit->uniform.begin(), audit->uniform.end());
  dead_blocks.insert(audit->dead_blocks.begin(), audit->dead_blocks.end());
  agreed.insert(audit->agreed.begin(), audit->agreed.end());
  if (audit->randomise != 0) {
    irrelevant.insert(audit->irrelevant_values.begin(), audit->irrelevant_values.end());
    irrelevant_pointees.insert(audit->irrelevant_pointees.begin(),
                               audit->irrelevant_pointees.end());
  }
  // The check is at the later of the two definitions: there the other value is available, if it
  // ever is.
  for (const auto& equal : audit->equal) {
    const Inst a = module.Definition(equal.first.value), b = module.Definition(equal.second.value);
    const bool a_local = module.FunctionOf(a) != Function::kNone;
    const bool b_local = module.FunctionOf(b) != Function::kNone;
    if (!a_local && !b_local) continue;
    if (a_local && b_local && module.FunctionOf(a) != module.FunctionOf(b)) continue;
    const auto comes_before = [&](Inst first, Inst second) {
      const Block block = module.BlockOf(first), other = module.BlockOf(second);
      if (block == other) return module.Precedes(first, second);
      if (block == module[module.FunctionOf(first)].head) return true;
      if (other == module[module.FunctionOf(first)].head) return false;
      return module.Flow(module.FunctionOf(first)).Dominates(block, other);
    };
    if (!a_local || (b_local && comes_before(a, b))) {
      equal_after[b].push_back(&equal);
    } else if (!b_local || comes_before(b, a)) {
      equal_after[a].push_back(&equal);
    }
  }
}

Status AuditAfter(Decoder& decoder, Inst inst) {
  const Id result = decoder.module.Result(inst);
  if (result != Id::kNone) {
    if (decoder.audit.irrelevant.contains(result) ||
        decoder.audit.irrelevant_pointees.contains(result)) {
      if (Status status = EmitRandom(decoder, inst, result); !status) return status;
    }
    if (Status status = AuditEquals(decoder, inst); !status) return status;
    if (Status status = AuditAgreement(decoder, inst); !status) return status;
    if (decoder.options.find_uniform || decoder.audit.uniform.contains(result)) {
      if (Status status = EmitUniformValue(decoder, inst); !status) return status;
    }
  }
  if (decoder.audit.irrelevant_pointees.empty()) return {};
  for (uint32_t i = 0; i < decoder.module.OperandCount(inst); ++i) {
    if (!decoder.module.IsId(inst, i)) continue;
    const Id operand = decoder.module.IdAt(inst, i);
    if (!decoder.audit.irrelevant_pointees.contains(operand)) continue;
    if (Status status = EmitRandom(decoder, inst, operand); !status) return status;
  }
  return {};
}

Status AuditParameters(Decoder& decoder, Function function) {
  Status failed;
  ForEachInstruction(decoder.module, decoder.module[function].head, [&](Inst inst) {
    if (failed && decoder.module.Opcode(inst) == spv::Op::OpFunctionParameter) {
      failed = AuditAfter(decoder, inst);
    }
  });
  return failed;
}

void RandomiseConstant(Decoder& decoder, Inst inst, uint32_t row, const TypeInfo& type) {
  const Id id = decoder.module.Result(inst);
  if (!decoder.audit.irrelevant.contains(id)) return;
  Random random(Mix(decoder.code.randomise, Index(id)));
  const uint64_t bits = RandomBits(random, type.scalar, false);
  decoder.constants.Set(row, static_cast<uint32_t>(type.scalar == Scalar::kBool ? bits & 1 : bits));
  if (type.rows == 2) decoder.constants.Set(row + 1, static_cast<uint32_t>(bits >> 32));
}

Status DecodeArguments(Decoder& decoder, Function function) {
  Status failed;
  ForEachInstruction(decoder.module, decoder.module[function].head, [&](Inst inst) {
    if (!failed || decoder.module.Opcode(inst) != spv::Op::OpFunctionParameter) return;
    const Result<uint32_t> row = decoder.writer.RowOf(inst, decoder.module.Result(inst));
    if (!row) {
      failed = row.error();
      return;
    }
    Id type = decoder.module.Type(inst);
    uint32_t place = *row;
    if (TypeOpcode(decoder.module, type) == spv::Op::OpTypePointer) {
      const spv::StorageClass storage = StorageClassOf(decoder.module, type);
      const TypeInfo* pointee = nullptr;
      type = ElementType(decoder.module, type);
      failed = decoder.types.TypeOf(type, &pointee);
      if (!failed) return;
      if (IsShared(storage) || storage == spv::StorageClass::UniformConstant ||
          pointee->rows > kMaxVariableRows) {
        failed = decoder.Cannot(inst, "no argument can be generated for this parameter");
        return;
      }
      place = decoder.rows.Allocate(pointee->rows);
      decoder.constants.Set(*row, place);
    }
    const size_t before = decoder.writer.size();
    failed = EmitRandomScalars(decoder, inst, type, place, kAnyBits);
    if (failed && decoder.writer.size() == before) {
      failed = decoder.Cannot(inst, "no argument can be generated for this parameter");
    }
  });
  return failed;
}

}  // namespace interp
}  // namespace refract
