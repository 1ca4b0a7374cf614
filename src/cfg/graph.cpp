// SPDX-License-Identifier: Apache-2.0
#include "cfg/graph.h"

#include <algorithm>

#include "base/random.h"
#include "base/text.h"

namespace refract::cfg {

void Graph::SetTargets(uint32_t block, std::span<const uint32_t> to) {
  const std::vector<uint32_t> copy(to.begin(), to.end());  // `to` may be a part of `targets`
  blocks[block].first_target = static_cast<uint32_t>(targets.size());
  blocks[block].target_count = static_cast<uint32_t>(copy.size());
  targets.insert(targets.end(), copy.begin(), copy.end());
}

bool operator==(const Graph& a, const Graph& b) {
  if (a.size() != b.size()) return false;
  for (uint32_t i = 0; i < a.size(); ++i) {
    const GraphBlock &x = a.blocks[i], &y = b.blocks[i];
    if (x.merge != y.merge || x.continue_target != y.continue_target ||
        x.is_switch != y.is_switch) {
      return false;
    }
    const auto to = a.Targets(i), other = b.Targets(i);
    if (!std::equal(to.begin(), to.end(), other.begin(), other.end())) return false;
  }
  return true;
}

std::string GraphText(const Graph& graph) {
  std::string text;
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const GraphBlock& block = graph.blocks[i];
    text += format("{}{}", i == 0 ? "" : " ", i);
    if (block.is_switch) text += 'W';
    if (!block.is_switch && block.is_header()) text += block.is_loop() ? 'L' : 'S';
    if (block.is_header()) text += format("[m{}", block.merge);
    if (block.is_loop()) text += format("c{}", block.continue_target);
    text += block.is_header() ? "]>" : ">";
    const char* separator = "";
    for (uint32_t to : graph.Targets(i)) {
      text += format("{}{}", separator, to);
      separator = ",";
    }
    if (block.target_count == 0) text += "ret";
  }
  return text;
}

namespace {

// Reads one line from left to right.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool AtEnd() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ == text_.size();
  }
  bool Take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool Take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  // Reads up to 6 digits, because no graph is larger.
  bool Number(uint32_t* value) {
    const size_t begin = at_;
    *value = 0;
    while (at_ < text_.size() && at_ - begin < 6 && text_[at_] >= '0' && text_[at_] <= '9') {
      *value = *value * 10 + static_cast<uint32_t>(text_[at_++] - '0');
    }
    return at_ != begin;
  }
  Error Expected(const char* what) const {
    return Error{format("graph: column {}: expected {}", at_ + 1, what)};
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

struct Line {
  uint32_t number = 0;
  GraphBlock block;
  std::vector<uint32_t> targets;
};

Result<Line> ReadBlock(Reader& reader) {
  Line line;
  GraphBlock& block = line.block;
  if (!reader.Number(&line.number)) return reader.Expected("a block number");
  const bool loop = reader.Take('L'), selection = !loop && reader.Take('S');
  block.is_switch = !loop && !selection && reader.Take('W');
  if (reader.Take('[')) {
    if (!loop && !selection && !block.is_switch) return reader.Expected("L, S or W before \"[\"");
    if (!reader.Take('m') || !reader.Number(&block.merge)) return reader.Expected("mNUMBER");
    if (loop && (!reader.Take('c') || !reader.Number(&block.continue_target))) {
      return reader.Expected("cNUMBER");
    }
    if (!reader.Take(']')) return reader.Expected("\"]\"");
  } else if (loop || selection) {
    return reader.Expected("\"[\"");
  }
  if (!reader.Take('>')) return reader.Expected("\">\"");
  if (!block.is_switch && reader.Take("ret")) return line;
  do {
    uint32_t to = 0;
    if (!reader.Number(&to)) return reader.Expected("a block number");
    line.targets.push_back(to);
  } while (reader.Take(','));
  return line;
}

}  // namespace

Result<Graph> ReadGraphText(std::string_view text) {
  Reader reader(text);
  std::vector<Line> lines;
  while (!reader.AtEnd()) {
    Result<Line> line = ReadBlock(reader);
    if (!line) return line.error();
    lines.push_back(std::move(*line));
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.number < b.number; });
  Graph graph;
  for (const Line& line : lines) {
    if (line.number != graph.size()) {
      return Error{format("graph: block {} is missing or listed twice", graph.size())};
    }
    graph.blocks.push_back(line.block);
    graph.SetTargets(line.number, line.targets);
  }
  if (lines.empty()) return Error{"graph: no blocks"};
  for (uint32_t i = 0; i < graph.size(); ++i) {
    bool known = true;
    graph.ForEachStructural(i, [&](uint32_t to) { known &= to < graph.size(); });
    if (!known) return Error{format("graph: block {} refers to a block that does not exist", i)};
    if (!graph.blocks[i].is_switch && graph.blocks[i].target_count > 2) {
      return Error{format("graph: block {} has more than two targets but is not a switch", i)};
    }
  }
  return graph;
}

namespace {

// Returns the blocks that can be reached from the entry block. `for_each(block, visit)` visits the
// successors of a block.
template <class ForEach>
std::vector<bool> Reached(const Graph& graph, ForEach for_each) {
  std::vector<bool> reached(graph.size(), false);
  std::vector<uint32_t> work{0};
  reached[0] = true;
  while (!work.empty()) {
    const uint32_t block = work.back();
    work.pop_back();
    for_each(block, [&](uint32_t to) {
      if (!reached[to]) work.push_back(to);
      reached[to] = true;
    });
  }
  return reached;
}

}  // namespace

std::vector<bool> ReachedByBranches(const Graph& graph) {
  return Reached(graph, [&](uint32_t block, auto visit) {
    for (const uint32_t to : graph.Targets(block)) visit(to);
  });
}

std::vector<bool> StructurallyReached(const Graph& graph) {
  return Reached(graph, [&](uint32_t block, auto visit) { graph.ForEachStructural(block, visit); });
}

namespace {

// Returns the graph with its blocks in this order. `number` has the new number of each block.
Graph Renumbered(const Graph& graph, const std::vector<uint32_t>& order,
                 const std::vector<uint32_t>& number) {
  Graph renumbered;
  std::vector<uint32_t> to;
  for (uint32_t block : order) {
    GraphBlock copy = graph.blocks[block];
    if (copy.is_header()) copy.merge = number[copy.merge];
    if (copy.is_loop()) copy.continue_target = number[copy.continue_target];
    to.clear();
    for (uint32_t target : graph.Targets(block)) to.push_back(number[target]);
    renumbered.blocks.push_back(copy);
    renumbered.SetTargets(renumbered.size() - 1, to);
  }
  return renumbered;
}

}  // namespace

Graph Canonical(const Graph& graph) {
  std::vector<uint32_t> order, number(graph.size(), kNoBlock);
  const auto enter = [&](uint32_t block) {
    if (number[block] != kNoBlock) return;
    number[block] = static_cast<uint32_t>(order.size());
    order.push_back(block);
  };
  size_t done = 0;
  for (uint32_t root = 0; root < graph.size(); ++root) {
    enter(root);
    for (; done < order.size(); ++done) graph.ForEachStructural(order[done], enter);
  }
  return Renumbered(graph, order, number);
}

// The order is the reverse postorder of a depth-first walk over branches, followed by the blocks
// that the walk does not reach.
Graph InModuleOrder(const Graph& graph) {
  std::vector<uint32_t> order, number(graph.size(), kNoBlock), next(graph.size(), 0);
  std::vector<bool> seen(graph.size(), false);
  std::vector<uint32_t> path{0};
  seen[0] = true;
  while (!path.empty()) {
    const uint32_t block = path.back();
    if (next[block] == graph.blocks[block].target_count) {
      order.push_back(block);
      path.pop_back();
      continue;
    }
    const uint32_t to = graph.Targets(block)[next[block]++];
    if (seen[to]) continue;
    seen[to] = true;
    path.push_back(to);
  }
  std::reverse(order.begin(), order.end());
  for (uint32_t block = 0; block < graph.size(); ++block) {
    if (!seen[block]) order.push_back(block);
  }
  for (uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
  return Renumbered(graph, order, number);
}

uint64_t CanonicalHash(const Graph& graph) {
  const Graph canonical = Canonical(graph);
  uint64_t hash = canonical.size();
  for (const GraphBlock& block : canonical.blocks) {
    hash = Mix(hash, uint64_t{block.merge} << 32 | block.continue_target);
    hash = Mix(hash, uint64_t{block.is_switch} << 32 | block.target_count);
    for (uint32_t i = 0; i < block.target_count; ++i) {
      hash = Mix(hash, canonical.targets[block.first_target + i]);
    }
  }
  return hash;
}

}  // namespace refract::cfg
