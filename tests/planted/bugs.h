// SPDX-License-Identifier: Apache-2.0
// The bugs in the passes, of which at most one is enabled. Each is a wrong edit at the place of a
// `bugs.At(Bug::kName)`, after all conditions that the bug needs. README.md describes each bug.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace refract::planted {

enum class Bug : uint8_t {
  kDontInlineAgain,
  kUnusedParameter,
  kDynamicConstant,
  kPointerCopy,
  kCopiedPointer,
  kBackEdgeFirst,
  kSignedCompare,
  kDoubleNot,
  kBackAndForth,
  kSpecialised,
  kBitsOfFloat,
  kShiftedSign,
  kVolatileLocal,
  kCopyKnown,
  kCopyUnread,
  kCopyOfPart,
  kNegatedToMerge,
  kSwitchLastCase,
  kSwitchMany,
  kSwitchHinted,
  kDeadEnd,
  kHintedDeadLoop,
  kEndlessHints,
  kThreeHints,
  kUnreachablePair,
  kSameOperands,
  kInBoundsReuse,
  kCountedFirst,
  kHintedCall,
  kUnreachableLoop,
  // Bugs with floats, which only float identities show.
  kContracted,
  kRearranged,
  // Bugs that need divergence, which generated programs show.
  kDivergentIndex,
  kConstantStore,
  kTemporalDivergence,
  kDivergentSelect,
  kCallResult,
  kOwnBit,
  kFirstCount,
  kUniformAtomic,
  kFallThroughMask,
  kReturnMask,
  kHoistedStore,
  kSunkStore,
  kCount,
};

enum class BugKind : uint8_t { kCrash, kMiscompilation, kHang };

/// What a module must have to show a bug.
enum class BugGroup : uint8_t {
  kSteps,       ///< steps of transformations; the 30 bugs of most measurements
  kFloats,      ///< transformations of the family `float`
  kDivergence,  ///< divergent values and control flow; in passes that only these bugs enable
};

struct BugInfo {
  std::string_view name, pass;
  BugKind kind;
  BugGroup group = BugGroup::kSteps;
};
/// By number, one group after the other.
std::span<const BugInfo> BugTable();
/// The bug of that name; none if there is no such bug.
std::optional<Bug> BugByName(std::string_view name);
inline BugGroup GroupOf(Bug bug) {
  return BugTable()[static_cast<size_t>(bug)].group;
}
/// "crash", "miscompilation", "hang".
std::string_view BugKindName(BugKind kind);

class Bugs {
 public:
  void SwitchOn(Bug bug) { on_ = bug; }
  /// Called at the place of a bug, when all conditions hold: true if the bug is enabled.
  bool At(Bug bug) {
    reached_ |= uint64_t{1} << static_cast<int>(bug);
    return on_ == bug;
  }
  bool IsOn(Bug bug) const { return on_ == bug; }
  /// Whether the place of the bug was reached, enabled or not.
  bool Reached(Bug bug) const { return (reached_ >> static_cast<int>(bug) & 1) != 0; }

 private:
  Bug on_ = Bug::kCount;
  uint64_t reached_ = 0;
};

/// Prints the condition that does not hold, in the format of the C library, and aborts.
[[noreturn]] void AssertionFailed(const char* what, const char* file, int line,
                                  const char* function);
#define PLANTED_ASSERT(what) \
  ((what) ? void() : AssertionFailed(#what, __FILE__, __LINE__, __func__))

struct Instruction;
// For bugs that follow a null pointer: functions, so that stacks contain their names.
uint32_t WidthOfChain(const Instruction* index);
uint32_t TargetAfter(const Instruction* branch);
uint32_t DepthOfBlock(const Instruction* header);
uint32_t RankOf(const Instruction& instruction, bool swapped);

/// Whether it has branch weights that only a step sets: those of the references are from 1 to 9.
bool HasNewWeights(const Instruction& branch);

}  // namespace refract::planted
