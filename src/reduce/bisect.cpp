// SPDX-License-Identifier: Apache-2.0
#include "reduce/bisect.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "reduce/chunks.h"
#include "reduce/sweep.h"

namespace refract {
inline namespace reduce {
namespace {

// Keeps two sets of steps whose union is interesting: the steps that are known to matter, with all
// steps that they depend on, and a prefix of the recording. Bisection finds the shortest prefix
// that is interesting together with the first set. The last step of that prefix matters and moves
// to the first set. So each step that matters costs log2(n) tries, and usually one more try shows
// that all of them are found. Every tested subset is a prefix of the recording and a few later
// steps, so no step in it lacks a dependency.
class BisectSearch : public Strategy {
 public:
  BisectSearch(Subset all, std::shared_ptr<const DependencyLists> needs)
      : Strategy(std::move(all)), dependencies_(std::move(needs)), rest_(best_), sweep_(0) {
    Prepare();
  }
  std::unique_ptr<Strategy> Clone() const override { return std::make_unique<BisectSearch>(*this); }

  void Answer(bool interesting, const Subset& applied) override {
    switch (phase_) {
      case Phase::kNecessaryOnly:
        AnswerNecessaryOnly(interesting, applied);
        break;
      case Phase::kSearch:
        AnswerSearch(interesting, applied);
        break;
      case Phase::kSweep:
        sweep_.Answer(interesting, applied, &best_);
        break;
    }
    Prepare();
  }

  uint32_t ChancePercent() const override { return phase_ == Phase::kSweep ? 5 : 50; }

 private:
  enum class Phase : uint8_t {
    kNecessaryOnly,  // tests the steps that are known to matter
    kSearch,         // low_ of the other steps are not interesting, high_ are
    kSweep,
  };

  void AnswerNecessaryOnly(bool interesting, const Subset& applied) {
    if (interesting) {
      best_ = applied;
      rest_.clear();
      BeginSweep();
      return;
    }
    phase_ = Phase::kSearch;
    low_ = 0;
    high_ = rest_.size();
  }

  void AnswerSearch(bool interesting, const Subset& applied) {
    const size_t middle = low_ + (high_ - low_) / 2;
    if (!interesting) {
      low_ = middle;
      return;
    }
    const bool whole = applied.size() == next_.size();
    best_ = applied;
    rest_.resize(middle);
    high_ = middle;
    if (whole) return;
    // A step was not applied although its recorded dependencies were. Continue with the applied
    // steps.
    kept_ = Intersection(kept_, applied);
    rest_ = Intersection(rest_, applied);
    phase_ = Phase::kNecessaryOnly;
  }

  // Sets the next subset to ask about. Goes on to the next phase if this one has nothing to ask.
  void Prepare() {
    if (phase_ == Phase::kSearch && high_ - low_ == 1) {
      Keep(rest_[high_ - 1]);
      phase_ = Phase::kNecessaryOnly;
    }
    if (phase_ == Phase::kNecessaryOnly) {
      next_ = kept_;
      if (rest_.empty()) BeginSweep();
    }
    if (phase_ == Phase::kSearch) {
      const size_t middle = low_ + (high_ - low_) / 2;
      next_ = Union(kept_, Prefix(rest_, middle));
    }
    if (phase_ == Phase::kSweep) done_ = !sweep_.Next(best_, &next_);
  }

  void BeginSweep() {
    phase_ = Phase::kSweep;
    sweep_ = Sweep(best_.size());
  }

  // Keeps a step and everything that it depends on, directly or not.
  void Keep(uint32_t step) {
    Subset wanted = {step};
    std::vector<uint32_t> open = {step};
    while (!open.empty()) {
      const uint32_t at = open.back();
      open.pop_back();
      for (const uint32_t need : (*dependencies_)[at]) {
        if (!std::binary_search(best_.begin(), best_.end(), need)) continue;
        const auto place = std::lower_bound(wanted.begin(), wanted.end(), need);
        if (place != wanted.end() && *place == need) continue;
        wanted.insert(place, need);
        open.push_back(need);
      }
    }
    kept_ = Union(kept_, wanted);
    rest_ = Without(rest_, kept_);
  }

  std::shared_ptr<const DependencyLists> dependencies_;
  Phase phase_ = Phase::kNecessaryOnly;
  Subset kept_, rest_;  // disjoint; their union is best_
  size_t low_ = 0, high_ = 0;
  Sweep sweep_;
};

// Bisection. If a step remains only because another step depends on it, Bisect also tries the
// recording without it, because another set of steps may show the same bug with fewer steps. If
// that is interesting, it is reduced too. If many steps remain, the search most likely met one of
// several such sets by chance. Then halving starts again with all steps, and the shorter result is
// taken.
class Bisect : public Strategy {
 public:
  Bisect(Subset all, std::shared_ptr<const DependencyLists> needs)
      : Strategy(all),
        dependencies_(std::move(needs)),
        all_(all),
        search_(all, dependencies_),
        whole_(std::move(all)) {
    Prepare();
  }
  std::unique_ptr<Strategy> Clone() const override { return std::make_unique<Bisect>(*this); }

  void Answer(bool interesting, const Subset& applied) override {
    ++answers_;
    if (halving_) {
      halving_->Answer(interesting, applied);
      if (halving_->best().size() < best_.size()) best_ = halving_->best();
    } else if (reducing_) {
      search_.Answer(interesting, applied);
      if (search_.best().size() < best_.size()) best_ = search_.best();
    } else if (interesting) {
      all_ = applied;
      search_ = BisectSearch(all_, dependencies_);
      reducing_ = true;
      ++searches_;
    }
    Prepare();
  }

  uint32_t ChancePercent() const override {
    return halving_ ? halving_->ChancePercent() : reducing_ ? search_.ChancePercent() : 30;
  }

 private:
  // Measured on variants of three references that had to contain one to three opcodes which the
  // original lacks. In all, one set gives 101 steps in 761 tries, two sets give 93 in 980, three
  // give 93 in 1,074, and halving gives 97 in 1,452.
  static constexpr uint32_t kMaxSearches = 2;
  static constexpr size_t kMaxEnablersTried = 3;
  // Of 569 reductions of planted bugs, two were longer; halving made 1 step of 15, and 19 of 24. If
  // ten steps do matter, which is possible with six as well, halving would only cost tries.
  static constexpr size_t kLong = 12;

  void Prepare() {
    if (halving_) {
      PrepareHalving();
      return;
    }
    PrepareSearch();
    if (!done_ || best_.size() <= kLong) return;
    done_ = false;
    most_answers_ = 2 * answers_;
    halving_.emplace(whole_);
    PrepareHalving();
  }

  // Ends halving if it has taken as many tries as everything before and its result is not shorter.
  void PrepareHalving() {
    const bool is_futile = answers_ >= most_answers_ && halving_->best().size() > best_.size();
    done_ = halving_->Next() == nullptr || is_futile;
    if (!done_) next_ = *halving_->Next();
  }

  void PrepareSearch() {
    if (reducing_ && search_.Next() != nullptr) {
      next_ = *search_.Next();
      return;
    }
    if (reducing_) {
      // Of two results with equally many steps, the first one stays.
      reducing_ = false;
      done_ = searches_ == kMaxSearches;
    }
    const std::optional<uint32_t> without = NextEnabler();
    if (!without || asked_.size() == kMaxEnablersTried) done_ = true;
    if (done_) return;
    asked_.insert(std::upper_bound(asked_.begin(), asked_.end(), *without), *without);
    next_ = Without(all_, {*without});
  }

  // Returns a step of the best subset on which another of its steps depends, if it was not left out
  // before.
  std::optional<uint32_t> NextEnabler() const {
    for (const uint32_t step : best_) {
      for (const uint32_t need : (*dependencies_)[step]) {
        const bool is_left = std::binary_search(best_.begin(), best_.end(), need);
        if (is_left && !std::binary_search(asked_.begin(), asked_.end(), need)) return need;
      }
    }
    return std::nullopt;
  }

  std::shared_ptr<const DependencyLists> dependencies_;
  Subset all_;  // the steps of the current search
  BisectSearch search_;
  bool reducing_ = true;
  uint32_t searches_ = 1;
  Subset asked_;
  size_t answers_ = 0, most_answers_ = 0;
  Subset whole_;  // all steps of the recording
  std::optional<Halving> halving_;
};

}  // namespace

std::unique_ptr<Strategy> MakeBisect(Subset all, std::shared_ptr<const DependencyLists> needs) {
  return std::make_unique<Bisect>(std::move(all), std::move(needs));
}

}  // namespace reduce
}  // namespace refract
