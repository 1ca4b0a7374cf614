// SPDX-License-Identifier: Apache-2.0
// The interface of a transformation: a message (proto/transformation.proto), and three functions
// and a constant kRule in one .cpp file. docs/adding-a-transformation.md explains it step by step.
//
//   namespace refract::split_block {
//   using Message = message::SplitBlock;
//   // Accepts any message on any valid module; edits nothing.
//   CheckResult Check(const Message&, const View&);
//   // Called only if Check has accepted the message; cannot fail.
//   void Apply(const Message&, ContextEditor&);
//   // Offers messages for places where the transformation could act; edits nothing.
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

namespace refract {
inline namespace rules {

class ContextEditor;

/// The result of a check: Yes, or No with a reason. The reason is a string literal, so that reasons
/// can be counted and tests can demand a case for each of them.
class [[nodiscard]] CheckResult {
 public:
  static constexpr CheckResult Yes() { return CheckResult(nullptr); }
  constexpr explicit operator bool() const { return reason_ == nullptr; }
  /// nullptr for Yes.
  constexpr const char* reason() const { return reason_; }

 private:
  friend constexpr CheckResult No(const char* reason);
  constexpr explicit CheckResult(const char* reason) : reason_(reason) {}
  const char* reason_;
};

constexpr CheckResult No(const char* reason) {
  return CheckResult(reason);
}
constexpr CheckResult Yes() {
  return CheckResult::Yes();
}

/// The interface through which a Propose function offers messages. It owns the probability and the
/// budget. Offers are checked and applied after Propose has returned.
class Proposer {
 public:
  virtual ~Proposer() = default;
  const View& view() const { return view_; }
  const Module& module() const { return view_.module(); }
  /// Decides whether to act at this place: true with the probability of this transformation in this
  /// run. Call it once for each place where the transformation could act, before expensive work.
  virtual bool ShouldTry() = 0;
  /// A random number below n; n > 0.
  virtual size_t Pick(size_t n) = 0;
  /// True if the budget of this fuzzer pass is spent. A walk may then stop.
  virtual bool Full() const = 0;
  virtual void Offer(AnyMessage message) = 0;
  /// In a large module, a fuzzer pass walks only a part (see ForEachFunction): it begins with this
  /// function and ends with the function in which it has walked this many instructions.
  virtual Function FirstFunction() const { return module().first_function(); }
  virtual size_t MaxInstructions() const { return SIZE_MAX; }
  /// The limit for the cost of the module (transform/function/cost.h), offered additions included.
  virtual double MaxCost() const { return std::numeric_limits<double>::infinity(); }
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

/// Calls `visit(Function)` for each function that this fuzzer pass walks. Most Propose functions
/// begin with this.
template <class Visit>
void ForEachFunction(const Proposer& proposer, Visit visit) {
  const Module& module = proposer.module();
  const Function first = proposer.FirstFunction();
  const size_t most = proposer.MaxInstructions();
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

/// Whether a transformation takes code of donors (Proposer::donors).
enum class DonorUse : uint8_t {
  kNone,      ///< its Propose does not look at donors
  kOptional,  ///< it does; a run without donors may have the pass, which then offers nothing
  kRequired,  ///< it does; a run without donors leaves the pass out
};

/// How a run uses a transformation: its probability, the passes that it recommends, and whether it
/// takes code of donors.
struct Tuning {
  struct Range {
    uint32_t low, high;
  };
  Range chance = {20, 90};  ///< per cent; each run draws its probability from the range
  std::array<std::string_view, 12> follow_ons = {};  ///< names of transformations to recommend
  DonorUse donors = DonorUse::kNone;
};

struct Rule {
  int kind;  ///< message::kKindOf: the number of the message in the oneof
  CheckResult (*check)(const AnyMessage&, const View&);
  void (*apply)(const AnyMessage&, ContextEditor&);
  void (*propose)(Proposer&);
  Tuning tuning;
};

template <class Message, CheckResult (*Check)(const Message&, const View&),
          void (*Apply)(const Message&, ContextEditor&), void (*Propose)(Proposer&)>
constexpr Rule MakeRule(Tuning tuning) {
  return Rule{
      message::kKindOf<Message>,
      [](const AnyMessage& any, const View& view) { return Check(any.As<Message>(), view); },
      [](const AnyMessage& any, ContextEditor& editor) { Apply(any.As<Message>(), editor); },
      Propose, tuning};
}

}  // namespace rules
}  // namespace refract
