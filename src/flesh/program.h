// SPDX-License-Identifier: Apache-2.0
// Control-flow programs: shaders made from control-flow graphs that record the paths they take. The
// inputs send each invocation along a planned path (direction.h). The invocation computes values on
// the way (payload.h), and its output is known before it runs. If a run gives another output,
// something miscompiled the program. No other driver or image is needed for comparison.
//
// A compute shader writes the number of every block that it visits, counted from 1, into its own
// row of a storage buffer, followed by the hash of everything that it computed. A fragment shader
// draws green if the hash is that of its path, else red. Paths that end with OpKill leave the pixel
// clear.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "cfg/graph.h"
#include "flesh/direction.h"
#include "flesh/payload.h"
#include "flesh/plan.h"
#include "input/inputs.h"

namespace refract::flesh {

/// How values are carried and how many paths there are.
enum class Mode : uint8_t {
  kBasic,        ///< carried values are in memory; invocations share a few paths
  kPhi,          ///< carried values are SSA values, with a phi for each in every block
  kIndependent,  ///< every invocation has its own path; values are carried in either form
  kCount,
};
/// Returns "basic", "phi" or "independent".
std::string_view ModeName(Mode mode);

enum class Stage : uint8_t { kCompute, kFragment, kCount };
/// Returns "compute" or "fragment".
std::string_view StageName(Stage stage);

struct FleshOptions {
  Mode mode = Mode::kBasic;
  Stage stage = Stage::kCompute;
  uint32_t paths = 3;  ///< the most different paths; with kIndependent one for each invocation
  uint32_t most_visits = 900;  ///< the approximate limit for a path
  uint32_t workgroup = 64;     ///< compute: invocations of a workgroup, 1 to 128
  uint32_t groups = 1;         ///< compute: workgroups in x, 1 to 64
  uint32_t tiles = 4;          ///< fragment: tiles in x and in y, 1 to 16, of 8 by 8 pixels
  DirectionSources sources = kAllSources;
  bool functions = false;  ///< only without phis: some constructs become functions
  bool fuel = false;       ///< loops end when a counter reaches zero: changes the graph (fuel.h)
  PayloadOptions payload;
};

/// A finished control-flow program.
struct Program {
  /// SPIR-V 1.3; the label of block i of the graph is kFirstLabel + i.
  std::vector<uint32_t> words;
  Inputs inputs;  ///< with the expected output
  Plan plan;
};

constexpr uint32_t kFirstLabel = 16;      ///< the id of block 0; the other blocks follow
constexpr uint32_t kWholeSubgroups = 64;  ///< a multiple of all existing subgroup sizes
constexpr uint32_t kTilePixels = 8;       ///< width and height of a tile

/// Makes a control-flow program. `barriers` and `subgroups` of the payload are only for compute
/// shaders; `subgroups` needs a workgroup size that is a multiple of kWholeSubgroups. Fails if no
/// end can be reached from the entry block, or if an option is out of its range. `graph` must keep
/// the rules of structured control flow, and the order of its blocks must be valid in a module. The
/// same graph, options and state of `random` give the same program.
Result<Program> Flesh(const cfg::Graph& graph, const FleshOptions& options, Random* random);
/// Does the same with a given plan: one for this graph, or a shorter form of the plan that would be
/// drawn, for the same number of invocations. Everything else is drawn as without it.
Result<Program> Flesh(const cfg::Graph& graph, const FleshOptions& options, const Plan& plan,
                      Random* random);

}  // namespace refract::flesh
