// SPDX-License-Identifier: Apache-2.0
// The surface of a transformation: a message (proto/transformation.proto), three functions in one
// .cpp, one constant kRule. docs/adding-a-transformation.md walks through one.
//
//   namespace refract::split_block {
//   using Message = message::SplitBlock;
//   // Total: any valid module, any message; no effect.
//   Verdict Check(const Message&, const View&);
//   // Only after a yes; cannot fail.
//   void Apply(const Message&, ContextEditor&);
//   // Where could it act? Edits nothing.
//   void Propose(Proposer&);
//   extern const Rule kRule;
//   constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {10, 60}});
//   }
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "message/any.h"
#include "rules/context.h"

namespace refract::inline rules {

class ContextEditor;

/// Yes, or No with a reason: a string literal, so that reasons can be counted and tests can ask for
/// every one of them.
class [[nodiscard]] Verdict {
 public:
  static constexpr Verdict Yes() { return Verdict(nullptr); }
  constexpr explicit operator bool() const { return reason_ == nullptr; }
  /// Null for yes.
  constexpr const char* reason() const { return reason_; }

 private:
  friend constexpr Verdict No(const char* reason);
  constexpr explicit Verdict(const char* reason) : reason_(reason) {}
  const char* reason_;
};

constexpr Verdict No(const char* reason) {
  return Verdict(reason);
}
constexpr Verdict Yes() {
  return Verdict::Yes();
}

/// What Propose talks to. It owns chance and budget; offers are checked and applied after Propose
/// has returned.
class Proposer {
 public:
  virtual ~Proposer() = default;
  const View& view() const { return view_; }
  const Module& module() const { return view_.module(); }
  /// Whether to act at this opportunity: true with this run's chance for this transformation. Ask
  /// once for each place where it could act, before spending work on it.
  virtual bool Toss() = 0;
  /// One of n > 0 equally good choices.
  virtual size_t Pick(size_t n) = 0;
  /// The budget of this pass is spent: a walk may stop.
  virtual bool Full() const = 0;
  virtual void Offer(AnyMessage message) = 0;
  /// Of a large module a pass walks a part (ForEachFunction): the function it begins with, and how
  /// many instructions it walks before it ends, with the function it is in.
  virtual Function FirstFunction() const { return module().first_function(); }
  virtual size_t MostInstructions() const { return SIZE_MAX; }
  /// What the module may cost (transform/function/cost.h) with what is offered.
  virtual double MostCost() const { return std::numeric_limits<double>::infinity(); }
  /// Functions that may be added: messages of type AddFunction. A replay needs none.
  virtual const std::vector<AnyMessage>& donors() const {
    static const std::vector<AnyMessage> kNone;
    return kNone;
  }

 protected:
  explicit Proposer(const View& view) : view_(view) {}

 private:
  View view_;
};

/// Calls `visit(Function)` for each function that this pass is to walk: what Propose begins with.
template <class Visit>
void ForEachFunction(const Proposer& proposer, Visit visit) {
  const Module& module = proposer.module();
  const Function first = proposer.FirstFunction();
  const size_t most = proposer.MostInstructions();
  size_t walked = 0;
  for (Function function = first; function != Function::kNone && walked < most;) {
    visit(function);
    if (most != SIZE_MAX) {
      ForEachBlock(module, function, [&](Block block) {
        ForEachInstruction(module, block, [&](Inst) { ++walked; });
      });
    }
    function = module.NextFunction(function);
    if (function == Function::kNone) function = module.first_function();
    if (function == first) return;
  }
}

/// What a run draws for a transformation, and what is worth doing after it.
struct Tuning {
  struct Range {
    uint32_t low, high;
  };
  Range chance = {20, 90};  ///< per cent; each run draws one chance from the range
  std::array<std::string_view, 12> follow_ons = {};  ///< names of transformations
};

struct Rule {
  int kind;  ///< message::kKindOf: its number in the oneof
  Verdict (*check)(const AnyMessage&, const View&);
  void (*apply)(const AnyMessage&, ContextEditor&);
  void (*propose)(Proposer&);
  Tuning tuning;
};

template <class Message, Verdict (*Check)(const Message&, const View&),
          void (*Apply)(const Message&, ContextEditor&), void (*Propose)(Proposer&)>
constexpr Rule MakeRule(Tuning tuning) {
  return Rule{
      message::kKindOf<Message>,
      [](const AnyMessage& any, const View& view) { return Check(any.As<Message>(), view); },
      [](const AnyMessage& any, ContextEditor& editor) { Apply(any.As<Message>(), editor); },
      Propose, tuning};
}

}  // namespace refract::inline rules
