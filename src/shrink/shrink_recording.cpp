// SPDX-License-Identifier: Apache-2.0
#include "shrink/shrink_recording.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "ir/editor.h"
#include "ir/word_diff.h"
#include "message/function_call.h"
#include "shrink/donated.h"
#include "shrink/played.h"
#include "shrink/renumber.h"
#include "shrink/search.h"
#include "shrink/shrink_module.h"
#include "shrink/simpler_messages.h"
#include "shrink/tally.h"
#include "transform/declare.h"

namespace refract {
namespace {

// How much there is to read.
struct Size {
  size_t steps = 0, difference = 0, words = 0;
  friend bool operator<=(const Size& a, const Size& b) {
    return a.steps <= b.steps &&
           std::pair(a.difference, a.words) <= std::pair(b.difference, b.words);
  }
};

class RecordingShrinker {
 public:
  RecordingShrinker(const Original& original, Played played,
                    const InterestingRecording& interesting, const ShrinkOptions& options)
      : original_(original),
        best_(std::move(played)),
        size_(SizeOf(best_)),
        interesting_(interesting),
        tally_(options) {
    tally_.IsKnown(ContentOf(best_));
    tally_.set_instructions(CountInstructions(best_.words));
  }

  void DoAll() {
    for (size_t before = kNever; before != changes_ && !tally_.is_stopped();) {
      before = changes_;
      ShrinkDonated();
      MakePlainer();
      MakeSmaller();
      // What was rested on by what has gone.
      if (changes_ != 0) LeaveOut();
    }
    if (!tally_.is_stopped()) Renumber();
  }

  // The last ones first: nothing rests on them.
  void ShrinkDonated() {
    for (size_t i = best_.recording.steps.size(); i-- > 0;) {
      // Steps behind may have gone along.
      if (i >= best_.recording.steps.size()) continue;
      const message::Step step = best_.recording.steps[i];
      if (step.transformation.kind != message::kKindOf<message::AddFunction>) continue;
      const DonatedForm form(best_.Before(i).module, step.number,
                             step.transformation.As<message::AddFunction>());
      SearchSmaller(form.module(), form.function(),
                    [&](const Module& candidate, std::string_view pass) {
                      return TryFunction(i, form, candidate, pass);
                    });
    }
  }

  void MakePlainer() {
    ForEachStep(
        [&](size_t i) {
          std::map<Name, std::vector<Name>> known;
          const PlainerNames names = [&](const Name& name) {
            const auto [place, is_new] = known.try_emplace(name);
            if (is_new) place->second = PlainerThan(i, name);
            return place->second;
          };
          return PlainerMessages(best_.recording.steps[i].transformation, names);
        },
        "plainer values");
  }

  void MakeSmaller() {
    ForEachStep([&](size_t i) { return SmallerMessages(best_.recording.steps[i].transformation); },
                "smaller steps");
  }

  void LeaveOut() {
    for (size_t i = best_.recording.steps.size(); i-- > 0 && !tally_.is_stopped();) {
      if (i >= best_.recording.steps.size()) continue;
      message::Recording recording = best_.recording;
      recording.steps.erase(recording.steps.begin() + static_cast<ptrdiff_t>(i));
      Consider(*PlayFrom(original_, best_, i, std::move(recording), Must::kNone),
               "leave out steps");
    }
  }

  void Renumber() {
    message::Recording recording = best_.recording;
    recording.ids.clear();
    uint32_t next = original_.context.module.bound();
    ForEachInFile(best_.context().module, [&](Inst inst) {
      const Instruction& made = best_.context().module[inst];
      if (made.name.step != 0 && made.result != Id::kNone)
        recording.ids.push_back({made.name, next++});
    });
    std::sort(recording.ids.begin(), recording.ids.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    Result<Played> played = Play(original_, std::move(recording));
    if (!played || played->recording.steps.size() != best_.recording.steps.size()) return;
    Consider(std::move(*played), "renumber ids");
  }

  ShrunkRecording Finish() && {
    ReplayResult replayed = best_.AsReplay();
    return {std::move(best_.recording), std::move(replayed), tally_.report};
  }

 private:
  static constexpr size_t kNever = static_cast<size_t>(-1);

  Size SizeOf(const Played& played) const {
    const WordDiff diff = DiffWords(original_.words, played.words);
    return {played.recording.steps.size(), diff.added + diff.removed, played.words.size()};
  }

  static std::string ContentOf(const Played& played) {
    std::string content = played.recording.result_inputs_hash;
    content.append(reinterpret_cast<const char*>(played.words.data()),
                   played.words.size() * sizeof(uint32_t));
    return content;
  }

  // Takes what is interesting and no larger. What gives the same words need not be asked about.
  Answer Consider(Played played, std::string_view pass) {
    if (tally_.is_stopped()) return Answer::kStop;
    const bool is_same = played.words == best_.words &&
                         played.recording.result_inputs_hash == best_.recording.result_inputs_hash;
    if (is_same) {
      Take(std::move(played), size_);
      return Answer::kYes;
    }
    if (tally_.IsKnown(ContentOf(played))) return Answer::kNo;
    const Size size = SizeOf(played);
    if (!(size <= size_)) return Answer::kNo;
    const Answer answer = tally_.Try(pass, CountInstructions(played.words), [&] {
      return interesting_(played.recording, played.AsReplay());
    });
    if (answer == Answer::kYes) Take(std::move(played), size);
    return answer;
  }

  void Take(Played played, const Size& size) {
    best_ = std::move(played);
    size_ = size;
    size_.steps = best_.recording.steps.size();
    ++changes_;
  }

  Answer TryMessage(size_t position, AnyMessage message, Must must, std::string_view pass,
                    const std::vector<Name>& lost_parameters = {}) {
    message::Recording recording = best_.recording;
    recording.steps[position].transformation = std::move(message);
    NoteDeclared(position, &recording);
    if (!lost_parameters.empty()) DropArguments(position, lost_parameters, &recording);
    std::optional<Played> played = PlayFrom(original_, best_, position, std::move(recording), must);
    if (!played) {
      ++tally_.report.unsound;
      return Answer::kNo;
    }
    return Consider(std::move(*played), pass);
  }

  Answer TryFunction(size_t position, const DonatedForm& form, const Module& candidate,
                     std::string_view pass) {
    if (tally_.is_stopped()) return Answer::kStop;
    std::optional<message::AddFunction> message = form.Tell(candidate);
    if (!message) return Answer::kNo;
    std::vector<Name> lost;
    const Module& was = form.module();
    ForEachInstruction(was, was[form.function()].head, [&](Inst inst) {
      const bool is_parameter = was.Opcode(inst) == spv::Op::OpFunctionParameter;
      if (is_parameter && candidate[inst].removed) lost.push_back(was.NameOf(inst));
    });
    return TryMessage(position, AnyMessage(std::move(*message)), Must::kFirst, pass, lost);
  }

  // Calls say nothing of parameters that are gone.
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

  template <class Alternatives>
  void ForEachStep(Alternatives alternatives, std::string_view pass) {
    for (size_t i = best_.recording.steps.size(); i-- > 0 && !tally_.is_stopped();) {
      for (bool again = true; again && !tally_.is_stopped();) {
        again = false;
        for (AnyMessage& message : alternatives(i)) {
          if (TryMessage(i, std::move(message), Must::kAll, pass) != Answer::kYes) continue;
          again = true;
          break;
        }
      }
    }
  }

  // Zero and one of the type of what `name` names before the step; those before it in this order.
  std::vector<Name> PlainerThan(size_t position, const Name& name) {
    Module scratch = best_.Before(position).module;
    Editor editor(scratch, best_.recording.steps[position].number);
    for (const message::Declaration& declaration : best_.recording.declarations) {
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

  // Constants that the message names and nobody has declared yet are kept by value.
  void NoteDeclared(size_t position, message::Recording* recording) const {
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
  Played best_;
  Size size_;
  const InterestingRecording& interesting_;
  Tally tally_;
  size_t changes_ = 0;
  std::map<Name, message::Constant> plain_;  // what PlainerThan gave
};

using Work = void (RecordingShrinker::*)();

Result<ShrunkRecording> Do(const Original& original, const message::Recording& recording,
                           const InterestingRecording& interesting, const ShrinkOptions& options,
                           Work work) {
  Result<Played> played = Play(original, recording);
  if (!played) return played.error();
  RecordingShrinker shrinker(original, std::move(*played), interesting, options);
  (shrinker.*work)();
  return std::move(shrinker).Finish();
}

}  // namespace

Result<ShrunkRecording> ShrinkRecording(const Original& original,
                                        const message::Recording& recording,
                                        const InterestingRecording& interesting,
                                        const ShrinkOptions& options) {
  return Do(original, recording, interesting, options, &RecordingShrinker::DoAll);
}

Result<ShrunkRecording> ShrinkDonatedFunctions(const Original& original,
                                               const message::Recording& recording,
                                               const InterestingRecording& interesting,
                                               const ShrinkOptions& options) {
  return Do(original, recording, interesting, options, &RecordingShrinker::ShrinkDonated);
}

Result<ShrunkRecording> UsePlainerValues(const Original& original,
                                         const message::Recording& recording,
                                         const InterestingRecording& interesting,
                                         const ShrinkOptions& options) {
  return Do(original, recording, interesting, options, &RecordingShrinker::MakePlainer);
}

Result<ShrunkRecording> UseSmallerSteps(const Original& original,
                                        const message::Recording& recording,
                                        const InterestingRecording& interesting,
                                        const ShrinkOptions& options) {
  return Do(original, recording, interesting, options, &RecordingShrinker::MakeSmaller);
}

Result<ShrunkRecording> RenumberIds(const Original& original, const message::Recording& recording,
                                    const InterestingRecording& interesting,
                                    const ShrinkOptions& options) {
  return Do(original, recording, interesting, options, &RecordingShrinker::Renumber);
}

}  // namespace refract
