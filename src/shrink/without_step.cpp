// SPDX-License-Identifier: Apache-2.0
#include "shrink/without_step.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "message/fields.h"
#include "shrink/renumber.h"

namespace refract {
inline namespace shrink {
namespace {

// A transformation has few roles, and makes few instructions for the same one.
constexpr uint64_t kRoles = 40, kParts = 4;

// Calls f(make) for each way to make the local part of a name for another name (base/name.h).
template <class F>
void ForEachWay(F f) {
  for (uint64_t role = 1; role <= kRoles; ++role) {
    f([role](const Name& name) { return LocalPart(role, name); });
    for (uint64_t part = 0; part < kParts; ++part) {
      f([role, part](const Name& name) { return LocalPart(role, name, part); });
    }
  }
}

std::vector<Name> NamesOf(const AnyMessage& message) {
  message::NameSink names;
  message::NamesIn(message, names);
  return names;
}

bool IsLabel(const Module& module, const Name& name) {
  const Inst inst = module.Find(name);
  return inst != Inst::kNone && module.Opcode(inst) == spv::Op::OpLabel;
}

// The new names when a step is left out: of what it made, and of what later steps made for that.
class Renaming {
 public:
  Renaming(const ReplayedRecording& replayed, size_t position) {
    const std::vector<message::Step>& steps = replayed.recording.steps;
    AddOrigins(replayed.Before(position).module, replayed.Before(position + 1).module,
               steps[position].number);
    for (size_t i = position + 1; i < steps.size() && !renamed_.empty(); ++i) {
      AddMadeForRenamed(replayed.Before(i + 1).module, steps[i].number);
    }
  }

  // The new name; nothing if the name stays.
  std::optional<Name> Find(const Name& name) const {
    const auto found = renamed_.find(name);
    if (found == renamed_.end()) return std::nullopt;
    return found->second;
  }

 private:
  // Names that the step made for older names become those older names.
  void AddOrigins(const Module& before, const Module& after, uint32_t step) {
    std::unordered_map<uint64_t, Name> made;  // their local parts
    ForEachInFile(after, [&](Inst inst) {
      const Name name = after.NameOf(inst);
      if (name.step != step) return;
      const Inst original = after[inst].copy_of;
      if (original != Inst::kNone && after.NameOf(original).step != step) {
        renamed_.emplace(name, after.NameOf(original));
      } else {
        made.emplace(name.local, name);
      }
    });
    if (made.empty()) return;
    ForEachInFile(before, [&](Inst inst) {
      const Name origin = before.NameOf(inst);
      if (!origin) return;
      ForEachWay([&](const auto& make) {
        const auto found = made.find(make(origin));
        if (found != made.end()) renamed_.emplace(found->second, origin);
      });
    });
  }

  // Names that a later step made for renamed ones change as well.
  void AddMadeForRenamed(const Module& after, uint32_t step) {
    std::unordered_set<uint64_t> made;  // the local parts of what the step made for something
    ForEachInFile(after, [&](Inst inst) {
      const Name name = after.NameOf(inst);
      if (name.step == step && name.local > kRoles) made.insert(name.local);
    });
    if (made.empty()) return;
    std::vector<std::pair<Name, Name>> more;
    for (const auto& renamed : renamed_) {
      ForEachWay([&](const auto& make) {
        const uint64_t local = make(renamed.first);
        if (made.contains(local)) more.push_back({{step, local}, {step, make(renamed.second)}});
      });
    }
    renamed_.insert(more.begin(), more.end());
  }

  std::map<Name, Name> renamed_;
};

class NameReplacer : public message::FieldVisitor {
 public:
  explicit NameReplacer(std::function<Name(const Name&)> replace) : replace_(std::move(replace)) {}
  bool Enter(std::string_view, void*) override { return true; }
  void Visit(bool&) override {}
  void Visit(uint32_t&) override {}
  void Visit(uint64_t&) override {}
  void Visit(std::string&) override {}
  void Visit(Name& value) override { value = replace_(value); }
  void VisitEnum(int32_t&, std::span<const int32_t>) override {}
  void VisitList(size_t, const Erase&) override {}

 private:
  std::function<Name(const Name&)> replace_;
};

}  // namespace

std::vector<message::Recording> WithoutStep(const ReplayedRecording& replayed, size_t position) {
  const message::Step& step = replayed.recording.steps[position];
  const auto is_made = [&](const Name& name) { return name.step == step.number; };
  std::vector<Name> used;
  for (size_t i = position + 1; i < replayed.recording.steps.size(); ++i) {
    std::ranges::copy_if(NamesOf(replayed.recording.steps[i].transformation),
                         std::back_inserter(used), is_made);
  }
  if (used.empty()) return {};
  const Module& before = replayed.Before(position).module;
  const Module& after = replayed.Before(position + 1).module;
  const Renaming renaming(replayed, position);
  bool label_is_left = false, other_is_left = false;
  for (const Name& name : used) {
    if (!renaming.Find(name)) (IsLabel(after, name) ? label_is_left : other_is_left) = true;
  }
  std::vector<Name> labels, others;  // of the message
  for (const Name& name : NamesOf(step.transformation)) {
    if (before.Find(name) == Inst::kNone) continue;
    (IsLabel(before, name) ? labels : others).push_back(name);
  }
  if ((label_is_left && labels.empty()) || (other_is_left && others.empty())) return {};
  const size_t count =
      std::max({size_t{1}, label_is_left ? labels.size() : 0, other_is_left ? others.size() : 0});
  std::vector<message::Recording> recordings;
  for (size_t at = 0; at < count; ++at) {
    message::Recording recording = replayed.recording;
    recording.steps.erase(recording.steps.begin() + static_cast<ptrdiff_t>(position));
    NameReplacer replacer([&](const Name& name) {
      if (const std::optional<Name> renamed = renaming.Find(name)) return *renamed;
      if (!is_made(name)) return name;
      const std::vector<Name>& names = IsLabel(after, name) ? labels : others;
      return names[std::min(at, names.size() - 1)];
    });
    for (size_t i = position; i < recording.steps.size(); ++i) {
      AnyMessage& message = recording.steps[i].transformation;
      message = message::RewriteFields(message, replacer);
    }
    recordings.push_back(std::move(recording));
  }
  return recordings;
}

}  // namespace shrink
}  // namespace refract
