// SPDX-License-Identifier: Apache-2.0
#include "engine/audit.h"

#include <algorithm>

#include "base/text.h"
#include "ir/purity.h"

namespace refract {
inline namespace engine {
namespace {

bool Exists(const Module& module, Id id) {
  const Inst definition = module.Definition(id);
  return definition != Inst::kNone && !module[definition].removed;
}

ValuePath PathOf(const Part& part) {
  return {part.value, std::vector<uint32_t>(part.index, part.index + part.depth)};
}

// Both parts of a pair of synonyms list the pair. It is reported once, from the lesser part.
bool IsFirst(const Part& a, const Part& b) {
  if (a.value != b.value) return Index(a.value) < Index(b.value);
  return std::lexicographical_compare(a.index, a.index + a.depth, b.index, b.index + b.depth);
}

}  // namespace

Audit AuditOf(const Context& context, bool as_given) {
  Audit audit;
  const Module& module = context.module;
  const Facts& facts = context.facts;
  for (size_t i = 1; i < module.id_slots(); ++i) {
    const Id id = static_cast<Id>(i);
    if (!Exists(module, id)) continue;
    if (facts.Dead(id) != nullptr || (as_given && facts.NeverRuns(id) != nullptr)) {
      audit.dead_blocks.push_back(id);
    }
    if (facts.Irrelevant(id) != nullptr) audit.irrelevant_values.push_back(id);
    if (facts.IrrelevantPointee(id) != nullptr) audit.irrelevant_pointees.push_back(id);
    if (as_given && facts.Uniform(id) != nullptr) audit.uniform.push_back(id);
    if (!facts.MayHaveSynonyms(id)) continue;
    facts.ForEachEquality(id, [&](const Part& from, const Part& to, const Steps&) {
      if (!IsFirst(from, to) || !Exists(module, to.value)) return;
      audit.equal.emplace_back(PathOf(from), PathOf(to));
    });
  }
  return audit;
}

std::vector<Function> LiveSafeFunctions(const Context& context) {
  std::vector<Function> functions;
  const Module& module = context.module;
  for (size_t i = 1; i < module.function_slots(); ++i) {
    const Function function = static_cast<Function>(i);
    const Inst definition = module[function].definition;
    if (definition == Inst::kNone || module[definition].removed) continue;
    if (module[function].first == Block::kNone) continue;
    if (context.facts.LiveSafe(module.FunctionId(function)) != nullptr) {
      functions.push_back(function);
    }
  }
  return functions;
}

bool HadLiveSafeFunctions(const Context& context) {
  for (size_t i = 1; i < context.module.id_slots(); ++i) {
    if (context.facts.LiveSafe(static_cast<Id>(i)) != nullptr) return true;
  }
  return false;
}

std::optional<std::string> EqualAcrossFunctions(const Context& context) {
  const Module& module = context.module;
  const auto function_of = [&](Id id) { return module.FunctionOf(module.Definition(id)); };
  std::optional<std::string> found;
  for (size_t i = 1; i < module.id_slots() && !found; ++i) {
    const Id id = static_cast<Id>(i);
    if (!context.facts.MayHaveSynonyms(id) || !Exists(module, id)) continue;
    const Function function = function_of(id);
    if (function == Function::kNone) continue;
    context.facts.ForEachEquality(id, [&](const Part&, const Part& to, const Steps&) {
      if (!Exists(module, to.value)) return;
      const Function other = function_of(to.value);
      if (other == function || other == Function::kNone) return;
      found = format("%{} and %{} are recorded as equal but belong to different functions",
                     module.FileId(id), module.FileId(to.value));
    });
  }
  return found;
}

std::optional<std::string> FindBrokenPromise(const Module& original, const Module& module) {
  if (!module.has_promises()) return std::nullopt;
  Purity purity(module), before(original);
  std::optional<std::string> found;
  ForEachFunction(module, [&](Function function) {
    const Inst definition = module[function].definition;
    const uint32_t promised = module.Word(definition, 0) & kPromises;
    uint32_t untrue = promised == 0 ? 0 : promised & ~purity.Proven(function);
    if (untrue == 0 || found) return;
    const Function old = original.FunctionOfId(original.FindId(module.NameOf(definition)));
    if (old != Function::kNone) {
      untrue &= ~(original.Word(original[old].definition, 0) & ~before.Proven(old));
    }
    if (untrue == 0) return;
    found = format(
        "function %{} has the function control {}, but this property of the function is not proven",
        module.FileId(module.FunctionId(function)), (untrue & kConst) != 0 ? "Const" : "Pure");
  });
  return found;
}

}  // namespace engine
}  // namespace refract
