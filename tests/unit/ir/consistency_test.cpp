// SPDX-License-Identifier: Apache-2.0
// Each invariant of the module's data structures is checked: a friend of Module breaks it directly.
#include "ir/validity/consistency.h"

#include <gtest/gtest.h>

#include "ir/binary.h"
#include "ir/edit/editor.h"
#include "ir/tools.h"

namespace refract {

inline namespace ir {

/// Has access to the internals that Editor keeps consistent.
struct ModuleBreaker {
  Module& module;
  Instruction& operator[](Inst inst) { return module.instructions_.Mutable(Index(inst)); }
  BlockRecord& operator[](Block block) { return module.blocks_.Mutable(Index(block)); }
  FunctionRecord& operator[](Function f) { return module.functions_.Mutable(Index(f)); }
  IdRecord& operator[](Id id) { return module.ids_.Mutable(Index(id)); }
  Operand& OperandOf(Inst inst, uint32_t i) {
    return module.operands_.Mutable(module[inst].first_operand + i);
  }
  size_t& word_count() { return module.word_count_; }
  std::vector<Inst>& global_variables() { return *module.global_variables_; }
};

}  // namespace ir

namespace {

constexpr std::string_view kText = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main"
OpExecutionMode %main OriginUpperLeft
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%c = OpConstant %int 1
%f = OpFunction %void None %fn
%g = OpLabel
OpReturn
OpFunctionEnd
%main = OpFunction %void None %fn
%entry = OpLabel
%x = OpIAdd %int %c %c
%y = OpIAdd %int %x %c
OpBranch %next
%next = OpLabel
OpReturn
OpFunctionEnd
)";

struct Parts {
  Function f, main;
  Block entry, next;
  Inst x, y;
  Id id_x;
};

std::string BrokenBy(void (*break_it)(ModuleBreaker&, const Parts&)) {
  const auto words = Assemble(kText, TargetEnvironment::kUniversal13);
  Module module = ReadModule(*words, "test").value();
  Parts parts;
  parts.f = module.first_function();
  parts.main = module.NextFunction(parts.f);
  parts.entry = module[parts.main].first;
  parts.next = module[parts.main].last;
  parts.x = module.Next(module.Label(parts.entry));
  parts.y = module.Next(parts.x);
  parts.id_x = module.Result(parts.x);
  ForEachFunction(module, [&](Function function) { (void)module.Flow(function); });
  ModuleBreaker breaker{module};
  break_it(breaker, parts);
  const Status status = CheckConsistency(module);
  if (status) return "none";
  return status.error().message.substr(0, status.error().message.find(':'));
}

TEST(Consistency, EachInvariantIsChecked) {
  using B = ModuleBreaker;
  using P = Parts;
  EXPECT_EQ(BrokenBy([](B&, const P&) {}), "none");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b[p.y].prev = p.y; }), "list-links");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b[p.x].block = p.next; }), "list-links");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b[p.entry].last = p.x; }), "list-links");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b[p.x].removed = true; }), "list-removed");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b[p.y].order = b[p.x].order; }), "list-order");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) {  // x is skipped, not marked as removed
              b[b.module.Label(p.entry)].next = p.y;
              b[p.y].prev = b.module.Label(p.entry);
            }),
            "list-removed");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b[p.next].prev = Block::kNone; }), "block-links");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b[p.main].last = p.entry; }), "block-links");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b[p.next].function = p.f; }), "block-links");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b[p.next].label = b[p.entry].label; }), "block-label");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b[p.main].definition = p.x; }), "block-function");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { std::swap(b[p.main].tail, b[p.f].tail); }),
            "block-function");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b[p.main].prev = Function::kNone; }), "function-links");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b.OperandOf(p.y, 0).user = p.x; }), "use-user");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b.OperandOf(p.y, 0).word = 999; }), "use-id");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b[p.id_x].first_use = Use::kNone; }), "use-list");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b.OperandOf(p.y, 1).word = Index(p.id_x); }),
            "use-list");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) {
              const Id c = b.module.IdAt(p.x, 0);
              b.OperandOf(b.module.User(b.module.FirstUse(c)),
                          b.module.OperandIndex(b.module.FirstUse(c)))
                  .prev_use = b.module.FirstUse(c);
            }),
            "use-list");
  EXPECT_EQ(
      BrokenBy([](B& b, const P& p) { b[p.id_x].first_decoration = b.module.FirstUse(p.id_x); }),
      "use-decoration");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b[p.id_x].definition = p.y; }), "use-definition");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b[p.id_x].definition = Inst::kNone; }),
            "use-definition");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b[p.y].name = b[p.x].name; }), "name");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b[p.y].name = {3, 4}; }), "name");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b[p.y].name = {}; }), "name");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b.global_variables().push_back(p.x); }),
            "global-variables");
  EXPECT_EQ(BrokenBy([](B& b, const P&) { ++b.word_count(); }), "word-count");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) {
              b[b.module.Terminator(p.entry)].opcode = spv::Op::OpUnreachable;
            }),
            "flow-stale");
  EXPECT_EQ(BrokenBy([](B& b, const P& p) { b[p.y].opcode = static_cast<spv::Op>(4711); }),
            "round-trip");
}

}  // namespace
}  // namespace refract
