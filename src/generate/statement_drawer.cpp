// SPDX-License-Identifier: Apache-2.0
#include "generate/statement_drawer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace refract::generate {
namespace {

constexpr uint32_t kMostWork = 27;   // rounds of all loops around a statement, multiplied
constexpr uint32_t kWidened = 30;    // percent of the uniform variables at the head of a loop
constexpr uint32_t kDeadCode = 65;   // percent of what nothing gets to the end of
constexpr uint32_t kRoundEnds = 25;  // percent of the loops
constexpr uint32_t kMostAtRoundEnd = 3;

// Whether the statement certainly jumps, as far as its last statements tell.
bool Ends(const Statement& statement) {
  if (IsJump(statement)) return true;
  if (statement.kind != StatementKind::kIf && statement.kind != StatementKind::kSwitch) {
    return false;
  }
  return std::all_of(statement.blocks.begin(), statement.blocks.end(), [](const Block& block) {
    return !block.empty() && IsJump(block.back()) &&
           block.back().kind != StatementKind::kBreakSwitch;
  });
}

}  // namespace

void StatementDrawer::DrawBlock(uint32_t most, uint32_t level, Block* block) {
  for (uint64_t i = random_.Between(0, most); i > 0 && budget_ > 0; --i) {
    if (!DrawStatement(most, level, block)) return;
  }
}

bool StatementDrawer::DrawStatement(uint32_t most, uint32_t level, Block* block) {
  const bool can_nest = level < options_.nested && most > 1;
  const bool anywhere = !in_round_end_;
  const bool loop = can_nest && anywhere && work_ * options_.rounds <= kMostWork;
  const std::array<uint32_t, 8> weights = {options_.assignments,
                                           can_nest ? options_.ifs : 0,
                                           loop ? options_.loops : 0,
                                           can_nest && anywhere && !dead_ ? options_.switches : 0,
                                           level > 0 && anywhere ? options_.jumps : 0,
                                           anywhere && !summaries_.empty() ? options_.calls : 0,
                                           anywhere && compute() ? options_.groups : 0,
                                           anywhere && compute() ? options_.subgroups : 0};
  uint64_t at = 0;
  for (const uint32_t weight : weights) at += weight;
  at = random_.Below(at);
  size_t kind = 0;
  while (at >= weights[kind]) at -= weights[kind++];
  const bool divergent = random_.Percent(options_.divergent) || options_.classes == 0;
  --budget_;
  // The first deep statement must not take everything.
  const uint32_t kept = budget_ - budget_ / 3;
  budget_ -= kept;
  Statement statement;
  bool drawn = true;
  switch (kind) {
    case 1:
      DrawIf(divergent, most, level, &statement);
      break;
    case 2:
      DrawLoop(divergent, most, level, &statement);
      break;
    case 3:
      DrawSwitch(divergent, most, level, &statement);
      break;
    case 4:
      drawn = DrawJump(random_.Percent(45), divergent, &statement);
      break;
    case 5:
      drawn = DrawCall(&statement);
      break;
    case 6:
    case 7:
      drawn = DrawGroup(divergent, kind == 7, &statement);
      break;
    default:
      drawn = DrawAssignment(divergent, &statement);
  }
  budget_ += kept;
  if (!drawn && kind != 0) {
    statement = {};
    drawn = DrawAssignment(divergent, &statement);
  }
  if (!drawn) return true;
  const bool goes_on = statement.dead_end || !Ends(statement);
  block->push_back(std::move(statement));
  return goes_on;
}

uint32_t StatementDrawer::FindTarget(const Type* type, bool divergent) {
  std::vector<uint32_t>& found = targets_;
  found.clear();
  for (const uint32_t id : function_.variables) {
    const Variable& variable = tree_.variables[id];
    if (variable.storage == Storage::kValue || !environment_.MayAssign(id, divergent)) continue;
    bool fits = type == nullptr;
    for (uint32_t i = 0; i < (variable.shape == Shape::kStruct ? variable.Parts() : 1); ++i) {
      fits |= type != nullptr && variable.TypeOf(i) == *type;
    }
    if (fits) found.push_back(id);
  }
  return found.empty() ? kNone : found[random_.Below(found.size())];
}

Place StatementDrawer::DrawPlace(uint32_t id, const Type* type, bool divergent) {
  Place place{id, kNone, 0};
  const Shape shape = tree_.variables[id].shape;
  if (shape == Shape::kStruct) {
    std::vector<uint32_t> fits;
    for (uint32_t i = 0; i < tree_.variables[id].Parts(); ++i) {
      if (type == nullptr || tree_.variables[id].TypeOf(i) == *type) fits.push_back(i);
    }
    place.member = fits[random_.Below(fits.size())];
  } else if (shape != Shape::kPlain) {
    place.index = expressions_.DrawIndex(divergent);
  }
  return place;
}

void StatementDrawer::Assign(const Place& place, bool divergent) {
  environment_.Assign(place.variable, divergent,
                      tree_.variables[place.variable].shape == Shape::kPlain);
  ++versions_[place.variable];
  pending_.push_back({place.variable, versions_[place.variable]});
}

bool StatementDrawer::DrawAssignment(bool divergent, Statement* statement) {
  statement->kind = StatementKind::kAssign;
  uint32_t id = FindTarget(nullptr, divergent);
  if (id == kNone && divergent) id = FindTarget(nullptr, divergent = false);
  if (id == kNone) return false;
  statement->target = DrawPlace(id, nullptr, divergent);
  const Type type = tree_.variables[id].TypeOf(statement->target.member);
  statement->value = Extend(type, divergent, expressions_.Draw(type, divergent));
  statement->divergent = divergent || environment_.divergent_control();
  Assign(statement->target, divergent);
  return true;
}

uint32_t StatementDrawer::Extend(Type type, bool divergent, uint32_t value) {
  if (!random_.Percent(options_.live)) return value;
  for (size_t i = 0; i < pending_.size(); ++i) {
    const auto [id, version] = pending_[i];
    const Variable& variable = tree_.variables[id];
    if (versions_[id] != version || variable.shape != Shape::kPlain) continue;
    if (variable.type != type || environment_.IsDivergent(id) != divergent) continue;
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
    return expressions_.Combine(type, value, expressions_.Variable({id, kNone, 0}));
  }
  return value;
}

void StatementDrawer::DrawIf(bool divergent, uint32_t most, uint32_t level, Statement* statement) {
  statement->kind = StatementKind::kIf;
  statement->value = expressions_.Draw(kBoolType, divergent);
  statement->blocks.resize(2);
  DrawArms(divergent, most, level, false, statement);
  statement->dead_end = Ends(*statement) && random_.Percent(kDeadCode);
}

void StatementDrawer::DrawSwitch(bool divergent, uint32_t most, uint32_t level,
                                 Statement* statement) {
  statement->kind = StatementKind::kSwitch;
  statement->value = expressions_.DrawSelector(divergent);
  const uint64_t count = random_.Between(2, 5);
  statement->blocks.resize(count);
  statement->start = static_cast<uint32_t>(random_.Percent(60) ? 0 : random_.Next() & 0xffffffffu);
  statement->number = static_cast<uint32_t>(random_.Percent(50) ? count - 1 : random_.Below(count));
  for (uint64_t i = 0; i < count; ++i) {
    statement->falls_through.push_back(i + 1 < count && random_.Percent(40));
    statement->arguments.push_back(
        static_cast<uint32_t>(random_.Percent(75) ? 1 : random_.Between(2, 3)));
  }
  // What falls through the default must be next to each other, so no label may separate it.
  const uint32_t other = statement->number;
  const bool falls =
      statement->falls_through[other] || (other > 0 && statement->falls_through[other - 1]);
  if (falls || random_.Percent(80)) statement->arguments[other] = 0;
  const bool outer = std::exchange(in_switch_, true);
  const bool raised = std::exchange(left_switch_, false);
  const std::vector<bool> around =
      std::exchange(at_breaks_, std::vector<bool>(environment_.classes().size()));
  const bool control = environment_.divergent_control();
  DrawArms(divergent, most, level, true, statement);
  environment_.Join(at_breaks_);
  at_breaks_ = around;
  in_switch_ = outer;
  left_switch_ = raised;
  environment_.SetControl(control || left_round_ || raised);
  statement->dead_end = Ends(*statement) && random_.Percent(kDeadCode);
}

void StatementDrawer::DrawArms(bool divergent, uint32_t most, uint32_t level, bool is_switch,
                               Statement* statement) {
  const bool control = environment_.divergent_control();
  statement->divergent = divergent || control;
  const std::vector<bool> before = environment_.classes();
  std::vector<bool> after = before;
  std::vector<Pending> later;
  const size_t known = pending_.size();
  const bool dead = dead_;
  bool all_dead = true;
  const bool all_jump = level > 0 && !in_round_end_ && random_.Percent(options_.jumps);
  for (size_t i = 0; i < statement->blocks.size(); ++i) {
    if (i == 0 || !is_switch || !statement->falls_through[i - 1]) {
      environment_.SetClasses(before);
    } else {
      environment_.Join(before);
    }
    environment_.SetControl(statement->divergent || left_round_ || left_switch_);
    DrawBlock(most - 1, level + 1, &statement->blocks[i]);
    if (all_jump) AddJump(most - 1, &statement->blocks[i]);
    all_dead &= dead_;
    dead_ = dead;
    for (size_t v = 0; v < after.size(); ++v) after[v] = after[v] || environment_.classes()[v];
    // An arm must not use what another arm assigned.
    const size_t kept = std::min(known, pending_.size());
    later.insert(later.end(), pending_.begin() + static_cast<std::ptrdiff_t>(kept), pending_.end());
    pending_.resize(kept);
  }
  dead_ = all_dead;
  pending_.insert(pending_.end(), later.begin(), later.end());
  environment_.SetClasses(after);
  environment_.SetControl(control || left_round_ || left_switch_);
}

void StatementDrawer::AddJump(uint32_t most, Block* block) {
  if (budget_ == 0 || block->size() >= most || (!block->empty() && Ends(block->back()))) return;
  Statement jump;
  if (!DrawJump(false, false, &jump)) return;
  --budget_;
  block->push_back(std::move(jump));
}

void StatementDrawer::DrawLoop(bool divergent, uint32_t most, uint32_t level,
                               Statement* statement) {
  statement->kind = StatementKind::kLoop;
  statement->counter = tree_.loops++;
  statement->start = static_cast<uint32_t>(random_.Percent(50) ? 0 : random_.Below(0x7ffffff0u));
  const uint64_t test = random_.Below(100);
  statement->test = test < 30 ? LoopTest::kLast : test < 75 ? LoopTest::kFirst : LoopTest::kHeader;
  const uint32_t work = work_;
  const bool computed = options_.classes == 0 ? random_.Percent(options_.divergent) : divergent;
  if (computed || random_.Percent(30)) {
    statement->value = expressions_.Draw(kUintType, divergent);
    work_ *= options_.rounds;
  } else {
    statement->number = static_cast<uint32_t>(random_.Between(1, options_.rounds));
    work_ *= statement->number;
  }
  const bool control = environment_.divergent_control();
  statement->divergent = divergent || control;
  const bool in_switch = std::exchange(in_switch_, false);
  const bool left_round = std::exchange(left_round_, false);
  const bool left_switch = std::exchange(left_switch_, false);
  environment_.EnterLoop(divergent || random_.Percent(25), statement->counter);
  for (const uint32_t id : function_.variables) {
    if (environment_.IsDivergent(id) || tree_.variables[id].storage == Storage::kValue) continue;
    if (random_.Percent(kWidened) && environment_.MayWiden(id)) environment_.Widen(id);
  }
  const std::vector<bool> head = environment_.classes();
  // What the body assigns must not be used before it in the next round.
  const size_t known = pending_.size();
  statement->blocks.resize(1);
  const bool dead = dead_;
  DrawBlock(most - 1, level + 1, &statement->blocks[0]);
  const bool body_is_dead = std::exchange(dead_, dead);
  pending_.resize(std::min(known, pending_.size()));
  if (!statement->blocks[0].empty() && random_.Percent(kRoundEnds)) {
    DrawRoundEnd(head, most, level, statement);
    pending_.resize(std::min(known, pending_.size()));
  }
  dead_ = dead || (body_is_dead && statement->test == LoopTest::kLast);
  environment_.LeaveLoop(head);
  environment_.SetControl(control);
  in_switch_ = in_switch;
  left_round_ = left_round;
  left_switch_ = left_switch;
  work_ = work;
}

// Every invocation that begins a round comes here, with classes as at the head of the loop: what
// may be divergent somewhere in the loop may be divergent there.
void StatementDrawer::DrawRoundEnd(const std::vector<bool>& head, uint32_t most, uint32_t level,
                                   Statement* statement) {
  environment_.SetClasses(head);
  environment_.SetControl(environment_.divergent_control() || left_round_);
  in_round_end_ = true;
  Block end;
  DrawBlock(std::min(most - 1, kMostAtRoundEnd), level + 1, &end);
  in_round_end_ = false;
  if (!end.empty()) statement->blocks.push_back(std::move(end));
}

bool StatementDrawer::DrawJump(bool has_condition, bool divergent, Statement* statement) {
  const std::vector<Scope>& scopes = environment_.scopes();
  const bool control = environment_.divergent_control() || (has_condition && divergent);
  const bool in_loop = scopes.back().is_loop;
  const bool may_leave_loop = in_loop && (!control || scopes.back().divergent_exits);
  // Who is still in a loop that others have left returns without them.
  const bool returns_alone = control || environment_.HasDivergentLoop();
  const bool may_return =
      !returns_alone || std::all_of(scopes.begin(), scopes.end(),
                                    [](const Scope& scope) { return scope.divergent_exits; });
  std::vector<StatementKind> kinds;
  if (may_leave_loop) {
    kinds.insert(kinds.end(), {StatementKind::kBreak, StatementKind::kContinue});
  }
  if (in_switch_) kinds.push_back(StatementKind::kBreakSwitch);
  if (may_return && !has_condition && random_.Percent(40)) kinds.push_back(StatementKind::kReturn);
  if (kinds.empty()) return false;
  statement->kind = kinds[random_.Below(kinds.size())];
  statement->divergent = control;
  dead_ |= !has_condition;
  const std::vector<bool>& classes = environment_.classes();
  if (statement->kind == StatementKind::kReturn) {
    if (!is_main_) statement->value = expressions_.Draw(function_.result, control);
    for (size_t i = 0; i < classes.size(); ++i) at_returns_[i] = at_returns_[i] || classes[i];
    if (returns_alone) {
      split_ = true;
      Part();
    }
    return true;
  }
  if (has_condition) statement->value = expressions_.Draw(kBoolType, divergent);
  if (statement->kind == StatementKind::kBreakSwitch) {
    for (size_t i = 0; i < classes.size(); ++i) at_breaks_[i] = at_breaks_[i] || classes[i];
  }
  if (control) {
    left_round_ |= statement->kind == StatementKind::kContinue;
    left_switch_ |= statement->kind == StatementKind::kBreakSwitch;
    // If the jump has a condition, the others go on alone.
    environment_.SetControl(environment_.divergent_control() || left_round_ || left_switch_);
  }
  return true;
}

}  // namespace refract::generate
