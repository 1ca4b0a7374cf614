// SPDX-License-Identifier: Apache-2.0
#include "shrink/shrink_recording.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "engine/declarations.h"
#include "ir/call_graph.h"
#include "ir/edit/editor.h"
#include "message/add_empty_entry_point.h"
#include "message/add_entry_point.h"
#include "message/add_fragment.h"
#include "message/function_call.h"
#include "rules/build/declare.h"
#include "shrink/alternatives.h"
#include "shrink/donated_function_module.h"
#include "shrink/renumber.h"
#include "shrink/replayed.h"
#include "shrink/search.h"
#include "shrink/shrink_module.h"
#include "shrink/simpler_messages.h"
#include "shrink/smaller_regions.h"
#include "shrink/try_budget.h"
#include "shrink/without_step.h"

namespace refract {
inline namespace shrink {
namespace {

// The donated function or fragment that a step adds; nullptr if it adds none.
const message::AddFunction* DonatedBy(const AnyMessage& any) {
  if (any.kind == message::kKindOf<message::AddFunction>) return &any.As<message::AddFunction>();
  if (any.kind == message::kKindOf<message::AddFragment>) {
    return &any.As<message::AddFragment>().body;
  }
  return nullptr;
}

// The message with `smaller` instead of its donated function or fragment, and without the arguments
// for parameters that the fragment has lost.
AnyMessage WithDonated(const AnyMessage& any, message::AddFunction smaller) {
  if (any.kind != message::kKindOf<message::AddFragment>) return AnyMessage(std::move(smaller));
  message::AddFragment fragment = any.As<message::AddFragment>();
  const std::vector<message::DonatedParameter> before = fragment.body.parameters;
  std::vector<Name> arguments;
  for (const message::DonatedParameter& kept : smaller.parameters) {
    const auto was = std::find_if(before.begin(), before.end(),
                                  [&](const auto& each) { return each.local == kept.local; });
    const auto index = static_cast<size_t>(was - before.begin());
    arguments.push_back(index < fragment.arguments.size() ? fragment.arguments[index] : Name());
  }
  fragment.arguments = std::move(arguments);
  fragment.body = std::move(smaller);
  return AnyMessage(std::move(fragment));
}

// A step that adds an empty entry point of the same stage and name, for a step that copies an entry
// point.
std::optional<AnyMessage> EmptyEntryPoint(const Module& module, const AnyMessage& any) {
  if (any.kind != message::kKindOf<message::AddEntryPoint>) return std::nullopt;
  const auto& copy = any.As<message::AddEntryPoint>();
  for (const EntryPoint& entry : EntryPoints(module)) {
    if (module.NameOf(module.FunctionId(entry.function)) != copy.function) continue;
    return AnyMessage(message::AddEmptyEntryPoint{copy.name, static_cast<uint32_t>(entry.model)});
  }
  return std::nullopt;
}

class RecordingShrinker {
 public:
  RecordingShrinker(const Original& original, ReplayedPointer replayed,
                    const InterestingRecording& interesting, const ShrinkOptions& options)
      : original_(original),
        best_(std::move(replayed)),
        interesting_(interesting),
        budget_(options) {
    budget_.MarkTested(best_->Content());
    budget_.set_instructions(CountInstructions(best_->words));
  }

  void ShrinkAll() {
    for (size_t before = kNever; before != changes_ && !budget_.is_stopped();) {
      before = changes_;
      LeaveOutNeededSteps();
      ShrinkDonated();
      MakePlainer();
      MakeSmaller();
      // Steps on which only removed code depended may now be unnecessary.
      if (changes_ != 0) LeaveOutSteps();
    }
    if (!budget_.is_stopped()) Renumber();
  }

  // Leaves out steps whose names later steps use, if these apply to what the step was made from.
  void LeaveOutNeededSteps() {
    constexpr std::string_view kWork = "leave out needed steps";
    for (size_t i = best_->recording.steps.size(); i-- > 0 && !budget_.is_stopped();) {
      if (i >= best_->recording.steps.size() || IsSettled(kWork, i)) continue;
      const size_t before = changes_;
      for (message::Recording& recording : WithoutStep(*best_, i)) {
        const ReplayedPointer replayed =
            ReplayFrom(original_, *best_, i, std::move(recording), RequiredSteps::kNone);
        if (TryCandidate(replayed, kWork) != Answer::kNo) break;
      }
      Settle(kWork, i, before);
    }
  }

  // Starts at the last function, because no other function depends on it.
  void ShrinkDonated() {
    constexpr std::string_view kWork = "donated functions";
    for (size_t i = best_->recording.steps.size(); i-- > 0;) {
      // Later steps may have been removed as well.
      if (i >= best_->recording.steps.size() || IsSettled(kWork, i)) continue;
      const message::Step step = best_->recording.steps[i];
      const message::AddFunction* const donated = DonatedBy(step.transformation);
      if (donated == nullptr) continue;
      const size_t before = changes_;
      const DonatedFunctionModule form(best_->Before(i).module, step.number, *donated);
      SearchSmaller(form.module(), form.function(),
                    [&](const Module& candidate, std::string_view pass) {
                      return TryFunction(i, form, candidate, pass);
                    });
      Settle(kWork, i, before);
    }
  }

  void MakePlainer() {
    ForEachStep(
        [&](const ReplayedRecording& best, size_t i) {
          std::map<Name, std::vector<Name>> known;
          const PlainerNames names = [&](const Name& name) {
            const auto [place, is_new] = known.try_emplace(name);
            if (is_new) place->second = PlainerNamesFor(best, i, name);
            return place->second;
          };
          return PlainerMessages(best.recording.steps[i].transformation, names);
        },
        "plainer values");
  }

  void MakeSmaller() {
    ForEachStep(
        [](const ReplayedRecording& best, size_t i) {
          const AnyMessage& step = best.recording.steps[i].transformation;
          std::vector<AnyMessage> smaller = SmallerMessages(step);
          const auto empty = EmptyEntryPoint(best.Before(i).module, step);
          if (empty) smaller.insert(smaller.begin(), *empty);
          std::vector<AnyMessage> regions = SmallerRegions(best.Before(i), step);
          smaller.insert(smaller.begin(), std::make_move_iterator(regions.begin()),
                         std::make_move_iterator(regions.end()));
          return smaller;
        },
        "smaller steps");
  }

  void LeaveOutSteps() {
    constexpr std::string_view kWork = "leave out steps";
    // Each step has one alternative: the recording without the step.
    Alternatives alternatives(
        [](const ReplayedRecording& best, size_t i) {
          return std::vector<AnyMessage>{best.recording.steps[i].transformation};
        },
        [&](const ReplayedRecording& best, size_t i, const AnyMessage&) {
          message::Recording recording = best.recording;
          recording.steps.erase(recording.steps.begin() + static_cast<ptrdiff_t>(i));
          return ReplayFrom(original_, best, i, std::move(recording), RequiredSteps::kNone);
        },
        [&](const ReplayedPointer& replayed, const ReplayedRecording& best) {
          return NeedsTest(replayed, best);
        });
    for (size_t i = best_->recording.steps.size(); i-- > 0 && !budget_.is_stopped();) {
      if (i >= best_->recording.steps.size() || IsSettled(kWork, i)) continue;
      const size_t before = changes_;
      const ReplayedPointer replayed = alternatives.At(best_, i, 0);
      TryCandidate(replayed, kWork, [&] {
        alternatives.Keep(best_, replayed);
        return (i > 0 && alternatives.ReplayAhead(replayed, i - 1, 0)) ||
               alternatives.ReplayAhead(best_, i, 1, kMaxReplayedAhead);
      });
      Settle(kWork, i, before);
    }
  }

  void Renumber() {
    message::Recording recording = best_->recording;
    recording.ids.clear();
    uint32_t next = original_.context.module.bound();
    ForEachInFile(best_->context().module, [&](Inst inst) {
      const Instruction& made = best_->context().module[inst];
      if (made.name.step != 0 && made.result != Id::kNone)
        recording.ids.push_back({made.name, next++});
    });
    std::sort(recording.ids.begin(), recording.ids.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    const Result<ReplayedPointer> replayed = ReplayWithContexts(original_, std::move(recording));
    if (!replayed || (*replayed)->recording.steps.size() != best_->recording.steps.size()) return;
    TryCandidate(*replayed, "renumber ids");
  }

  ShrunkRecording Finish() const {
    return {best_->recording, best_->ToReplayResult(), budget_.report};
  }

 private:
  static constexpr size_t kNever = static_cast<size_t>(-1);
  // Most answers are no, and between two queries more alternatives may be prepared than one run of
  // the test leaves time for.
  static constexpr size_t kMaxReplayedAhead = 6;

  static bool NoIdleWork() { return false; }

  static bool HaveSameResult(const ReplayedRecording& a, const ReplayedRecording& b) {
    return a.words == b.words && a.recording.result_inputs_hash == b.recording.result_inputs_hash;
  }

  // Takes a replayed recording if it is interesting and not larger. If it gives the same words, the
  // test is not asked. Null means that the recording does not replay.
  Answer TryCandidate(const ReplayedPointer& replayed, std::string_view pass,
                      const IdleWork& idle_work = NoIdleWork) {
    if (budget_.is_stopped()) return Answer::kStop;
    if (replayed == nullptr) {
      ++budget_.report.unsound;
      return Answer::kNo;
    }
    if (HaveSameResult(*replayed, *best_)) {
      Take(replayed);
      return Answer::kYes;
    }
    if (budget_.MarkTested(replayed->Content())) return Answer::kNo;
    if (!(replayed->size <= best_->size)) return Answer::kNo;
    const Answer answer = budget_.Try(pass, CountInstructions(replayed->words),
                                      [&] { return interesting_(*replayed, idle_work); });
    if (answer == Answer::kYes) Take(replayed);
    return answer;
  }

  // True if TryCandidate would ask the test once `best` is the best recording.
  bool NeedsTest(const ReplayedPointer& replayed, const ReplayedRecording& best) const {
    return replayed != nullptr && !HaveSameResult(*replayed, best) &&
           !budget_.WasTested(replayed->Content()) && replayed->size <= best.size;
  }

  void Take(const ReplayedPointer& replayed) {
    best_ = replayed;
    ++changes_;
  }

  // True if this work on this step had no effect and nothing has changed since.
  bool IsSettled(std::string_view work, size_t step) const {
    const auto found = settled_.find({work, step});
    return found != settled_.end() && found->second == changes_;
  }
  // Notes that the work had no effect. `before` is the value of changes_ when it began.
  void Settle(std::string_view work, size_t step, size_t before) {
    if (before == changes_ && !budget_.is_stopped()) settled_[{work, step}] = changes_;
  }

  ReplayedPointer ReplayWithChange(const ReplayedRecording& best, size_t position,
                                   AnyMessage message, RequiredSteps must,
                                   const std::vector<Name>& lost_parameters = {}) const {
    message::Recording recording = best.recording;
    recording.steps[position].transformation = std::move(message);
    AddDeclarations(position, &recording);
    if (!lost_parameters.empty()) DropArguments(position, lost_parameters, &recording);
    return ReplayFrom(original_, best, position, std::move(recording), must);
  }

  Answer TryFunction(size_t position, const DonatedFunctionModule& form, const Module& candidate,
                     std::string_view pass) {
    if (budget_.is_stopped()) return Answer::kStop;
    std::optional<message::AddFunction> message = form.ToMessage(candidate);
    if (!message) return Answer::kNo;
    std::vector<Name> lost;
    const Module& was = form.module();
    ForEachInstruction(was, was[form.function()].head, [&](Inst inst) {
      const bool is_parameter = was.Opcode(inst) == spv::Op::OpFunctionParameter;
      if (is_parameter && candidate[inst].removed) lost.push_back(was.NameOf(inst));
    });
    AnyMessage changed =
        WithDonated(best_->recording.steps[position].transformation, std::move(*message));
    return TryCandidate(
        ReplayWithChange(*best_, position, std::move(changed), RequiredSteps::kFirst, lost), pass);
  }

  // Removes the arguments for removed parameters from the messages of later calls.
  static void DropArguments(size_t position, const std::vector<Name>& lost,
                            message::Recording* recording) {
    for (size_t i = position + 1; i < recording->steps.size(); ++i) {
      AnyMessage& any = recording->steps[i].transformation;
      if (any.kind != message::kKindOf<message::FunctionCall>) continue;
      message::FunctionCall call = any.As<message::FunctionCall>();
      const size_t erased = std::erase_if(call.arguments, [&](const message::Argument& argument) {
        return std::find(lost.begin(), lost.end(), argument.parameter) != lost.end();
      });
      if (erased != 0) any = AnyMessage(std::move(call));
    }
  }

  void ForEachStep(Alternatives::List list, std::string_view pass) {
    Alternatives alternatives(
        std::move(list),
        [&](const ReplayedRecording& best, size_t i, const AnyMessage& message) {
          return ReplayWithChange(best, i, message, RequiredSteps::kAll);
        },
        [&](const ReplayedPointer& replayed, const ReplayedRecording& best) {
          return NeedsTest(replayed, best);
        });
    for (size_t i = best_->recording.steps.size(); i-- > 0;) {
      if (IsSettled(pass, i)) continue;
      bool again = true;
      while (again) again = TryInstead(&alternatives, i, pass);
      Settle(pass, i, changes_);
    }
  }

  // Tries the alternatives in turn. Returns true if one was taken.
  bool TryInstead(Alternatives* alternatives, size_t i, std::string_view pass) {
    const size_t count = alternatives->Count(best_, i);
    for (size_t at = 0; at < count && !budget_.is_stopped(); ++at) {
      const ReplayedPointer replayed = alternatives->At(best_, i, at);
      const Answer answer = TryCandidate(replayed, pass, [&] {
        alternatives->Keep(best_, replayed);
        return alternatives->ReplayAhead(replayed, i, 0) ||
               alternatives->ReplayAhead(best_, i, at + 1, kMaxReplayedAhead);
      });
      if (answer == Answer::kYes) return true;
    }
    return false;
  }

  // Returns names of constants that may replace the value `name` before the step: shorter arrays if
  // it is an array, and zero and one of its type. If `name` is one of these itself, only those
  // before it are returned.
  std::vector<Name> PlainerNamesFor(const ReplayedRecording& best, size_t position,
                                    const Name& name) {
    Module scratch = best.Before(position).module;
    Editor editor(scratch, best.recording.steps[position].number);
    for (const message::Declaration& declaration : best.recording.declarations) {
      if (declaration.name == name && IsDeclarable(scratch, declaration.constant)) {
        Declare(editor, declaration.constant);
      }
    }
    const Inst inst = scratch.Find(name);
    if (inst == Inst::kNone || scratch.Type(inst) == Id::kNone) return {};
    const message::Type type = Describe(scratch, scratch.Type(inst));
    std::vector<message::Constant> wanted;
    if (HasNull(scratch, scratch.Type(inst))) {
      const bool is_number = type.kind == message::Type::Kind::kInt;
      if (type.kind == message::Type::Kind::kBool) {
        wanted.push_back(BoolConstant(false));
      } else if (is_number || type.kind == message::Type::Kind::kFloat) {
        wanted.push_back(ScalarConstant(type, 0));
        if (is_number) wanted.push_back(ScalarConstant(type, 1));
      } else if (!type.declared && type.kind != message::Type::Kind::kPointer) {
        message::Type shorter = type;
        for (shorter.count = 1; shorter.count < std::min(type.count, 3u); ++shorter.count) {
          if (type.kind == message::Type::Kind::kArray) wanted.push_back(NullConstant(shorter));
        }
        wanted.push_back(NullConstant(type));
      }
    }
    std::vector<Name> names;
    for (const message::Constant& constant : wanted) {
      if (!IsDeclarable(scratch, constant)) continue;
      const Name plain = scratch.NameOf(Declare(editor, constant));
      if (plain == name) break;
      names.push_back(plain);
      plain_.emplace(plain, constant);
    }
    return names;
  }

  // Keeps by value the constants that the message names and that no step has declared.
  void AddDeclarations(size_t position, message::Recording* recording) const {
    message::NameSink names;
    message::NamesIn(recording->steps[position].transformation, names);
    std::vector<message::Declaration>& list = recording->declarations;
    for (const Name& name : names) {
      const auto plain = plain_.find(name);
      if (name.step != Name::kDeclaredStep || plain == plain_.end()) continue;
      const auto place =
          std::lower_bound(list.begin(), list.end(), name,
                           [](const message::Declaration& a, const Name& b) { return a.name < b; });
      if (place != list.end() && place->name == name) continue;
      list.insert(place, {name, plain->second});
    }
  }

  const Original& original_;
  ReplayedPointer best_;
  const InterestingRecording& interesting_;
  TryBudget budget_;
  size_t changes_ = 0;
  // The value of changes_ at that time.
  std::map<std::pair<std::string_view, size_t>, size_t> settled_;
  std::map<Name, message::Constant> plain_;  // the results of PlainerNamesFor
};

using Work = void (RecordingShrinker::*)();

Result<ShrunkRecording> RunShrinker(const Original& original, const message::Recording& recording,
                                    const InterestingRecording& interesting,
                                    const ShrinkOptions& options, Work work) {
  // Each candidate copies the declarations, so unused ones are removed first.
  message::Recording needed = recording;
  RemoveUnusedDeclarations(&needed);
  const Result<ReplayedPointer> replayed = ReplayWithContexts(original, std::move(needed));
  if (!replayed) return replayed.error();
  RecordingShrinker shrinker(original, *replayed, interesting, options);
  (shrinker.*work)();
  return shrinker.Finish();
}

}  // namespace

Result<ShrunkRecording> ShrinkRecording(const Original& original,
                                        const message::Recording& recording,
                                        const InterestingRecording& interesting,
                                        const ShrinkOptions& options) {
  return RunShrinker(original, recording, interesting, options, &RecordingShrinker::ShrinkAll);
}

Result<ShrunkRecording> ShrinkDonatedFunctions(const Original& original,
                                               const message::Recording& recording,
                                               const InterestingRecording& interesting,
                                               const ShrinkOptions& options) {
  return RunShrinker(original, recording, interesting, options, &RecordingShrinker::ShrinkDonated);
}

Result<ShrunkRecording> RenumberIds(const Original& original, const message::Recording& recording,
                                    const InterestingRecording& interesting,
                                    const ShrinkOptions& options) {
  return RunShrinker(original, recording, interesting, options, &RecordingShrinker::Renumber);
}

}  // namespace shrink
}  // namespace refract
