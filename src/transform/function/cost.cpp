// SPDX-License-Identifier: Apache-2.0
#include "transform/function/cost.h"

#include "donate/live_safe.h"
#include "ir/call_graph.h"
#include "ir/control_flow.h"

namespace refract {
inline namespace transform {
namespace {

// The assumed number of iterations of a loop. Loops of live-safe functions end after a fixed total
// number of iterations, whatever loops are around them, and with random arguments they run that
// long.
constexpr double kAssumedIterations = 16;
constexpr int kMostDepth = 4;

}  // namespace

Cost::Cost(const View& view) : view_(view), functions_(view.module().function_slots()) {
  const Module& module = view_.module();
  // Callees before callers.
  std::vector<Function> order;
  struct Visit {
    Function function;
    size_t next = 0;
  };
  std::vector<Visit> visits;
  const auto enter = [&](Function function) {
    if (functions_[Index(function)].seen) return;
    Measure(function);
    visits.push_back({function});
  };
  ForEachFunction(module, [&](Function root) {
    enter(root);
    while (!visits.empty()) {
      Visit& visit = visits.back();
      const std::vector<Call>& calls = functions_[Index(visit.function)].calls;
      if (visit.next < calls.size()) {
        enter(calls[visit.next++].callee);
      } else {
        order.push_back(visit.function);
        visits.pop_back();
      }
    }
  });
  for (Function function : order) {
    FunctionCost& of = functions_[Index(function)];
    of.all = of.own;
    for (const Call& call : of.calls) of.all += call.runs * functions_[Index(call.callee)].all;
  }
  for (const EntryPoint& entry : EntryPoints(module)) functions_[Index(entry.function)].runs += 1;
  for (size_t i = order.size(); i-- > 0;) {
    const FunctionCost& of = functions_[Index(order[i])];
    total_ += of.runs * of.own;
    for (const Call& call : of.calls) functions_[Index(call.callee)].runs += of.runs * call.runs;
  }
}

double Cost::RunsOf(Block block, const FunctionCost& function) const {
  const Module& module = view_.module();
  if (view_.facts().Dead(module.LabelId(block)) != nullptr) return 0;
  const ControlFlow& flow = module.Flow(module[block].function);
  double runs = 1;
  int depth = 0;
  for (uint32_t c = flow.InnermostConstruct(block); c != Construct::kNone;
       c = flow.constructs[c].parent) {
    if (flow.constructs[c].kind != ConstructKind::kLoop) continue;
    if (function.safe) return kMaxLoopLimit;
    if (depth++ < kMostDepth) runs *= kAssumedIterations;
  }
  return runs;
}

void Cost::Measure(Function function) {
  const Module& module = view_.module();
  FunctionCost& of = functions_[Index(function)];
  of.seen = true;
  of.safe = view_.facts().LiveSafe(module.FunctionId(function)) != nullptr;
  ForEachBlock(module, function, [&](Block block) {
    const double runs = RunsOf(block, of);
    if (runs == 0) return;
    ForEachInstruction(module, block, [&](Inst inst) {
      of.own += runs;
      if (module.Opcode(inst) != spv::Op::OpFunctionCall) return;
      const Function callee = module.FunctionOfId(module.IdAt(inst, 0));
      if (callee != Function::kNone) of.calls.push_back({callee, runs});
    });
  });
}

double Cost::OfCall(Block block, Function callee) const {
  return OfCode(block, functions_[Index(callee)].all);
}

double Cost::OfCaller(Block block, Function callee) const {
  return OfFunctionWithCode(block, functions_[Index(callee)].all);
}

double Cost::OfCode(Block block, double own) const {
  const FunctionCost& function = functions_[Index(view_.module()[block].function)];
  return function.runs * RunsOf(block, function) * own;
}

double Cost::OfFunctionWithCode(Block block, double own) const {
  const FunctionCost& function = functions_[Index(view_.module()[block].function)];
  return function.all + RunsOf(block, function) * own;
}

}  // namespace transform
}  // namespace refract
