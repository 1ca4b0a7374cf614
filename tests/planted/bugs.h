// SPDX-License-Identifier: Apache-2.0
// The bugs that are planted in the passes, of which at most one is switched on. Each is a wrong
// edit at the place where `bugs.At(Bug::kName)` stands, behind all that has to be so for it to
// strike. README.md says of each what it is.
#pragma once

#include <cstdint>
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
  kCount,
};

enum class BugKind : uint8_t { kCrash, kMiscompilation, kHang };

struct BugInfo {
  std::string_view name, pass;
  BugKind kind;
};
/// By number.
std::span<const BugInfo> BugTable();
/// "crash", "miscompilation", "hang".
std::string_view BugKindName(BugKind kind);

class Bugs {
 public:
  void SwitchOn(Bug bug) { on_ = bug; }
  /// Called where a bug is, when all is as it needs it: true if it is switched on.
  bool At(Bug bug) {
    reached_ |= uint64_t{1} << static_cast<int>(bug);
    return on_ == bug;
  }
  bool IsOn(Bug bug) const { return on_ == bug; }
  /// Whether its place was come to, switched on or not.
  bool Reached(Bug bug) const { return (reached_ >> static_cast<int>(bug) & 1) != 0; }

 private:
  Bug on_ = Bug::kCount;
  uint64_t reached_ = 0;
};

/// Says what does not hold, in the words of the C library, and aborts.
[[noreturn]] void AssertionFailed(const char* what, const char* file, int line,
                                  const char* function);
#define PLANTED_ASSERT(what) \
  ((what) ? void() : AssertionFailed(#what, __FILE__, __LINE__, __func__))

struct Instruction;
// Where bugs follow a pointer that leads nowhere: functions, so that stacks name them.
uint32_t WidthOfChain(const Instruction* index);
uint32_t TargetAfter(const Instruction* branch);
uint32_t DepthOfBlock(const Instruction* header);
uint32_t RankOf(const Instruction& instruction, bool swapped);

/// Whether it has branch weights as only a step sets them: those of the references are from 1 to 9.
bool HasNewWeights(const Instruction& branch);

}  // namespace refract::planted
