// SPDX-License-Identifier: Apache-2.0
// A second implementation of the rules of structured control flow, for tests. It follows the
// definitions (SPIR-V 1.6 revision 2, 2.2.5 and 2.11) literally on small graphs, by removing blocks
// and walking, with sets of blocks. It uses nothing of src/.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "unit/shared/cfg_text.h"

namespace refract::test {

class SlowRules {
 public:
  using Set = std::set<int>;

  explicit SlowRules(const std::map<int, CfgBlock>& blocks) : blocks_(blocks) {
    reached_ = From(0, -1);
    FindConstructs();
  }

  /// The rules that the graph breaks, except those about the form of blocks.
  std::set<std::string> Broken() {
    Declarations();
    Loops();
    for (int a : reached_) {
      Nesting(a);
      for (int b : Labels(a)) Edge(a, b);
      Selection(a);
      if (blocks_.at(a).kind == 'W') Switch(a);
    }
    return broken_;
  }

 private:
  struct Construct {
    char kind = ' ';  // S, W, L, K (continue), C (case)
    int head = -1, header = -1;
    Set blocks;
  };

  const CfgBlock& At(int b) const { return blocks_.at(b); }
  Set Labels(int b) const { return Set(At(b).targets.begin(), At(b).targets.end()); }
  bool IsHeader(int b) const { return At(b).kind != ' '; }

  // The blocks that structured control-flow paths from `from` reach without passing `without`.
  Set From(int from, int without) const {
    Set seen;
    std::vector<int> work{from};
    while (!work.empty()) {
      const int b = work.back();
      work.pop_back();
      if (b == without || !seen.insert(b).second) continue;
      for (int next : At(b).structural()) work.push_back(next);
    }
    return seen;
  }
  bool Dominates(int a, int b) const {
    return reached_.count(a) != 0 && reached_.count(b) != 0 && From(0, a).count(b) == 0;
  }
  bool PostDominates(int a, int b) const {
    if (a == b) return true;
    for (int c : From(b, a)) {
      if (At(c).targets.empty()) return false;
    }
    return true;
  }
  Set Dominated(int a) const {
    Set set;
    for (int b : reached_) {
      if (Dominates(a, b)) set.insert(b);
    }
    return set;
  }
  static Set Without(Set set, const Set& other) {
    for (int b : other) set.erase(b);
    return set;
  }
  // The block with a back edge to `header`: any of them, if there are several; -1 if none.
  int Latch(int header) const {
    for (int b : reached_) {
      if (Labels(b).count(header) != 0 && Dominates(header, b)) return b;
    }
    return -1;
  }

  void FindConstructs() {
    for (int h : reached_) {
      const CfgBlock& at = At(h);
      if (at.kind == ' ') continue;
      Set own = Without(Dominated(h), Dominated(at.merge));
      if (at.kind == 'L') {
        Set loop;
        for (int b : Dominated(at.continue_target)) {
          if (Latch(h) >= 0 && PostDominates(Latch(h), b)) loop.insert(b);
        }
        constructs_.push_back({'K', at.continue_target, h, loop});
        own = Without(own, loop);
      }
      constructs_.push_back({at.kind, h, h, own});
      if (at.kind != 'W') continue;
      for (int t : Labels(h)) {
        if (t == at.merge) continue;
        constructs_.push_back({'C', t, h, Without(Dominated(t), Dominated(at.merge))});
      }
    }
  }

  // The smallest construct of these kinds that contains `b`; null if there is none.
  const Construct* Innermost(int b, const std::string& kinds) const {
    const Construct* best = nullptr;
    for (const Construct& c : constructs_) {
      if (c.blocks.count(b) == 0 || kinds.find(c.kind) == std::string::npos) continue;
      if (best == nullptr || c.blocks.size() < best->blocks.size()) best = &c;
    }
    return best;
  }

  void Break(const char* rule) { broken_.insert(rule); }

  void Declarations() {
    Set merges;
    for (const auto& [h, at] : blocks_) {
      if (!IsHeader(h)) continue;
      if (!merges.insert(at.merge).second) Break("merge_block_declared_once");
      if (at.merge == h) Break("header_dominates_merge_block");
      if (at.merge == at.continue_target) Break("merge_block_is_not_continue_target");
      if (reached_.count(h) == 0) continue;
      if (!Dominates(h, at.merge)) Break("header_dominates_merge_block");
    }
  }

  void Loops() {
    std::map<int, int> back_edges;
    for (int b : reached_) {
      for (int to : At(b).targets) {
        if (!Dominates(to, b)) continue;
        ++back_edges[to];
        if (At(to).kind != 'L') Break("back_edge_to_loop_header");
      }
    }
    for (int h : reached_) {
      if (At(h).kind != 'L') continue;
      const int target = At(h).continue_target, latch = Latch(h);
      if (back_edges[h] != 1) Break("one_back_edge_for_each_loop");
      if (!Dominates(h, target)) Break("loop_header_dominates_continue_target");
      if (latch < 0) continue;
      if (!Dominates(target, latch)) Break("continue_target_dominates_back_edge");
      if (!PostDominates(latch, target)) Break("back_edge_post_dominates_continue_target");
    }
    // Every cycle must have a back edge.
    for (int b : reached_) {
      Set seen;
      std::vector<int> work{b};
      bool first = true;
      while (!work.empty()) {
        const int at = work.back();
        work.pop_back();
        if (!first && at == b) Break("no_other_cycle");
        if (!first && !seen.insert(at).second) continue;
        first = false;
        for (int to : At(at).structural()) {
          if (!Dominates(to, at)) work.push_back(to);
        }
      }
    }
  }

  void Nesting(int h) {
    if (!IsHeader(h)) return;
    for (const Construct& c : constructs_) {
      const bool own = c.header == h && c.kind != 'C';
      if (!own && c.blocks.count(h) != 0 && c.blocks.count(At(h).merge) == 0) {
        Break("header_with_its_merge_block");
      }
    }
  }

  enum class Exit { kNone, kAllowed, kFall, kBad, kBadOfContinue };

  Exit ExitOf(int a, int b) const {
    bool leaves = false, loop = false;
    const Construct* around = nullptr;  // the innermost continue construct that the edge leaves
    for (const Construct& c : constructs_) {
      // The edge to the next iteration leaves the continue construct, also in a single-block loop.
      const bool next = c.kind == 'K' && b == c.header;
      if (c.blocks.count(a) == 0 || (c.blocks.count(b) != 0 && !next)) continue;
      leaves = true;
      loop |= c.kind == 'L';
      if (c.kind == 'K' && (around == nullptr || c.blocks.size() < around->blocks.size())) {
        around = &c;
      }
    }
    if (!leaves) return Exit::kNone;
    const Construct* s = Innermost(a, "SWLKC");
    if (s->kind == 'S' && b == At(s->header).merge) return Exit::kAllowed;
    const Construct* w = Innermost(a, "W");
    const Construct* l = Innermost(a, "L");
    if (w != nullptr && b == At(w->header).merge && !loop && around == nullptr) {
      return Exit::kAllowed;
    }
    if (s->kind == 'C' && s->head != b && Labels(s->header).count(b) != 0 &&
        b != At(s->header).merge && IsOnlyExit(a, b, *s)) {
      return Exit::kFall;
    }
    if (around != nullptr &&
        (l == nullptr || l->blocks.count(b) != 0 || around->blocks.size() < l->blocks.size())) {
      const bool latch = a == Latch(around->header);
      return latch && (b == around->header || b == At(around->header).merge) ? Exit::kAllowed
                                                                             : Exit::kBadOfContinue;
    }
    if (l != nullptr && l->blocks.count(b) == 0 &&
        (b == At(l->header).merge || b == At(l->header).continue_target)) {
      return Exit::kAllowed;
    }
    return Exit::kBad;
  }

  bool IsOnlyExit(int a, int b, const Construct& only) const {
    return std::none_of(constructs_.begin(), constructs_.end(), [&](const Construct& c) {
      return &c != &only && c.blocks.count(a) != 0 && c.blocks.count(b) == 0;
    });
  }

  void Edge(int a, int b) {
    const Exit exit = ExitOf(a, b);
    if (exit == Exit::kBad) Break("construct_exit");
    if (exit == Exit::kBadOfContinue) Break("continue_construct_exit");
    for (const Construct& c : constructs_) {
      if (c.blocks.count(b) == 0 || c.blocks.count(a) != 0) continue;
      if (c.head != b) Break("construct_entered_at_header");
      if (c.kind != 'K' || c.head != b || c.header == b || Dominates(b, a)) continue;
      const bool inside = std::any_of(constructs_.begin(), constructs_.end(), [&](const auto& l) {
        return l.kind == 'L' && l.head == c.header && l.blocks.count(a) != 0;
      });
      if (!inside) Break("continue_target_entered_from_loop");
    }
  }

  void Selection(int a) {
    const Set labels = Labels(a);
    if (At(a).kind == 'W' || labels.size() != 2) return;
    if (At(a).kind == 'L') {
      if (labels.count(At(a).merge) == 0 && labels.count(At(a).continue_target) == 0) {
        Break("loop_header_leaves_one_way");
      }
    } else if (At(a).kind == ' ') {
      if (std::none_of(labels.begin(), labels.end(),
                       [&](int b) { return ExitOf(a, b) == Exit::kAllowed; })) {
        Break("selection_has_merge_block");
      }
    }
  }

  void Switch(int h) {
    const std::vector<int>& list = At(h).targets;
    std::map<int, Set> falls, from;
    for (const Construct& c : constructs_) {
      if (c.kind != 'C' || c.header != h) continue;
      if (!Dominates(h, c.head)) {
        Break("switch_dominates_cases");
        continue;
      }
      for (int a : c.blocks) {
        for (int b : Labels(a)) {
          if (b == c.head || b == At(h).merge || Labels(h).count(b) == 0) continue;
          falls[c.head].insert(b);
          from[b].insert(c.head);
        }
      }
    }
    for (const auto& [c, to] : falls) {
      if (to.size() > 1) Break("case_branches_to_one_case");
    }
    for (const auto& [c, of] : from) {
      if (of.size() > 1) Break("case_branched_to_by_one_case");
    }
    const auto begin = list.begin() + 1, end = list.end();
    const bool default_listed = std::find(begin, end, list[0]) != end;
    for (const auto& [c, to] : falls) {
      for (int next : to) {
        Set after{next};
        if (next == list[0] && !default_listed) after = falls[next];
        for (int b : after) {
          const auto first = std::find(begin, end, b);
          auto last = end;
          for (auto i = begin; i != end; ++i) {
            if (*i == c) last = i;
          }
          if (last != end && first != end && last + 1 != first) Break("case_before_its_successor");
        }
      }
    }
    for (auto i = begin; i != end; ++i) {
      if (i + 1 != end && *(i + 1) != *i && std::find(i + 1, end, *i) != end) {
        Break("case_labels_together");
      }
    }
  }

  const std::map<int, CfgBlock>& blocks_;
  Set reached_;
  std::vector<Construct> constructs_;
  std::set<std::string> broken_;
};

}  // namespace refract::test
