// SPDX-License-Identifier: Apache-2.0
// Forwards stores to local variables that only loads, stores and copies use. A load gets the stored
// value if the store is before it in the block, in a chain of only predecessors, or is the only
// store and dominates the load. Removes stores that no load reads.
#include <optional>
#include <set>

#include "planted/flow.h"
#include "planted/passes.h"

namespace refract::planted {
namespace {

// A part of a local variable, with constant indices; `dynamic`: some unknown part of it.
struct Place {
  uint32_t variable = 0;  // 0: not a variable that the pass follows
  std::vector<uint32_t> path;
  bool dynamic = false;
};

// The known values of places. No two places in it overlap.
using Known = std::map<std::pair<uint32_t, std::vector<uint32_t>>, uint32_t>;
constexpr size_t kMostKnown = 64;

bool IsPlain(const Instruction& access, size_t mask) {
  return access.in.size() <= mask ||
         (access.Word(mask) & ~(static_cast<uint32_t>(spv::MemoryAccessMask::Aligned) |
                                static_cast<uint32_t>(spv::MemoryAccessMask::Nontemporal))) == 0;
}

bool Overlap(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

class Forwarder {
 public:
  Forwarder(Program* program, Function* function, const Definitions& definitions,
            Replacements* replaced)
      : program_(*program),
        function_(*function),
        definitions_(definitions),
        replaced_(*replaced),
        flow_(*function) {}

  void Run() {
    FindPlaces();
    FindEscapes();
    ForwardOnlyStores();
    std::vector<Known> known(function_.blocks.size());
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      if (!flow_.Reachable(i)) continue;
      const auto& before = flow_.predecessors[i];
      if (before.size() == 1 && before[0] < i) known[i] = known[before[0]];
      for (Instruction& instruction : function_.blocks[i].code) Visit(instruction, &known[i]);
    }
    RemoveStores();
  }

 private:
  void FindPlaces() {
    ForEachInstruction(function_, [&](Instruction& instruction) {
      if (instruction.op == spv::Op::OpVariable) {
        places_[instruction.result] = {instruction.result, {}, false};
      } else if (instruction.op == spv::Op::OpCopyObject) {
        const auto found = places_.find(instruction.Id(0));
        if (found != places_.end()) places_[instruction.result] = Place(found->second);
      } else if (instruction.op == spv::Op::OpAccessChain ||
                 instruction.op == spv::Op::OpInBoundsAccessChain) {
        const auto found = places_.find(instruction.Id(0));
        if (found == places_.end()) return;
        Place place = found->second;
        for (size_t i = 1; i < instruction.in.size() && !place.dynamic; ++i) {
          uint32_t index = 0;
          place.dynamic = !definitions_.IntValue(instruction.Id(i), &index);
          if (!place.dynamic) place.path.push_back(index);
        }
        places_[instruction.result] = std::move(place);
      }
    });
  }

  // Finds variables with a pointer that the pass cannot follow.
  void FindEscapes() {
    ForEachInstruction(function_, [&](Instruction& instruction) {
      for (size_t i = 0; i < instruction.in.size(); ++i) {
        if (!instruction.in[i].is_id) continue;
        const auto found = places_.find(instruction.Id(i));
        if (found == places_.end() || MayStand(instruction, i)) continue;
        escaped_.insert(found->second.variable);
      }
    });
  }

  static bool MayStand(const Instruction& instruction, size_t operand) {
    switch (instruction.op) {
      case spv::Op::OpLoad:
      case spv::Op::OpStore:
      case spv::Op::OpCopyObject:
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
        return operand == 0;
      case spv::Op::OpCopyMemory:
        return operand <= 1;
      default:
        return false;
    }
  }

  Place PlaceOf(uint32_t pointer) const {
    const auto found = places_.find(pointer);
    if (found == places_.end() || escaped_.count(found->second.variable) != 0) return {};
    return found->second;
  }

  static void Forget(const Place& place, Known* known) {
    std::erase_if(*known, [&](const auto& entry) {
      return entry.first.first == place.variable && Overlap(entry.first.second, place.path);
    });
  }

  static void Learn(const Place& place, uint32_t value, Known* known) {
    if (!place.dynamic && known->size() < kMostKnown) {
      (*known)[{place.variable, place.path}] = value;
    }
  }

  static uint32_t ValueAt(const Place& place, const Known& known) {
    if (place.variable == 0 || place.dynamic) return 0;
    const auto found = known.find({place.variable, place.path});
    return found == known.end() ? 0 : found->second;
  }

  void Visit(Instruction& instruction, Known* known) {
    if (instruction.op == spv::Op::OpVariable) {
      if (instruction.in.size() > 1) {
        Learn(PlaceOf(instruction.result), instruction.Id(1), known);
      }
    } else if (instruction.op == spv::Op::OpStore) {
      const Place place = PlaceOf(instruction.Id(0));
      if (place.variable == 0) return;
      if (!IsPlain(instruction, 2) && program_.bugs.At(Bug::kVolatileLocal)) {
        PLANTED_ASSERT(IsPlain(instruction, 2));
      }
      Forget(place, known);
      if (IsPlain(instruction, 2)) Learn(place, replaced_.Find(instruction.Id(1)), known);
    } else if (instruction.op == spv::Op::OpLoad) {
      VisitLoad(instruction, known);
    } else if (instruction.op == spv::Op::OpCopyMemory) {
      const Place to = PlaceOf(instruction.Id(0));
      const uint32_t value = ValueAt(PlaceOf(instruction.Id(1)), *known);
      const Place from = PlaceOf(instruction.Id(1));
      if (value == 0 && from.variable != 0 && KnowsPart(from, *known) &&
          program_.bugs.At(Bug::kCopyOfPart)) {
        PLANTED_ASSERT(value != 0);
      }
      if (to.variable == 0) return;
      if (ValueAt(to, *known) != 0 && value == 0 && program_.bugs.At(Bug::kCopyKnown)) return;
      Forget(to, known);
      if (value != 0 && IsPlain(instruction, 2)) Learn(to, value, known);
    }
  }

  void VisitLoad(Instruction& load, Known* known) {
    const Place place = PlaceOf(load.Id(0));
    if (place.variable == 0 || !IsPlain(load, 1)) return;
    const uint32_t value = ValueAt(place, *known);
    if (value != 0 && definitions_.TypeOf(value) == load.type) {
      replaced_.Set(load.result, value);
      load.Remove();
    } else if (value == 0) {
      // Keeps overlapping places: a part may be known more precisely.
      if (!KnowsPart(place, *known)) Learn(place, load.result, known);
    }
  }

  static bool KnowsPart(const Place& place, const Known& known) {
    for (const auto& [key, other] : known) {
      if (key.first == place.variable && Overlap(key.second, place.path)) return true;
    }
    return false;
  }

  // A variable with only one store, which stores all of it: all loads that it dominates get this
  // value.
  void ForwardOnlyStores() {
    struct Only {
      uint32_t value = 0, block = 0;
      size_t at = 0;
      int stores = 0;
    };
    std::map<uint32_t, Only> only;
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      const auto& code = function_.blocks[i].code;
      for (size_t at = 0; at < code.size(); ++at) {
        if (code[at].op == spv::Op::OpVariable && code[at].in.size() > 1) {
          ++only[code[at].result].stores;
        }
        if (code[at].op != spv::Op::OpStore && code[at].op != spv::Op::OpCopyMemory) continue;
        const Place place = PlaceOf(code[at].Id(0));
        Only& one = only[place.variable];
        const bool whole = code[at].op == spv::Op::OpStore && place.path.empty() &&
                           !place.dynamic && IsPlain(code[at], 2) && flow_.Reachable(i);
        one = {whole ? code[at].Id(1) : 0, i, at, one.stores + (whole ? 1 : 2)};
      }
    }
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      auto& code = function_.blocks[i].code;
      for (size_t at = 0; at < code.size(); ++at) {
        if (code[at].op != spv::Op::OpLoad || !IsPlain(code[at], 1)) continue;
        const Place place = PlaceOf(code[at].Id(0));
        if (place.variable == 0 || !place.path.empty() || place.dynamic) continue;
        const Only& one = only[place.variable];
        if (one.stores != 1 || one.value == 0) continue;
        const bool behind = one.block == i ? one.at < at : flow_.dominators.Dominates(one.block, i);
        if (!behind || definitions_.TypeOf(one.value) != code[at].type) continue;
        replaced_.Set(code[at].result, one.value);
        code[at].Remove();
      }
    }
  }

  // Removes stores to variables that no load reads.
  void RemoveStores() {
    std::set<uint32_t> read;
    ForEachInstruction(function_, [&](Instruction& instruction) {
      if (instruction.op == spv::Op::OpLoad) read.insert(PlaceOf(instruction.Id(0)).variable);
      if (instruction.op == spv::Op::OpCopyMemory) {
        const uint32_t variable = PlaceOf(instruction.Id(1)).variable;
        if (variable == 0 || read.count(variable) != 0) return;
        if (!program_.bugs.At(Bug::kCopyUnread)) read.insert(variable);
      }
    });
    ForEachInstruction(function_, [&](Instruction& instruction) {
      if (instruction.op != spv::Op::OpStore && instruction.op != spv::Op::OpCopyMemory) return;
      if (!IsPlain(instruction, 2)) return;
      if (instruction.op == spv::Op::OpCopyMemory && PlaceOf(instruction.Id(1)).variable == 0) {
        return;  // it reads memory that may matter
      }
      const uint32_t variable = PlaceOf(instruction.Id(0)).variable;
      if (variable != 0 && read.count(variable) == 0) instruction.Remove();
    });
  }

  Program& program_;
  Function& function_;
  const Definitions& definitions_;
  Replacements& replaced_;
  const Flow flow_;
  std::map<uint32_t, Place> places_;
  std::set<uint32_t> escaped_;
};

}  // namespace

void ForwardStores(Program* program) {
  const Definitions definitions(*program);
  Replacements replaced;
  for (Function& function : program->functions) {
    if (!function.blocks.empty()) Forwarder(program, &function, definitions, &replaced).Run();
  }
  replaced.Apply(program);
}

}  // namespace refract::planted
