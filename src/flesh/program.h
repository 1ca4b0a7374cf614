// SPDX-License-Identifier: Apache-2.0
// Programs that record their way: a control-flow graph made a shader whose invocations are sent
// along planned walks by their inputs (direction.h), compute on the way (payload.h), and leave
// behind what is known beforehand. Whoever runs it and finds something else has found a bug in what
// ran it, with no other driver and no picture to compare with.
//
// A compute shader writes the number of every block it visits, counted from 1, to its own part of a
// storage buffer, and behind the last one the hash of all that it computed. A fragment shader draws
// green if the hash is the one of its walk, else red; ways that end with OpKill leave the pixel
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

enum class Mode : uint8_t {
  kBasic,        ///< carried values lie in memory; invocations share a few walks
  kPhi,          ///< they are SSA values, with a phi for each in every block
  kIndependent,  ///< every invocation has a walk of its own; either way of carrying
  kCount,
};
/// "basic", "phi", "independent".
std::string_view ModeName(Mode mode);

enum class Stage : uint8_t { kCompute, kFragment, kCount };
/// "compute", "fragment".
std::string_view StageName(Stage stage);

struct FleshOptions {
  Mode mode = Mode::kBasic;
  Stage stage = Stage::kCompute;
  uint32_t walks = 3;          ///< different ones, at most; of kIndependent one per invocation
  uint32_t most_visits = 900;  ///< of a walk, about
  uint32_t workgroup = 64;     ///< compute: invocations of a workgroup, 1 to 128
  uint32_t groups = 1;         ///< compute: workgroups in x, 1 to 64
  uint32_t tiles = 4;          ///< fragment: tiles in x and in y, 1 to 16, of 8 by 8 pixels
  Sources sources = kAllSources;
  bool functions = false;  ///< without phis: some constructs are functions of their own
  bool fuel = false;       ///< loops end when a counter is used up: changes the graph (fuel.h)
  PayloadOptions payload;
};

struct Program {
  std::vector<uint32_t> words;  ///< SPIR-V 1.3; block i of the graph is kFirstLabel + i
  Inputs inputs;                ///< with what is expected
  Plan plan;
};

constexpr uint32_t kFirstLabel = 16;      ///< the id of block 0; others follow
constexpr uint32_t kWholeSubgroups = 64;  ///< a multiple of the subgroup sizes that there are
constexpr uint32_t kTilePixels = 8;       ///< width and height of a tile

/// Payload options `barriers` and `subgroups` are of compute shaders; of the latter of workgroups
/// that are a multiple of kWholeSubgroups. An error if no end can be reached from the entry block,
/// or an option is out of its range. `graph` keeps the rules of structured control flow, and the
/// order of its blocks is one for modules. The same for the same graph, options and state of
/// `random`.
Result<Program> Flesh(const cfg::Graph& graph, const FleshOptions& options, Random* random);
/// The same by a plan that is given: one of this graph, or of the program without it but shorter,
/// for as many invocations. All else is drawn as it is without.
Result<Program> Flesh(const cfg::Graph& graph, const FleshOptions& options, const Plan& plan,
                      Random* random);

}  // namespace refract::flesh
