// SPDX-License-Identifier: Apache-2.0
#include "measure/shared_lines.h"

#include <algorithm>

#include "base/name.h"
#include "base/random.h"
#include "ir/operand_rules.h"
#include "ir/types.h"

namespace refract::measure {
namespace {

constexpr size_t kRun = 4;
constexpr size_t kNear = 8;  // lines back within which a result is told apart

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
      recent_.clear();
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
    lines_.push_back(hash);
    recent_.push_back(module_.Result(inst));
  }

  // Types and constants by their content, structs and all, which names of declarations are made of.
  uint64_t HashOf(Id id) const {
    for (size_t back = 1; back <= std::min(kNear, recent_.size()); ++back) {
      if (recent_[recent_.size() - back] == id) return Mix(1, back);
    }
    const Inst inst = module_.Definition(id);
    const spv::Op opcode = module_.Opcode(inst);
    if (!IsType(opcode) && !IsConstant(opcode)) return 2;
    uint64_t hash = Mix(3, static_cast<uint64_t>(opcode));
    if (module_.Type(inst) != Id::kNone) hash = Mix(hash, HashOf(module_.Type(inst)));
    // A pointer type that is declared before what it points to could go round for ever.
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
  std::vector<Id> recent_;  // results of this function's lines, none for what has no result
};

std::vector<uint64_t> Windows(const CodeLines& lines) {
  std::vector<uint64_t> windows;
  for (size_t i = 0; i + kRun <= lines.size(); ++i) {
    uint64_t hash = 0;
    for (size_t k = 0; k < kRun; ++k) hash = Mix(hash, lines[i + k]);
    windows.push_back(hash);
  }
  return windows;
}

}  // namespace

CodeLines LinesOf(const Module& module) {
  return Normalising(module).Take();
}

double SharedPercent(const CodeLines& a, const CodeLines& b) {
  std::vector<uint64_t> known = Windows(b);
  std::sort(known.begin(), known.end());
  std::vector<bool> shared(a.size());
  const std::vector<uint64_t> windows = Windows(a);
  for (size_t i = 0; i < windows.size(); ++i) {
    if (!std::binary_search(known.begin(), known.end(), windows[i])) continue;
    std::fill_n(shared.begin() + static_cast<ptrdiff_t>(i), kRun, true);
  }
  if (a.empty()) return 0;
  return 100.0 * static_cast<double>(std::count(shared.begin(), shared.end(), true)) /
         static_cast<double>(a.size());
}

}  // namespace refract::measure
