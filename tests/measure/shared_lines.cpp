// SPDX-License-Identifier: Apache-2.0
#include "measure/shared_lines.h"

#include <algorithm>
#include <map>

#include "base/random.h"
#include "base/text.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "measure/listing.h"

namespace refract::measure {
namespace {

constexpr size_t kRun = 4;
constexpr size_t kFar = 16;  // greater distances, in lines, count as equal

bool IsLine(const Module& module, Inst inst) {
  switch (module.Opcode(inst)) {
    case spv::Op::OpLabel:
    case spv::Op::OpVariable:
    case spv::Op::OpSelectionMerge:
    case spv::Op::OpLoopMerge:
    case spv::Op::OpBranch:
    case spv::Op::OpReturn:
      return false;
    default:
      return !IsDebugInstruction(module, inst);
  }
}

class Normalising {
 public:
  explicit Normalising(const Module& module) : module_(module) {}

  CodeLines Take() {
    ForEachFunction(module_, [&](Function function) {
      mentioned_.clear();
      ForEachBlock(module_, function, [&](Block block) {
        ForEachInstruction(module_, block, [&](Inst inst) {
          if (IsLine(module_, inst)) Add(inst);
        });
      });
    });
    return std::move(lines_);
  }

 private:
  void Add(Inst inst) {
    uint64_t hash = Mix(0, static_cast<uint64_t>(module_.Opcode(inst)));
    hash = Mix(hash, module_.Type(inst) == Id::kNone ? 0 : HashOf(module_.Type(inst)));
    for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
      hash = Mix(hash, module_.IsId(inst, i) ? HashOf(module_.IdAt(inst, i))
                                             : uint64_t{module_.Word(inst, i)});
    }
    lines_.push_back({hash, inst});
    mentioned_[module_.Result(inst)] = lines_.size();
    for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
      if (module_.IsId(inst, i)) mentioned_[module_.IdAt(inst, i)] = lines_.size();
    }
  }

  // Hashes types and constants by their content, including structs; names of declarations use these
  // hashes.
  uint64_t HashOf(Id id) const {
    const Inst inst = module_.Definition(id);
    const spv::Op opcode = module_.Opcode(inst);
    if (!IsType(opcode) && !IsConstant(opcode)) {
      const auto last = mentioned_.find(id);
      return Mix(1, last == mentioned_.end() ? kFar : std::min(kFar, lines_.size() - last->second));
    }
    uint64_t hash = Mix(2, static_cast<uint64_t>(opcode));
    if (module_.Type(inst) != Id::kNone) hash = Mix(hash, HashOf(module_.Type(inst)));
    // A pointer type may be declared before the type it points to, which could cause an endless
    // recursion.
    if (opcode == spv::Op::OpTypePointer && IsStruct(module_.IdAt(inst, 1))) return hash;
    for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
      hash = Mix(hash, module_.IsId(inst, i) ? HashOf(module_.IdAt(inst, i))
                                             : uint64_t{module_.Word(inst, i)});
    }
    return hash;
  }
  bool IsStruct(Id type) const { return TypeOpcode(module_, type) == spv::Op::OpTypeStruct; }

  const Module& module_;
  CodeLines lines_;
  std::map<Id, size_t>
      mentioned_;  // in this function: the number of lines after the id was mentioned
};

std::vector<uint64_t> Windows(const CodeLines& lines) {
  std::vector<uint64_t> windows;
  for (size_t i = 0; i + kRun <= lines.size(); ++i) {
    uint64_t hash = 0;
    for (size_t k = 0; k < kRun; ++k) hash = Mix(hash, lines[i + k].hash);
    windows.push_back(hash);
  }
  return windows;
}

}  // namespace

CodeLines LinesOf(const Module& module) {
  return Normalising(module).Take();
}

std::vector<bool> SharedLines(const CodeLines& a, const CodeLines& b) {
  std::vector<uint64_t> known = Windows(b);
  std::sort(known.begin(), known.end());
  std::vector<bool> shared(a.size());
  const std::vector<uint64_t> windows = Windows(a);
  for (size_t i = 0; i < windows.size(); ++i) {
    if (!std::binary_search(known.begin(), known.end(), windows[i])) continue;
    std::fill_n(shared.begin() + static_cast<ptrdiff_t>(i), kRun, true);
  }
  return shared;
}

double SharedPercent(const CodeLines& a, const CodeLines& b) {
  if (a.empty()) return 0;
  const std::vector<bool> shared = SharedLines(a, b);
  return 100.0 * static_cast<double>(std::count(shared.begin(), shared.end(), true)) /
         static_cast<double>(a.size());
}

std::string SharedText(const Module& module, const CodeLines& a, const CodeLines& b) {
  const Listing listing(module);
  const std::vector<bool> shared = SharedLines(a, b);
  std::string text;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!shared[i]) continue;
    if (i == 0 || !shared[i - 1]) text += format("    in {}:\n", listing.FunctionName(a[i].inst));
    text += "      " + listing.Line(a[i].inst) + "\n";
  }
  return text;
}

}  // namespace refract::measure
