// SPDX-License-Identifier: Apache-2.0
#include "reduce/chunks.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "reduce/sweep.h"

namespace refract {
inline namespace reduce {
namespace {

// Counter-based delta debugging (Zhang et al., "Toward a better understanding of probabilistic
// delta debugging", 2025). The chunk size of each round is the best one for the probability that a
// step matters. That probability grows by the factor 1 / (1 - 1/e) each round. A sweep follows.
class Counter : public Strategy {
 public:
  explicit Counter(Subset all) : Strategy(std::move(all)), end_(best_.size()), sweep_(0) {
    Prepare();
  }
  std::unique_ptr<Strategy> Clone() const override { return std::make_unique<Counter>(*this); }

  void Answer(bool interesting, const Subset& applied) override {
    if (sweeping_) {
      sweep_.Answer(interesting, applied, &best_);
    } else {
      end_ = Begin();
      if (interesting) {
        best_ = applied;
        end_ = std::min(end_, best_.size());
      }
    }
    Prepare();
  }
  uint32_t ChancePercent() const override { return sweeping_ ? 5 : 37; }

 private:
  // A table of -1 / ln(1 - p) for p from 0.01 on, because no decision may use floating-point
  // functions.
  static constexpr size_t kChunks[] = {99, 63, 39, 25, 15, 9, 6, 4, 2};

  size_t Begin() const { return end_ > kChunks[round_] ? end_ - kChunks[round_] : 0; }

  void Prepare() {
    while (!sweeping_ && end_ == 0) {
      ++round_;
      end_ = best_.size();
      if (round_ < std::size(kChunks)) continue;
      sweeping_ = true;
      sweep_ = Sweep(best_.size());
      break;
    }
    if (sweeping_) {
      done_ = !sweep_.Next(best_, &next_);
    } else {
      next_ = WithoutRange(best_, Begin(), end_);
    }
  }

  size_t round_ = 0, end_;
  bool sweeping_ = false;
  Sweep sweep_;
};

}  // namespace

Halving::Halving(Subset all)
    : Strategy(std::move(all)), chunk_(std::max<size_t>(best_.size() / 2, 1)), end_(best_.size()) {
  Prepare();
}

void Halving::Answer(bool interesting, const Subset& applied) {
  end_ = Begin();
  if (interesting) {
    // Steps that were not applied without the chunk come after it.
    best_ = applied;
    end_ = std::min(end_, best_.size());
    smaller_ = true;
  }
  Prepare();
}

void Halving::Prepare() {
  while (end_ == 0) {
    if (best_.empty() || (chunk_ == 1 && !smaller_)) {
      done_ = true;
      return;
    }
    if (!smaller_) chunk_ = std::max<size_t>(chunk_ / 2, 1);
    smaller_ = false;
    end_ = best_.size();
  }
  next_ = WithoutRange(best_, Begin(), end_);
}

std::unique_ptr<Strategy> MakeCounter(Subset all) {
  return std::make_unique<Counter>(std::move(all));
}

}  // namespace reduce
}  // namespace refract
