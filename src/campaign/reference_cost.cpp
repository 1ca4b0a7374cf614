// SPDX-License-Identifier: Apache-2.0
#include "campaign/reference_cost.h"

#include <algorithm>
#include <numeric>
#include <spirv/unified1/spirv.hpp11>

namespace refract {
inline namespace campaign {
namespace {

constexpr uint64_t kIterations = 8;  // assumed, of every loop
constexpr size_t kMaxLoops = 6;      // deeper loops count like this depth

struct ModuleCost {
  uint64_t instructions = 0;
  uint64_t invocations = 0;  // of a workgroup; 0: the module has no LocalSize
};

ModuleCost CostOfModule(const std::vector<uint32_t>& words) {
  ModuleCost cost;
  std::vector<uint32_t> merges;  // of the loops around the instruction
  bool in_function = false;
  for (size_t at = 5; at < words.size() && words[at] >> 16 != 0; at += words[at] >> 16) {
    const auto operand = [&](size_t i) {
      return i < words[at] >> 16 && at + i < words.size() ? words[at + i] : 0u;
    };
    const auto opcode = static_cast<spv::Op>(words[at] & 0xffff);
    if (opcode == spv::Op::OpExecutionMode &&
        static_cast<spv::ExecutionMode>(operand(2)) == spv::ExecutionMode::LocalSize) {
      cost.invocations = uint64_t{operand(3)} * operand(4) * operand(5);
    }
    if (opcode == spv::Op::OpFunction) {
      in_function = true;
      merges.clear();
    }
    if (opcode == spv::Op::OpLabel) {
      const auto loop = std::find(merges.begin(), merges.end(), operand(1));
      merges.erase(loop, merges.end());
    }
    if (opcode == spv::Op::OpLoopMerge) merges.push_back(operand(1));
    uint64_t times = in_function ? 1 : 0;
    for (size_t i = 0; i < std::min(merges.size(), kMaxLoops); ++i) times *= kIterations;
    cost.instructions += times;
  }
  return cost;
}

}  // namespace

uint64_t CostOf(const Job& job) {
  const ModuleCost module = CostOfModule(job.spirv);
  const Bindings& bindings = job.bindings;
  const uint64_t fragments =
      uint64_t{bindings.width} * bindings.height * InvocationsOfPixel(bindings);
  uint64_t groups = 1;
  for (const uint32_t count : bindings.groups) groups *= count;
  const uint64_t invocations = module.invocations == 0 ? fragments : module.invocations * groups;
  return invocations * (module.instructions + CostOfModule(bindings.companion.spirv).instructions);
}

std::vector<size_t> OrderByCost(const std::vector<CampaignSource>& sources) {
  std::vector<size_t> order(sources.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sources[a].cost < sources[b].cost; });
  return order;
}

}  // namespace campaign
}  // namespace refract
