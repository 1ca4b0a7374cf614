// SPDX-License-Identifier: Apache-2.0
#include "shrink/shrink_module.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "ir/binary.h"
#include "ir/validity/validity.h"
#include "shrink/renumber.h"
#include "shrink/search.h"
#include "shrink/try_budget.h"

namespace refract {
inline namespace shrink {
namespace {

std::string BytesOf(std::span<const uint32_t> words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t)};
}

// Checks a module with the validators that accept the source.
class Validity {
 public:
  Validity(const ModuleSource& source, const Module& module) : source_(source) {
    invalid_ = FindInvalid(source.words, source.environment, source.validation);
    is_ours_ = CheckModule(module).has_value();
  }

  Status OfSource() const {
    if (!invalid_ || is_ours_) return {};
    return Error{format("{}: not valid for {}: {}", source_.file, NameOf(source_.environment),
                        OneLine(*invalid_))};
  }
  bool Accepts(const Module& module, std::span<const uint32_t> words) const {
    if (is_ours_ && !CheckModule(module)) return false;
    return invalid_ || !FindInvalid(words, source_.environment, source_.validation);
  }

 private:
  const ModuleSource& source_;
  std::optional<ValidationError> invalid_;
  bool is_ours_ = true;
};

class ModuleShrinker {
 public:
  ModuleShrinker(const ModuleSource& source, const Module& module,
                 const InterestingInSearch& interesting, const ShrinkOptions& options)
      : source_(source),
        validity_(source, module),
        interesting_(interesting),
        use_(options.wrong_output ? PassUse::kWrongOutputs : PassUse::kOtherFailures),
        budget_(options),
        may_be_tested_(options.may_be_tested),
        left_(options.left),
        declarations_(options.declarations),
        keep_ids_(options.keep_ids),
        smallest_(source.words),
        smallest_module_(std::make_shared<const Module>(module)),
        fewest_(CountInstructions(source.words)) {
    budget_.MarkTested(BytesOf(source.words));
    budget_.set_instructions(fewest_);
  }

  Result<ShrunkModule> Run(Module module) {
    if (Status valid = validity_.OfSource(); !valid) return valid.error();
    ModuleSearch search(
        std::move(module), Function::kNone,
        [&](SearchCandidate* candidate) { return MayBeTested(candidate); }, use_);
    search.BeginWith(left_);
    if (declarations_) search.BeginWithDeclarations();
    while (const SearchCandidate* candidate = search.Candidate()) {
      const Answer answer = TryCandidate(*candidate, &search);
      if (answer == Answer::kStop) break;
      search.TakeAnswer(answer == Answer::kYes);
    }
    if (!budget_.is_stopped() && !keep_ids_) Renumber();
    return ShrunkModule{smallest_, smallest_module_, search.left(), budget_.report};
  }

 private:
  bool MayBeTested(SearchCandidate* candidate) {
    candidate->words = WriteModule(candidate->module);
    if (budget_.WasTested(BytesOf(candidate->words))) {
      ++budget_.report.known;
      return false;
    }
    if (validity_.Accepts(candidate->module, candidate->words) &&
        (!may_be_tested_ || may_be_tested_(candidate->words, candidate->module))) {
      return true;
    }
    budget_.MarkTested(BytesOf(candidate->words));
    ++budget_.report.unsound;
    return false;
  }

  Answer TryCandidate(const SearchCandidate& candidate, ModuleSearch* search) {
    if (budget_.is_stopped()) return Answer::kStop;
    std::vector<uint32_t> words = candidate.words;
    // The same candidate may have been prepared twice.
    if (budget_.MarkTested(BytesOf(words))) return Answer::kNo;
    const size_t instructions = CountInstructions(words);
    const Answer answer = budget_.Try(candidate.pass, std::min(instructions, fewest_),
                                      [&] { return interesting_(words, search); });
    // A change may first make a constant plain, and a later one remove what then is unnecessary. So
    // a candidate need not be smaller than the smallest one.
    const bool is_smaller =
        std::pair(instructions, words.size()) <= std::pair(fewest_, smallest_.size());
    if (answer == Answer::kYes && is_smaller) {
      smallest_ = std::move(words);
      smallest_module_ = std::make_shared<const Module>(candidate.module);
      fewest_ = instructions;
    }
    return answer;
  }

  void Renumber() {
    const Result<Module> module = ReadModule(smallest_, source_.file);
    if (!module) return;
    std::vector<uint32_t> words = WriteDense(*module);
    if (budget_.MarkTested(BytesOf(words))) return;
    const Answer answer =
        budget_.Try("renumber ids", fewest_, [&] { return interesting_(words, nullptr); });
    if (answer != Answer::kYes) return;
    smallest_ = std::move(words);
    smallest_module_ = nullptr;
  }

  const ModuleSource& source_;
  const Validity validity_;
  const InterestingInSearch& interesting_;
  const PassUse use_;
  TryBudget budget_;
  const std::function<bool(std::span<const uint32_t>, const Module&)> may_be_tested_;
  const std::vector<size_t> left_;
  const bool declarations_;
  const bool keep_ids_;
  std::vector<uint32_t> smallest_;
  std::shared_ptr<const Module> smallest_module_;
  size_t fewest_;
};

}  // namespace

size_t CountInstructions(std::span<const uint32_t> words) {
  constexpr size_t kHeader = 5;
  size_t count = 0;
  for (size_t at = kHeader; at < words.size(); ++count) {
    const uint32_t length = words[at] >> 16;
    if (length == 0) return 0;
    at += length;
  }
  return count;
}

Result<ShrunkModule> ShrinkModule(const ModuleSource& source, const InterestingModule& interesting,
                                  const ShrinkOptions& options) {
  const InterestingInSearch ask = [&](std::span<const uint32_t> words, ModuleSearch*) {
    return interesting(words);
  };
  return ShrinkModule(source, ask, options);
}

Result<ShrunkModule> ShrinkModule(const ModuleSource& source,
                                  const InterestingInSearch& interesting,
                                  const ShrinkOptions& options) {
  Result<Module> module =
      source.module != nullptr ? *source.module : ReadModule(source.words, source.file);
  if (!module) return module.error();
  ModuleShrinker shrinker(source, *module, interesting, options);
  return shrinker.Run(std::move(*module));
}

}  // namespace shrink
}  // namespace refract
