// SPDX-License-Identifier: Apache-2.0
#include "planted/bugs.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "planted/program.h"

namespace refract::planted {

std::span<const BugInfo> BugTable() {
  constexpr BugKind kCrash = BugKind::kCrash, kWrong = BugKind::kMiscompilation,
                    kHang = BugKind::kHang;
  constexpr BugGroup kFloats = BugGroup::kFloats, kDivergence = BugGroup::kDivergence;
  static constexpr BugInfo kBugs[] = {
      {"dont_inline_again", "inline_functions", kHang},
      {"unused_parameter", "inline_functions", kWrong},
      {"dynamic_constant", "propagate_copies", kCrash},
      {"pointer_copy", "propagate_copies", kCrash},
      {"copied_pointer", "propagate_copies", kCrash},
      {"back_edge_first", "propagate_copies", kWrong},
      {"signed_compare", "fold_constants", kWrong},
      {"double_not", "fold_constants", kWrong},
      {"back_and_forth", "fold_constants", kHang},
      {"specialised", "fold_constants", kCrash},
      {"bits_of_float", "fold_constants", kCrash},
      {"shifted_sign", "fold_constants", kWrong},
      {"volatile_local", "forward_stores", kCrash},
      {"copy_known", "forward_stores", kWrong},
      {"copy_unread", "forward_stores", kWrong},
      {"copy_of_part", "forward_stores", kCrash},
      {"negated_to_merge", "simplify_branches", kWrong},
      {"switch_last_case", "simplify_branches", kWrong},
      {"switch_many", "simplify_branches", kCrash},
      {"switch_hinted", "simplify_branches", kCrash},
      {"dead_end", "simplify_branches", kWrong},
      {"hinted_dead_loop", "simplify_branches", kCrash},
      {"endless_hints", "simplify_branches", kHang},
      {"three_hints", "simplify_branches", kWrong},
      {"unreachable_pair", "merge_blocks", kCrash},
      {"same_operands", "reuse_expressions", kCrash},
      {"in_bounds_reuse", "reuse_expressions", kWrong},
      {"counted_first", "unroll_loops", kWrong},
      {"hinted_call", "remove_dead_code", kWrong},
      {"unreachable_loop", "remove_dead_code", kHang},
      {"contracted", "reassociate_floats", kWrong, kFloats},
      {"rearranged", "reassociate_floats", kWrong, kFloats},
      {"divergent_index", "share_values", kWrong, kDivergence},
      {"constant_store", "share_values", kWrong, kDivergence},
      {"temporal_divergence", "share_values", kWrong, kDivergence},
      {"divergent_select", "share_values", kWrong, kDivergence},
      {"call_result", "share_values", kWrong, kDivergence},
      {"own_bit", "share_values", kWrong, kDivergence},
      {"first_count", "share_values", kWrong, kDivergence},
      {"uniform_atomic", "share_values", kWrong, kDivergence},
      {"fall_through_mask", "move_across_branches", kWrong, kDivergence},
      {"return_mask", "move_across_branches", kWrong, kDivergence},
      {"hoisted_store", "move_across_branches", kWrong, kDivergence},
      {"sunk_store", "move_across_branches", kWrong, kDivergence},
  };
  static_assert(std::size(kBugs) == static_cast<size_t>(Bug::kCount));
  return kBugs;
}

std::optional<Bug> BugByName(std::string_view name) {
  for (size_t i = 0; i < BugTable().size(); ++i) {
    if (BugTable()[i].name == name) return static_cast<Bug>(i);
  }
  return std::nullopt;
}

std::string_view BugKindName(BugKind kind) {
  return kind == BugKind::kCrash ? "crash" : kind == BugKind::kHang ? "hang" : "miscompilation";
}

void AssertionFailed(const char* what, const char* file, int line, const char* function) {
  const char* slash = std::strrchr(file, '/');
  std::fprintf(stderr, "planted_opt: %s:%d: %s: Assertion `%s' failed.\n",
               slash == nullptr ? file : slash + 1, line, function, what);
  std::abort();
}

// In another file than the passes, so that no compiler sees that the pointer is null.
uint32_t WidthOfChain(const Instruction* index) {
  return index->type;
}
uint32_t TargetAfter(const Instruction* branch) {
  return branch->type;
}
uint32_t DepthOfBlock(const Instruction* header) {
  return header->type;
}
// Calls itself with swapped operands until the stack overflows.
uint32_t RankOf(const Instruction& instruction, bool swapped) {
  volatile uint32_t rank = instruction.result;  // needed after the call: no tail call
  if (instruction.Id(0) == instruction.Id(1)) rank = rank + RankOf(instruction, !swapped);
  return rank;
}

bool HasNewWeights(const Instruction& branch) {
  const auto is_new = [](uint32_t weight) { return weight == 0 || weight > 9; };
  return branch.op == spv::Op::OpBranchConditional && branch.in.size() == 5 &&
         (is_new(branch.Word(3)) || is_new(branch.Word(4)));
}

}  // namespace refract::planted
