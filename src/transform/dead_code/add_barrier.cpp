// SPDX-License-Identifier: Apache-2.0
// Adds a barrier where it cannot make invocations wait forever: in dead blocks, and where a whole
// workgroup is converged. The stage must allow the barrier (Vulkan, "Standalone SPIR-V
// Validation"). Control flow must be uniform even in dead blocks, because control barriers are only
// guaranteed to work there (SPIR-V 1.5, OpControlBarrier; GLSL 4.60, 8.16, restricts conditions in
// the same way).
#include "message/add_barrier.h"

#include <algorithm>
#include <vector>

#include "input/pipeline/stages.h"
#include "ir/availability.h"
#include "ir/branches.h"
#include "ir/call_graph.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/context_editor.h"
#include "rules/legality/convergence.h"
#include "rules/rule.h"
#include "rules/values.h"

namespace refract::add_barrier {
namespace {

using Message = message::AddBarrier;
using spv::Op;
enum Role : uint64_t { kBarrier = 1 };

constexpr auto kDevice = static_cast<uint32_t>(spv::Scope::Device);
constexpr auto kWorkgroup = static_cast<uint32_t>(spv::Scope::Workgroup);
constexpr uint32_t kOrders[] = {0x2, 0x4, 0x8};         // Acquire, Release, AcquireRelease
constexpr uint32_t kMemories[] = {0x40, 0x100, 0x800};  // uniform, workgroup, image
constexpr uint32_t kAnyOrder = 0xe, kAnyMemory = 0x940;

bool IsOneOf(uint32_t value, std::span<const uint32_t> list) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Device scope requires a separate capability in the Vulkan memory model.
bool MayHaveScope(const Module& module, uint32_t scope) {
  if (scope == kWorkgroup) return true;
  return scope == kDevice && !HasCapability(module, spv::Capability::VulkanMemoryModel);
}

CheckResult CheckBarrier(const Message& message, const Module& module) {
  if (message.execution != 0 && message.execution != kWorkgroup) {
    return No("the execution scope is not Workgroup");
  }
  if (!MayHaveScope(module, message.memory)) {
    return No(
        "the memory scope is not Workgroup or Device, or the memory model does not allow the "
        "scope");
  }
  if (message.semantics == 0 && message.execution != 0) return Yes();
  if ((message.semantics & ~(kAnyOrder | kAnyMemory)) != 0 ||
      (message.semantics & kAnyMemory) == 0 || !IsOneOf(message.semantics & kAnyOrder, kOrders)) {
    return No(
        "the memory semantics must have exactly one memory order and at least one kind of memory");
  }
  return Yes();
}

// If all entry points have workgroups, it does not matter which of them reach the function.
bool IsInWorkgroups(const Module& module, Function function) {
  const auto has_workgroups = [&](Inst entry) {
    return HasWorkgroups(static_cast<spv::ExecutionModel>(module.Word(entry, 0)));
  };
  size_t with = 0, without = 0;
  ForEachInstruction(module, Module::SectionBlock(Section::kEntryPoints),
                     [&](Inst entry) { ++(has_workgroups(entry) ? with : without); });
  if (without == 0 || with == 0) return with != 0;
  const std::vector<Inst> entries = EntryPointsReaching(module, function);
  return !entries.empty() && std::all_of(entries.begin(), entries.end(), has_workgroups);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  if (const CheckResult v = CheckBarrier(message, module); !v) return v;
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, Op::OpControlBarrier, before)) {
    return No("no instruction can be inserted at this point");
  }
  if (!IsInWorkgroups(module, module.FunctionOf(before))) {
    return No("a shader of another stage can reach the function");
  }
  // Only the invocation itself waits at a memory barrier.
  if (message.execution == 0) return Yes();
  if (view.facts().LiveSafe(module.FunctionId(module.FunctionOf(before))) != nullptr) {
    return No("the function is marked as live-safe, so it must stay safe to call from any place");
  }
  return IsSurelyUniformInWorkgroup(view, module.BlockOf(before))
             ? Yes()
             : No("control flow is not known to be uniform in the workgroup");
}

void Apply(const Message& message, ContextEditor& editor) {
  const auto number = [&](uint32_t value) {
    return Declare(editor, ScalarConstant(IntType(32, false), value));
  };
  const Inst before = editor.module().Find(message.before);
  const bool is_control = message.execution != 0;
  Args args;
  if (is_control) args.push_back(number(message.execution));
  args.push_back(number(message.memory));
  args.push_back(number(message.semantics));
  editor.InsertPlain(before, is_control ? Op::OpControlBarrier : Op::OpMemoryBarrier,
                     editor.Made(kBarrier), args);
}

Message PickBarrier(Proposer& proposer, Inst before) {
  Message message{proposer.module().NameOf(before), 0, kWorkgroup, 0};
  if (proposer.Pick(2) == 0) message.execution = kWorkgroup;
  if (proposer.Pick(2) == 0 && MayHaveScope(proposer.module(), kDevice)) message.memory = kDevice;
  if (message.execution != 0 && proposer.Pick(4) == 0) return message;
  message.semantics = kOrders[proposer.Pick(std::size(kOrders))];
  message.semantics |= kMemories[proposer.Pick(std::size(kMemories))];
  message.semantics |= kMemories[proposer.Pick(std::size(kMemories))];
  return message;
}

// Most code is not dead, and there a barrier costs time, so most places are skipped.
constexpr size_t kSeldom = 8;

// Memory barriers would be valid anywhere. But in loops that invocations leave at different times
// they trigger one known driver bug (docs/bugs.md), which would hide all others.
bool IsWorthIt(Proposer& proposer, Block block) {
  return proposer.Pick(kSeldom) == 0 &&
         proposer.module().Divergence().IsUniformControl(block, DivergenceClass::kWorkgroup);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const Facts& facts = proposer.view().facts();
  ForEachFunction(proposer, [&](Function function) {
    if (!IsInWorkgroups(module, function)) return;
    ForEachBlock(module, function, [&](Block block) {
      const bool is_dead = facts.Dead(module.LabelId(block)) != nullptr;
      ForEachInstruction(module, block, [&](Inst inst) {
        if (!MayInsertBefore(module, Op::OpControlBarrier, inst) || !proposer.ShouldTry()) return;
        if (!is_dead && !IsWorthIt(proposer, block)) return;
        Message message =
            PickBarrier(proposer, OldestInsertionPoint(module, Op::OpControlBarrier, inst));
        if (Check(message, proposer.view())) proposer.Offer(std::move(message));
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {5, 40}, .follow_ons = {"strengthen_memory"}});

}  // namespace refract::add_barrier
