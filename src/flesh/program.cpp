// SPDX-License-Identifier: Apache-2.0
#include "flesh/program.h"

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "flesh/emit.h"
#include "flesh/fuel.h"
#include "flesh/module_words.h"
#include "flesh/prediction.h"

namespace refract::flesh {
namespace {

constexpr uint32_t kMostInvocations = 4096;
constexpr uint32_t kGreen = 0xff00ff00, kClear = 0;  // red in the lowest byte

Status CheckOptions(const FleshOptions& options) {
  const auto within = [](std::string_view what, uint32_t value, uint32_t low, uint32_t high) {
    if (value >= low && value <= high) return Status();
    return Status(
        Error{format("{} {}: must be {} to {}", value, what, low, high), ErrorKind::kUsage});
  };
  Status status = within("walks", options.paths, 1, kMostInvocations);
  if (status) status = within("invocations of a workgroup", options.workgroup, 1, 128);
  if (status) status = within("workgroups", options.groups, 1, 64);
  if (status) status = within("tiles on each side", options.tiles, 1, 16);
  if (status) status = within("operations of a block", options.payload.operations, 0, 32);
  if (status) status = within("counters", options.payload.counters, 0, 3);
  if (status) status = within("carried values", options.payload.values, 0, 3);
  return status;
}

InputValue Words32(std::string name, Binding binding, std::vector<uint64_t> words, uint32_t rows) {
  InputValue value;
  value.name = std::move(name);
  value.binding = binding;
  value.has_binding = true;
  value.scalar = InputValue::kUint;
  value.rows = rows;
  words.resize((words.size() + rows - 1) / rows * rows);
  value.count = static_cast<uint32_t>(words.size() / rows);
  value.words = std::move(words);
  return value;
}

std::vector<uint64_t> Wide(const std::vector<uint32_t>& words) {
  return {words.begin(), words.end()};
}

class Maker {
 public:
  Maker(const cfg::Graph& graph, const FleshOptions& options, const Plan* plan, Random* random)
      : graph_(options.fuel ? AddExits(graph, &facts_.back_edge) : graph),
        options_(options),
        given_(plan),
        random_(*random) {}

  Result<Program> Make() {
    PlanOptions wanted;
    wanted.invocations = invocations();
    wanted.workgroup = compute() ? options_.workgroup : invocations();
    wanted.paths = options_.mode == Mode::kIndependent ? wanted.invocations : options_.paths;
    wanted.most_visits = options_.most_visits;
    const bool meet = compute() && (options_.payload.barriers || options_.payload.subgroups);
    if (meet && random_.Percent(50)) wanted.invocations_per_path = options_.workgroup;
    Random planning = random_.Split();  // a given plan must not change the other random choices
    Result<Plan> plan = given_ != nullptr ? *given_ : MakePlan(graph_, wanted, &planning);
    if (!plan) return plan.error();
    program_.plan = std::move(*plan);
    if (meet) {
      facts_.converged_visits = ConvergedBlocks(graph_, program_.plan, options_.workgroup,
                                                options_.workgroup, Reconvergence::kWorkgroup);
    }
    PayloadOptions payload = options_.payload;
    payload.subgroups = payload.subgroups && options_.workgroup % kWholeSubgroups == 0;
    payload_ = DrawPayload(graph_, facts_, payload, &random_);
    prediction_ = Predict(graph_, payload_, program_.plan.paths);
    const uint32_t walks = static_cast<uint32_t>(program_.plan.paths.size());
    directions_ =
        ChooseDirections(graph_, prediction_, walks, options_.sources, &payload_, &random_);
    ProgramParts parts{graph_, options_, payload_, directions_};
    parts.invocations = invocations();
    parts.trace_stride = std::bit_ceil(prediction_.longest + 1);
    ShapeWorkgroup(parts.workgroup);
    parts.phis =
        options_.mode == Mode::kPhi || (options_.mode == Mode::kIndependent && random_.Percent(50));
    if (options_.functions && !parts.phis) parts.functions = ChooseFunctions(graph_, &random_);
    parts.back_edge = facts_.back_edge;
    parts.kills.resize(graph_.size());
    for (uint32_t block = 0; block < graph_.size() && !compute(); ++block) {
      parts.kills[block] = graph_.Targets(block).empty() && random_.Percent(30);
    }
    // An image without a green tile would test little.
    parts.kills[prediction_.last_block[0]] = false;
    program_.words = Emit(parts);
    GiveInputs();
    if (compute()) {
      ExpectTrace(parts);
    } else {
      ExpectPicture(parts);
    }
    return std::move(program_);
  }

 private:
  bool compute() const { return options_.stage == Stage::kCompute; }
  uint32_t invocations() const {
    return compute() ? options_.workgroup * options_.groups : options_.tiles * options_.tiles;
  }

  void ShapeWorkgroup(uint32_t* sides) {
    sides[0] = options_.workgroup;
    sides[1] = sides[2] = 1;
    if (payload_.subgroups) return;  // x must be a multiple of the subgroup size
    for (uint32_t i = 1; i < 3; ++i) {
      while (sides[0] % 2 == 0 && sides[0] > 8 && random_.Percent(20)) {
        sides[0] /= 2;
        sides[i] *= 2;
      }
    }
  }

  void GiveInputs() {
    Inputs& inputs = program_.inputs;
    std::vector<uint64_t> walks(std::bit_ceil(invocations()));
    std::copy(program_.plan.path_of.begin(), program_.plan.path_of.end(), walks.begin());
    inputs.values.push_back(Words32("walks", kPathsBinding, std::move(walks), 1));
    if (!directions_.buffer.empty()) {
      inputs.values.push_back(
          Words32("directions", kDirectionsBinding, Wide(directions_.buffer), 1));
    }
    if (!directions_.uniform.empty()) {
      std::vector<uint64_t> words(directions_.uniform.size() / 4);
      for (size_t i = 0; i < directions_.uniform.size(); ++i) {
        words[i / 4] |= uint64_t{directions_.uniform[i]} << (8 * (i % 4));
      }
      inputs.values.push_back(Words32("bytes", kBytesBinding, std::move(words), 4));
    }
    inputs.values.push_back(Words32("hidden", kHiddenBinding, Wide(payload_.hidden), 4));
    if (!directions_.push.empty()) {
      InputValue push = Words32("push", kTraceBinding, Wide(directions_.push), 1);
      push.has_binding = false;
      push.push_constant = true;
      inputs.values.push_back(std::move(push));
    }
    for (const SpecialisedDirection& constant : directions_.specialised) {
      inputs.spec_constants.push_back(
          {constant.id, constant.is_bool ? SpecConstant::kBool : SpecConstant::kInteger, false,
           constant.value});
    }
  }

  void ExpectTrace(const ProgramParts& parts) {
    ExpectedBuffer expected;
    expected.binding = kTraceBinding;
    expected.words.resize(size_t{invocations()} * parts.trace_stride);
    for (uint32_t i = 0; i < invocations(); ++i) {
      const uint32_t number = program_.plan.path_of[i];
      const std::vector<uint32_t>& blocks = program_.plan.paths[number].blocks;
      uint32_t* row = &expected.words[size_t{i} * parts.trace_stride];
      for (const uint32_t block : blocks) *row++ = block + 1;
      *row = prediction_.hash_of_path[number];
    }
    InputValue trace;
    trace.name = "trace";
    trace.binding = kTraceBinding;
    trace.has_binding = true;
    trace.buffer_bytes = 4 * expected.words.size();
    Inputs& inputs = program_.inputs;
    inputs.values.insert(inputs.values.begin(), std::move(trace));
    inputs.compute.emplace().groups[0] = options_.groups;
    inputs.expected.emplace().buffers.push_back(std::move(expected));
  }

  void ExpectPicture(const ProgramParts& parts) {
    Inputs& inputs = program_.inputs;
    std::vector<uint64_t> hashes = Wide(prediction_.hash_of_path);
    hashes.resize(std::max<size_t>(directions_.paths, 4));
    inputs.values.push_back(Words32("expected", kExpectedBinding, std::move(hashes), 4));
    inputs.has_framebuffer = true;
    inputs.width = inputs.height = options_.tiles * kTilePixels;
    ExpectedPicture& picture = inputs.expected.emplace().picture.emplace();
    picture.tile = kTilePixels;
    for (const uint32_t path : program_.plan.path_of) {
      picture.colours.push_back(parts.kills[prediction_.last_block[path]] ? kClear : kGreen);
    }
  }

  BlockProperties facts_;
  const cfg::Graph graph_;
  const FleshOptions& options_;
  const Plan* given_;  // null: the plan is drawn
  Random& random_;
  Payload payload_;
  Prediction prediction_;
  Directions directions_;
  Program program_;
};

constexpr std::string_view kModes[] = {"basic", "phi", "independent"};
constexpr std::string_view kStages[] = {"compute", "fragment"};

}  // namespace

std::string_view ModeName(Mode mode) {
  return kModes[static_cast<size_t>(mode)];
}
std::string_view StageName(Stage stage) {
  return kStages[static_cast<size_t>(stage)];
}

Result<Program> Flesh(const cfg::Graph& graph, const FleshOptions& options, Random* random) {
  if (Status fit = CheckOptions(options); !fit) return fit.error();
  return Maker(graph, options, nullptr, random).Make();
}

Result<Program> Flesh(const cfg::Graph& graph, const FleshOptions& options, const Plan& plan,
                      Random* random) {
  if (Status fit = CheckOptions(options); !fit) return fit.error();
  return Maker(graph, options, &plan, random).Make();
}

}  // namespace refract::flesh
