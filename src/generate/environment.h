// SPDX-License-Identifier: Apache-2.0
// What the generator knows at a place of the program that it draws: which variables are divergent
// (the paper's environment), whether the control flow is (its stack of branches), and which loops
// enclose the place.
//
// LOOPS. The class of a variable at the head of a loop depends on assignments that are not drawn
// yet. So it is decided at the head: some uniform variables become divergent there, as if the body
// had assigned a divergent value, and the others are pinned: no assignment in the body may make
// them divergent. So what is said at the head is a fixpoint.
//
// JUMPS. If a jump leaves a scope (a loop, or a function) in divergent control flow, invocations
// leave it at different places or in different rounds, and what the scope assigned is divergent
// after it, although it may be uniform in each round (temporal divergence). Only scopes that are
// drawn as `divergent_exits` may have such jumps. After a divergent `continue` or a break out of a
// switch, the others go on alone, and those that jumped meet them again with other values: control
// flow is divergent up to the end of the loop or switch. A divergent break or return does not have
// this effect, because who left does not meet the others in this scope again.
#pragma once

#include <cstdint>
#include <vector>

#include "generate/tree.h"

namespace refract::generate {

/// A loop, or the body of a function.
struct Scope {
  bool is_loop = false;
  bool divergent_exits = false;
  uint32_t counter = 0;
  std::vector<bool> pinned;    ///< by variable: uniform at the head of the loop
  std::vector<bool> assigned;  ///< by variable: assigned in the scope
};

class Environment {
 public:
  /// Begins a function.
  void Reset(size_t variables, bool divergent_control, bool may_meet, bool divergent_exits) {
    divergent_.assign(variables, false);
    scopes_.clear();
    scopes_.push_back(
        {false, divergent_exits, 0, std::vector<bool>(variables), std::vector<bool>(variables)});
    divergent_control_ = divergent_control;
    may_meet_ = may_meet;
  }

  bool IsDivergent(uint32_t variable) const { return divergent_[variable]; }
  bool divergent_control() const { return divergent_control_; }
  /// Whether all invocations of a workgroup provably execute the next statement together.
  bool MayMeet() const { return may_meet_ && !divergent_control_ && !HasDivergentLoop(); }
  /// Whether invocations may leave a loop around the next statement in different rounds.
  bool HasDivergentLoop() const {
    for (const Scope& scope : scopes_) {
      if (scope.is_loop && scope.divergent_exits) return true;
    }
    return false;
  }
  void SetMayMeet(bool may_meet) { may_meet_ = may_meet; }
  bool may_meet() const { return may_meet_; }
  void SetControl(bool divergent) { divergent_control_ = divergent; }

  /// Whether the variable may get a value of that class here.
  bool MayAssign(uint32_t variable, bool divergent) const {
    divergent |= divergent_control_;
    for (size_t i = scopes_.size(); i-- > 0;) {
      if (divergent && scopes_[i].pinned[variable]) return false;
      divergent |= scopes_[i].divergent_exits && scopes_[i].is_loop;
    }
    return true;
  }
  /// Records an assignment to a variable or, if not `whole`, to a part of one.
  void Assign(uint32_t variable, bool divergent, bool whole) {
    for (Scope& scope : scopes_) scope.assigned[variable] = true;
    divergent |= divergent_control_;
    divergent_[variable] = divergent || (!whole && divergent_[variable]);
  }
  /// Whether the variable may be divergent at the head of the loop that was entered last.
  bool MayWiden(uint32_t variable) const {
    for (size_t i = 0; i + 1 < scopes_.size(); ++i) {
      if (scopes_[i].pinned[variable]) return false;
    }
    return true;
  }
  /// Makes space for more variables, before the first loop.
  void Grow(size_t variables) {
    divergent_.resize(variables);
    scopes_.front().pinned.resize(variables);
    scopes_.front().assigned.resize(variables);
  }
  /// Sets the class of a variable before the first statement.
  void Initialise(uint32_t variable, bool divergent) { divergent_[variable] = divergent; }

  Scope& EnterLoop(bool divergent_exits, uint32_t counter) {
    std::vector<bool> pinned(divergent_.size());
    for (size_t i = 0; i < pinned.size(); ++i) pinned[i] = !divergent_[i];
    scopes_.push_back(
        {true, divergent_exits, counter, std::move(pinned), std::vector<bool>(divergent_.size())});
    return scopes_.back();
  }
  /// Makes a variable divergent at the head of the loop that was entered last.
  void Widen(uint32_t variable) {
    divergent_[variable] = true;
    scopes_.back().pinned[variable] = false;
  }
  /// Leaves the loop. `head` are the classes at its head.
  void LeaveLoop(const std::vector<bool>& head) {
    const Scope loop = std::move(scopes_.back());
    scopes_.pop_back();
    divergent_ = head;
    for (size_t i = 0; i < divergent_.size(); ++i) {
      if (loop.divergent_exits && loop.assigned[i]) divergent_[i] = true;
    }
  }
  const std::vector<Scope>& scopes() const { return scopes_; }

  const std::vector<bool>& classes() const { return divergent_; }
  void SetClasses(const std::vector<bool>& classes) { divergent_ = classes; }
  /// What is divergent here or in `others` is divergent.
  void Join(const std::vector<bool>& others) {
    for (size_t i = 0; i < divergent_.size(); ++i) {
      if (others[i]) divergent_[i] = true;
    }
  }

 private:
  std::vector<bool> divergent_;  // by variable
  std::vector<Scope> scopes_;    // the outermost first
  bool divergent_control_ = false;
  bool may_meet_ = false;  // false after a return in divergent control flow, for example
};

}  // namespace refract::generate
