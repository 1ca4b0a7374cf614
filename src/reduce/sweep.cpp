// SPDX-License-Identifier: Apache-2.0
#include "reduce/sweep.h"

#include <utility>

#include "reduce/strategy.h"

namespace refract {
inline namespace reduce {
namespace {

class SweepOnly : public Strategy {
 public:
  explicit SweepOnly(Subset all) : Strategy(std::move(all)), sweep_(best_.size()) {
    done_ = !sweep_.Next(best_, &next_);
  }
  std::unique_ptr<Strategy> Clone() const override { return std::make_unique<SweepOnly>(*this); }
  void Answer(bool interesting, const Subset& applied) override {
    sweep_.Answer(interesting, applied, &best_);
    done_ = !sweep_.Next(best_, &next_);
  }
  uint32_t ChancePercent() const override { return 5; }

 private:
  Sweep sweep_;
};

}  // namespace

bool Sweep::Next(const Subset& best, Subset* next) {
  if (tried_ >= best.size()) return false;
  if (at_ == 0 || at_ > best.size()) at_ = best.size();
  *next = WithoutRange(best, at_ - 1, at_);
  return true;
}

void Sweep::Answer(bool interesting, const Subset& applied, Subset* best) {
  --at_;
  ++tried_;
  if (!interesting) return;
  *best = applied;
  tried_ = 0;
}

std::unique_ptr<Strategy> MakeSweep(Subset all) {
  return std::make_unique<SweepOnly>(std::move(all));
}

}  // namespace reduce
}  // namespace refract
