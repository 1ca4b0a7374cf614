// SPDX-License-Identifier: Apache-2.0
// Instructions on integers that were computed from addresses. The handler of the instruction runs
// again for each world of AddressWorlds.
#include <algorithm>

#include "interp/address_worlds.h"
#include "interp/memory.h"
#include "interp/ops/ops_address.h"

namespace refract {
inline namespace interp {
namespace {

Number NumberAt(Machine& machine, const ScalarRow& part, uint32_t lane) {
  return {machine.Get(part.row, part.scalar, lane), machine.ShadowOf(part.row, lane),
          WidthOf(part.scalar)};
}

// A result of one invocation that may be other than approximate.
struct Candidate {
  uint32_t lane = 0, result = 0;
  uint64_t bits = 0;  // of the result
  std::vector<Number> operands;
  AddressWorlds::Values values{};
};

class Repeater {
 public:
  Repeater(Machine& machine, const FromAddressCode& code)
      : machine_(machine), code_(code), worlds_(machine.shared().worlds()) {}

  void Run() {
    machine_.ForActive([&](uint32_t lane) { FindCandidates(lane); });
    if (candidates_.empty()) return;
    for (size_t world = 0; world < AddressWorlds::kWorlds; ++world) RunIn(world);
    for (const Saved& saved : saved_) Set(saved.part, saved.lane, saved.bits);
    // The last runs changed the results of all invocations that have candidates.
    code_.op.run(machine_, code_.op);
    for (const Candidate& candidate : candidates_) Correct(candidate);
  }

 private:
  // An operand that differs between worlds.
  struct Saved {
    ScalarRow part;
    uint32_t lane = 0;
    uint64_t bits = 0;
    AddressWorlds::Values values{};
  };

  void Set(const ScalarRow& part, uint32_t lane, uint64_t bits) {
    machine_.Set(part.row, part.scalar, lane, bits);
  }
  bool IsExact(uint32_t operand, uint32_t lane) {
    return (machine_.ShadowOf(code_.operands[operand].row, lane) & kShadowMask) == 0;
  }

  void FindCandidates(uint32_t lane) {
    // A divisor, an amount of a shift or a place of bits must not make the instruction undefined.
    for (const uint32_t operand : code_.fixed) {
      if (!IsExact(operand, lane)) return;
      // The lowest number divided by -1 is undefined.
      const ScalarRow& part = code_.operands[operand];
      const uint64_t ones = OnesOf(WidthOf(part.scalar));
      if (code_.opcode == spv::Op::OpSDiv && NumberAt(machine_, part, lane).bits == ones) return;
    }
    for (uint32_t i = 0; i < code_.results.size(); ++i) {
      if (machine_.ShadowOf(code_.results[i].row, lane) != kApproximateBit) continue;
      Candidate candidate{
          lane, i, machine_.Get(code_.results[i].row, code_.results[i].scalar, lane), {}, {}};
      bool known = true;
      for (const uint32_t operand : code_.needs[i]) {
        candidate.operands.push_back(NumberAt(machine_, code_.operands[operand], lane));
        known = known && worlds_.ValuesOf(candidate.operands.back()).has_value();
      }
      if (!known) continue;
      for (size_t k = 0; k < candidate.operands.size(); ++k) {
        Save(code_.operands[code_.needs[i][k]], lane, candidate.operands[k]);
      }
      candidates_.push_back(std::move(candidate));
    }
  }

  void Save(const ScalarRow& part, uint32_t lane, const Number& number) {
    if ((number.shadow & kShadowMask) == 0) return;
    // The operands of an invocation follow each other.
    for (size_t i = saved_.size(); i > 0 && saved_[i - 1].lane == lane; --i) {
      if (saved_[i - 1].part.row == part.row) return;
    }
    saved_.push_back({part, lane, number.bits, *worlds_.ValuesOf(number)});
  }

  void RunIn(size_t world) {
    for (const Saved& saved : saved_) Set(saved.part, saved.lane, saved.values[world]);
    code_.op.run(machine_, code_.op);
    for (Candidate& candidate : candidates_) {
      const ScalarRow& result = code_.results[candidate.result];
      candidate.values[world] = machine_.Get(result.row, result.scalar, candidate.lane);
    }
  }

  void Correct(const Candidate& candidate) {
    const ScalarRow& result = code_.results[candidate.result];
    const Number number = worlds_.SettleResult(code_.opcode, candidate.operands, candidate.values,
                                               WidthOf(result.scalar), candidate.bits);
    Set(result, candidate.lane, number.bits);
    machine_.SetShadow(result.row, candidate.lane, number.shadow);
  }

  Machine& machine_;
  const FromAddressCode& code_;
  AddressWorlds& worlds_;
  std::vector<Candidate> candidates_;
  std::vector<Saved> saved_;
};

bool AreShadowed(const Machine& machine, const FromAddressCode& code) {
  return std::any_of(code.operands.begin(), code.operands.end(),
                     [&](const ScalarRow& part) { return machine.IsShadowed(part.row); });
}

}  // namespace

void CorrectFromAddresses(Machine& machine, const Op& op) {
  const FromAddressCode& code = machine.code().from_addresses[op.list];
  if (!machine.stopped() && AreShadowed(machine, code)) Repeater(machine, code).Run();
}

void CorrectComparison(Machine& machine, const Op& op) {
  const FromAddressCode& code = machine.code().from_addresses[op.list];
  if (machine.stopped() || !AreShadowed(machine, code)) return;
  for (uint32_t i = 0; i < code.results.size(); ++i) {
    const ScalarRow &a = code.operands[code.needs[i][0]], &b = code.operands[code.needs[i][1]];
    const uint32_t result = code.results[i].row;
    machine.ForActive([&](uint32_t lane) {
      if (machine.ShadowOf(result, lane) != kApproximateBit) return;
      const std::optional<bool> certain = machine.shared().worlds().Compare(
          code.opcode, NumberAt(machine, a, lane), NumberAt(machine, b, lane));
      if (!certain) return;
      machine.Row(result)[lane] = *certain ? 1 : 0;
      machine.SetShadow(result, lane, 0);
    });
  }
}

}  // namespace interp
}  // namespace refract
