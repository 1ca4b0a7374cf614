// SPDX-License-Identifier: Apache-2.0
#include "cfg/random_edit.h"

#include <utility>

namespace refract::cfg {
namespace {

class Editor {
 public:
  Editor(Graph* graph, Random* random) : graph_(*graph), random_(*random) {}

  // Tries one random change. Returns false if it does not fit the block.
  bool Try() {
    const uint32_t block = Any();
    GraphBlock& at = graph_.blocks[block];
    const auto to = graph_.Targets(block);
    targets_.assign(to.begin(), to.end());
    switch (random_.Below(9)) {
      case 0:
      case 1:
        if (targets_.empty()) return false;
        targets_[random_.Below(targets_.size())] = Any();
        break;
      case 2:
        if (!at.is_header()) return false;
        at.merge = Any();
        break;
      case 3:
        if (!at.is_loop()) return false;
        at.continue_target = Any();
        break;
      case 4:
        if (!at.is_switch && targets_.size() == 2) return false;
        targets_.insert(
            targets_.begin() + static_cast<ptrdiff_t>(random_.Below(targets_.size() + 1)), Any());
        break;
      case 5:
        if (targets_.size() < (at.is_switch ? 2u : 1u)) return false;
        targets_.erase(targets_.begin() + static_cast<ptrdiff_t>(random_.Below(targets_.size())));
        break;
      case 6:
        if (targets_.size() < 2) return false;
        std::swap(targets_[random_.Below(targets_.size())],
                  targets_[random_.Below(targets_.size())]);
        break;
      case 7:
        return Toggle(at);
      default:
        if (at.is_loop() || targets_.size() != 2) return false;
        at.is_switch = !at.is_switch;
    }
    graph_.SetTargets(block, targets_);
    return true;
  }

 private:
  uint32_t Any() { return static_cast<uint32_t>(random_.Below(graph_.size())); }

  // Adds, removes or replaces a merge instruction.
  bool Toggle(GraphBlock& at) {
    if (at.is_header() && random_.Below(2) == 0) {
      at.merge = at.continue_target = kNoBlock;
      return true;
    }
    if (targets_.empty()) return false;
    if (!at.is_header()) at.merge = Any();
    // A loop header that ends with OpSwitch is not valid, so it is made rarely.
    const bool rare = at.is_switch && random_.Below(4) != 0;
    at.continue_target = at.is_loop() || rare ? kNoBlock : Any();
    return true;
  }

  Graph& graph_;
  Random& random_;
  std::vector<uint32_t> targets_;
};

}  // namespace

void EditOnce(Graph* graph, Random* random) {
  Editor editor(graph, random);
  while (!editor.Try()) {
  }
}

}  // namespace refract::cfg
