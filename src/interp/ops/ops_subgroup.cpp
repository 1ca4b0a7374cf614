// SPDX-License-Identifier: Apache-2.0
// Votes, ballots and shuffles of subgroups (SPIR-V 3.49.21 and 3.49.24).
#include <bit>

#include "interp/ops/float_columns.h"
#include "interp/ops/ops_collective.h"
#include "interp/ops/subgroups.h"

namespace refract {
inline namespace interp {
namespace {

uint32_t JoinedShadow(const Machine& machine, const Subgroup& subgroup, uint32_t row) {
  uint32_t shadow = 0;
  for (uint32_t i = 0; i < subgroup.count; ++i) {
    shadow |= machine.ShadowOf(row, subgroup.lanes[i]) & kShadowMask;
  }
  return shadow;
}

void Give(Machine& machine, const Subgroup& subgroup, uint32_t row, uint32_t word,
          uint32_t shadow) {
  for (uint32_t i = 0; i < subgroup.count; ++i) {
    machine.Row(row)[subgroup.lanes[i]] = word;
    machine.SetShadow(row, subgroup.lanes[i], shadow);
  }
}

// Floats are compared as numbers: zeros of both signs are equal, and a NaN equals nothing.
bool AreEqual(Machine& machine, const Op& op, uint32_t row, uint32_t lane, uint32_t other) {
  if (!IsFloat(op.scalar)) {
    return machine.Get(row, op.scalar, lane) == machine.Get(row, op.scalar, other);
  }
  const FloatColumn column(machine, row, op.scalar);
  return column.Value(lane) == column.Value(other);
}

bool Vote(Machine& machine, const Op& op, const Subgroup& subgroup) {
  uint32_t yes = 0;
  const auto opcode = static_cast<spv::Op>(op.list);
  if (opcode != spv::Op::OpGroupNonUniformAllEqual) {
    for (uint32_t i = 0; i < subgroup.count; ++i) yes += machine.Row(op.a)[subgroup.lanes[i]];
    return opcode == spv::Op::OpGroupNonUniformAny ? yes != 0 : yes == subgroup.count;
  }
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t row = op.a + i * RowsOf(op.scalar);
    for (uint32_t n = 0; n < subgroup.count; ++n) {
      if (!AreEqual(machine, op, row, subgroup.lanes[n], subgroup.lanes[0])) return false;
    }
  }
  return true;
}

}  // namespace

void SubgroupVote(Machine& machine, const Op& op) {
  ForSubgroups(machine, [&](const Subgroup& subgroup) {
    const uint32_t open = OpenSubgroups(machine, op);
    if (static_cast<spv::Op>(op.list) == spv::Op::OpGroupNonUniformElect) {
      Give(machine, subgroup, op.result, 0, open);
      machine.Row(op.result)[subgroup.lanes[0]] = 1;
      return;
    }
    uint32_t shadow = 0;
    for (uint32_t i = 0; i < op.count; ++i) {
      shadow |= JoinedShadow(machine, subgroup, op.a + i * RowsOf(op.scalar));
    }
    Give(machine, subgroup, op.result, Vote(machine, op, subgroup) ? 1 : 0, shadow | open);
  });
}

// --- ballots

void SubgroupBallot(Machine& machine, const Op& op) {
  ForSubgroups(machine, [&](const Subgroup& subgroup) {
    uint32_t words[4] = {};
    for (uint32_t i = 0; i < subgroup.count; ++i) {
      const uint32_t lane = subgroup.lanes[i], place = lane - subgroup.first;
      if (machine.Row(op.a)[lane] != 0) words[place / 32] |= uint32_t{1} << place % 32;
    }
    const uint32_t shadow = JoinedShadow(machine, subgroup, op.a) | OpenSubgroups(machine, op);
    for (uint32_t i = 0; i < 4; ++i) Give(machine, subgroup, op.result + i, words[i], shadow);
  });
}

namespace {

// The bits of a ballot for the invocations `from` to `to` - 1.
class Ballot {
 public:
  Ballot(Machine& machine, uint32_t row, uint32_t lane) {
    for (uint32_t i = 0; i < 4; ++i) {
      words_[i] = machine.Row(row + i)[lane];
      shadow_ |= machine.ShadowOf(row + i, lane) & kShadowMask;
    }
  }
  uint32_t shadow() const { return shadow_; }
  bool Bit(uint64_t place) const { return (words_[place / 32] >> place % 32 & 1) != 0; }
  uint32_t Count(uint32_t to) const {
    uint32_t count = 0;
    for (uint32_t i = 0; i < to; ++i) count += Bit(i) ? 1 : 0;
    return count;
  }
  friend bool operator==(const Ballot&, const Ballot&) = default;

 private:
  uint32_t words_[4] = {};
  uint32_t shadow_ = 0;
};

struct Answer {
  uint32_t word = 0, shadow = 0;
};
constexpr Answer kUndefinedAnswer{0, kUndefinedBit};

uint32_t BitCount(const Ballot& ballot, uint32_t place, uint32_t size,
                  spv::GroupOperation operation) {
  if (operation == spv::GroupOperation::Reduce) return ballot.Count(size);
  return ballot.Count(operation == spv::GroupOperation::InclusiveScan ? place + 1 : place);
}

Answer Find(const Ballot& ballot, uint32_t size, bool highest) {
  for (uint32_t i = 0; i < size; ++i) {
    const uint32_t place = highest ? size - 1 - i : i;
    if (ballot.Bit(place)) return {place, ballot.shadow()};
  }
  return kUndefinedAnswer;  // no bit is set
}

Answer Ask(Machine& machine, const Op& op, const Subgroup& subgroup, uint32_t lane) {
  const Ballot ballot(machine, op.a, lane);
  const uint32_t place = lane - subgroup.first;
  switch (static_cast<spv::Op>(op.list)) {
    case spv::Op::OpGroupNonUniformInverseBallot:
      // The ballot must be the same in all invocations.
      for (uint32_t i = 0; i < subgroup.count; ++i) {
        if (!(Ballot(machine, op.a, subgroup.lanes[i]) == ballot)) return kUndefinedAnswer;
      }
      return {ballot.Bit(place) ? 1u : 0u, ballot.shadow()};
    case spv::Op::OpGroupNonUniformBallotBitExtract: {
      if (!machine.RequireDefined(op.instruction, op.b, lane, "the index")) return {};
      const uint64_t index = machine.Get(op.b, static_cast<Scalar>(op.d), lane);
      if (index >= subgroup.size) return kUndefinedAnswer;
      return {ballot.Bit(index) ? 1u : 0u, ballot.shadow()};
    }
    case spv::Op::OpGroupNonUniformBallotBitCount: {
      const auto operation = static_cast<spv::GroupOperation>(op.c);
      return {BitCount(ballot, place, subgroup.size, operation), ballot.shadow()};
    }
    default:
      return Find(ballot, subgroup.size,
                  static_cast<spv::Op>(op.list) == spv::Op::OpGroupNonUniformBallotFindMSB);
  }
}

}  // namespace

void BallotQuery(Machine& machine, const Op& op) {
  ForSubgroups(machine, [&](const Subgroup& subgroup) {
    for (uint32_t i = 0; i < subgroup.count; ++i) {
      const uint32_t lane = subgroup.lanes[i];
      const Answer answer = Ask(machine, op, subgroup, lane);
      machine.Set(op.result, op.scalar, lane, answer.word);
      machine.SetShadow(op.result, lane, answer.shadow | OpenSubgroups(machine, op));
    }
  });
}

// --- shuffles

namespace {

constexpr uint64_t kNobody = UINT64_MAX;

bool IsQuadOp(spv::Op opcode) {
  return opcode == spv::Op::OpGroupNonUniformQuadBroadcast ||
         opcode == spv::Op::OpGroupNonUniformQuadSwap;
}

// The invocation whose value `place` gets if its operand is `id`.
uint64_t SourceOf(spv::Op opcode, uint32_t place, uint64_t id) {
  switch (opcode) {
    case spv::Op::OpGroupNonUniformShuffleXor:
      return place ^ id;
    case spv::Op::OpGroupNonUniformShuffleUp:
      return id > place ? kNobody : place - id;
    case spv::Op::OpGroupNonUniformShuffleDown:
      return id > UINT32_MAX ? kNobody : place + id;
    case spv::Op::OpGroupNonUniformQuadBroadcast:
      return id >= 4 ? kNobody : place / 4 * 4 + id;
    case spv::Op::OpGroupNonUniformQuadSwap:  // horizontal, vertical, diagonal
      return id >= 3 ? kNobody : place ^ (id + 1);
    default:
      return id;
  }
}

enum class Uniformity { kAny, kElseUndefinedValue, kElseUndefinedBehaviour };

Uniformity NeedOf(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpGroupNonUniformBroadcast:
    case spv::Op::OpGroupNonUniformQuadBroadcast:
      return Uniformity::kElseUndefinedBehaviour;  // "when Id is not dynamically uniform"
    case spv::Op::OpSubgroupReadInvocationKHR:
      return Uniformity::kElseUndefinedValue;
    default:
      return Uniformity::kAny;
  }
}

void Take(Machine& machine, const Op& op, uint32_t lane, uint32_t from, uint32_t open) {
  for (uint32_t i = 0; i < op.count; ++i) {
    const bool there = from != Subgroup::kInactive;
    machine.Row(op.result + i)[lane] = there ? machine.Row(op.a + i)[from] : 0;
    machine.SetShadow(op.result + i, lane,
                      there ? OpenShadow(machine.ShadowOf(op.a + i, from), open) : kUndefinedBit);
  }
}

void ShuffleIn(Machine& machine, const Op& op, const Subgroup& subgroup) {
  const auto opcode = static_cast<spv::Op>(op.list);
  const uint32_t open = IsQuadOp(opcode) ? 0 : OpenSubgroups(machine, op);
  const Uniformity need = NeedOf(opcode);
  const auto scalar = static_cast<Scalar>(op.c);
  for (uint32_t i = 0; i < subgroup.count; ++i) {
    const uint32_t lane = subgroup.lanes[i];
    if (opcode == spv::Op::OpGroupNonUniformBroadcastFirst) {
      Take(machine, op, lane, subgroup.lanes[0], open);
      continue;
    }
    if (!machine.RequireDefined(op.instruction, op.b, lane,
                                "the number of the invocation to read from")) {
      return;
    }
    const uint64_t id = machine.Get(op.b, scalar, lane);
    const uint32_t place = lane - subgroup.first;
    uint64_t source = SourceOf(opcode, place, id);
    if (need != Uniformity::kAny && id != machine.Get(op.b, scalar, subgroup.lanes[0])) {
      if (need == Uniformity::kElseUndefinedBehaviour) {
        return machine.FailUndefined(
            op, lane, "the number of the invocation to read from is not dynamically uniform");
      }
      source = kNobody;
    }
    const bool is_relative = opcode != spv::Op::OpGroupNonUniformShuffle;
    Take(machine, op, lane, subgroup.LaneOf(machine, source),
         is_relative && source == place ? 0 : open);
  }
}

}  // namespace

void SubgroupShuffle(Machine& machine, const Op& op) {
  ForSubgroups(machine, [&](const Subgroup& subgroup) { ShuffleIn(machine, op, subgroup); });
}

}  // namespace interp
}  // namespace refract
