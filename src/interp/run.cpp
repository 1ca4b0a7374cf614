// SPDX-License-Identifier: Apache-2.0
// Runs the batches of a frame or dispatch one after the other, and collects their outputs.
#include <algorithm>
#include <future>

#include "base/text.h"
#include "interp/frame_targets.h"
#include "interp/images.h"
#include "interp/interpreter.h"
#include "interp/linked.h"
#include "interp/machine.h"
#include "interp/memory.h"
#include "interp/ops/ops_image.h"
#include "interp/ops/ops_memory.h"

namespace refract {
inline namespace interp {
namespace {

constexpr uint32_t kFragmentLanes = 256;
constexpr uint32_t kSquare = 8;  // a batch of fragments is a square of this many quads on each side

class Runner {
 public:
  Runner(const Program::Code& tested, const RunOptions& options)
      : tested_(tested),
        code_(tested.linked && tested.is_vertex ? *tested.other : tested),
        options_(options),
        shared_(code_, true),
        images_(code_),
        width_(code_.bindings.width),
        height_(code_.bindings.height) {}
  RunReport Take();

 private:
  uint32_t Lanes() const;
  std::vector<uint32_t> Units() const;
  std::vector<uint32_t> InOrder(std::vector<uint32_t> units) const;
  void RunUnits(Machine& machine, std::vector<uint32_t> units);
  void RunDraw(Machine& machine, LinkedDraw& draw);
  Trap MemoryTrap() const;
  void TakeTrap(Machine& machine);
  void Describe(Machine& machine);
  Machine::Batch QuadBatch(const std::vector<uint32_t>& units, size_t first, uint32_t lanes) const;
  Machine::Batch GroupBatch(uint32_t group, uint32_t lanes) const;
  bool OthersSeeEffects() const;
  void ReadBuffers();

  const Program::Code& tested_;  // the program that the report describes
  const Program::Code& code_;    // the program that runs for pixels or a dispatch
  const RunOptions& options_;
  SharedMemory shared_;
  ImageMemory images_;
  uint32_t width_, height_;
  RunReport report_;
  std::optional<FrameTargets> targets_;  // not of a dispatch
};

// The number of invocations of a batch; 0 if a workgroup is too large.
uint32_t Runner::Lanes() const {
  if (code_.is_compute) {
    const uint64_t size = uint64_t{code_.group[0]} * code_.group[1] * code_.group[2];
    return size > kMaxLanes ? 0 : static_cast<uint32_t>((size + 3) / 4 * 4);
  }
  uint64_t lanes = kFragmentLanes;
  if (!options_.sample.empty()) {
    lanes =
        std::min<uint64_t>(lanes, 4 * options_.sample.size() * InvocationsOfPixel(code_.bindings));
  }
  // Smaller batches if each invocation needs much memory.
  while (lanes > 4 && lanes * code_.rows * 8 > options_.limits.memory) lanes = lanes / 8 * 4;
  return static_cast<uint32_t>(lanes);
}

std::vector<uint32_t> Runner::Units() const {
  std::vector<uint32_t> units = options_.sample;
  const uint32_t columns = (width_ + 1) / 2;
  if (units.empty()) {
    uint64_t count = uint64_t{columns} * ((height_ + 1) / 2);
    if (code_.is_compute) {
      const uint32_t* groups = code_.bindings.groups;
      count = uint64_t{groups[0]} * groups[1] * groups[2];
    }
    units.resize(std::min<uint64_t>(count, uint64_t{1} << 26));
    for (uint32_t i = 0; i < units.size(); ++i) units[i] = i;
  }
  if (code_.is_compute) return units;
  // In squares, because neighbouring invocations mostly take the same path.
  const auto square = [&](uint32_t quad) {
    return std::pair(quad / columns / kSquare, quad % columns / kSquare);
  };
  std::stable_sort(units.begin(), units.end(),
                   [&](uint32_t a, uint32_t b) { return square(a) < square(b); });
  // A unit is then a quad of invocations for one sample of each pixel.
  std::vector<uint32_t> split;
  const uint32_t each = InvocationsOfPixel(code_.bindings);
  if (each == 1) return units;
  for (const uint32_t quad : units) {
    for (uint32_t sample = 0; sample < each; ++sample) split.push_back(quad * each + sample);
  }
  return split;
}

RunReport Runner::Take() {
  if (!code_.is_compute) targets_.emplace(code_, options_, &report_);
  const uint32_t lanes = Lanes();
  uint64_t memory = uint64_t{lanes} * code_.rows * 8;
  if (code_.linked) memory += LinkedDraw::Memory(tested_.is_vertex ? tested_ : *tested_.other);
  if (lanes == 0 || memory > options_.limits.memory) {
    Trap& trap = report_.trap.emplace(MemoryTrap());
    if (lanes == 0) trap.message = format("the workgroup has more than {} invocations", kMaxLanes);
    if (targets_) targets_->Finish(true);
    ReadBuffers();
    return std::move(report_);
  }
  bool vertices_are_approximate = false;
  Machine machine(code_, lanes, options_);
  machine.SetConstants();
  machine.set_shared(&shared_);
  machine.set_images(&images_);
  machine.set_steps_left(options_.limits.steps);
  if (code_.linked) {
    const bool is_vertex = tested_.is_vertex;
    LinkedDraw draw(is_vertex ? tested_ : *tested_.other, code_, options_);
    RunDraw(machine, draw);
    TakeTrap(machine);
    TakeTrap(draw.machine());
    Describe(is_vertex ? draw.machine() : machine);
    report_.steps = machine.steps() + draw.machine().steps();
    vertices_are_approximate = draw.machine().approximate_control();
  } else {
    RunUnits(machine, InOrder(Units()));
    report_.trap = std::move(machine.trap());
    Describe(machine);
    report_.steps = machine.steps();
  }
  report_.approximate_control |= machine.approximate_control() || vertices_are_approximate;
  // Then a pixel may depend on invocations that did something else, or that did not run.
  const bool part = !options_.sample.empty() || report_.approximate_control;
  if (targets_) targets_->Finish(vertices_are_approximate || (part && OthersSeeEffects()));
  ReadBuffers();
  return std::move(report_);
}

std::vector<uint32_t> Runner::InOrder(std::vector<uint32_t> units) const {
  if (options_.schedule.order == Schedule::Order::kBackward) {
    std::reverse(units.begin(), units.end());
  } else if (options_.schedule.order == Schedule::Order::kShuffled) {
    Random random(Mix(options_.schedule.seed, 1));
    for (size_t i = units.size(); i > 1; --i) std::swap(units[i - 1], units[random.Below(i)]);
  }
  return units;
}

// The parts of the report that describe only the program under test.
void Runner::Describe(Machine& machine) {
  for (size_t i = 0; options_.trace && i < tested_.labels.size(); ++i) {
    report_.blocks.push_back({tested_.labels[i], machine.block_counts()[i]});
  }
  for (size_t i = 0; i < tested_.uniform_values.size(); ++i) {
    if (machine.uniform_values().states[i] == Machine::UniformValues::kSame) {
      report_.uniform.push_back(tested_.uniform_values[i]);
    }
  }
}

// Takes the first trap of a draw. If it is in the companion, the message names the stage and the
// invocation, because the reader of the report does not have that module.
void Runner::TakeTrap(Machine& machine) {
  if (report_.trap || !machine.trap()) return;
  report_.trap = std::move(machine.trap());
  if (&machine.code() == &tested_) return;
  Trap& trap = *report_.trap;
  trap.message = format("in the companion, a {} shader, invocation ({}, {}, {}): {}",
                        machine.code().is_vertex ? "vertex" : "fragment", trap.invocation[0],
                        trap.invocation[1], trap.invocation[2], trap.message);
  trap.instruction = Inst::kNone;
  trap.function = Function::kNone;
}

Trap Runner::MemoryTrap() const {
  Trap trap;
  trap.kind = Trap::Kind::kLimit;
  trap.message = format("the run needs more than {} bytes of memory", options_.limits.memory);
  return trap;
}

void Runner::RunDraw(Machine& machine, LinkedDraw& draw) {
  std::optional<Trap> trap = draw.Begin(targets_->early_depths());
  if (draw.machine().stopped()) return;
  if (trap) {
    report_.trap = std::move(trap);
    return;
  }
  const uint64_t spent = draw.machine().steps();
  machine.set_steps_left(options_.limits.steps - std::min(options_.limits.steps, spent));
  const size_t step = machine.lanes() / 4;
  std::vector<uint32_t> firsts;
  for (size_t first = 0; first < draw.quads(); first += step) {
    firsts.push_back(static_cast<uint32_t>(first));
  }
  for (const uint32_t first : InOrder(std::move(firsts))) {
    const Machine::Batch batch = draw.BatchOf(first, machine.lanes());
    shared_.BeginBatch(machine);
    machine.RunBatch(batch);
    if (machine.stopped()) return;
    targets_->Take(
        machine, batch,
        code_.bindings.depth ? draw.DepthsOf(first, machine.lanes()) : std::vector<FloatValue>());
  }
  if (!targets_->DrawKept()) {
    report_.trap = MemoryTrap();
    return;
  }
  for (const uint32_t sample : draw.UncertainSamples(targets_->CoveredBy())) {
    report_.open_coverage = true;
    targets_->MarkOpen(sample);
  }
}

void Runner::RunUnits(Machine& machine, std::vector<uint32_t> units) {
  if (targets_ && targets_->DrawsNothing()) return;
  const size_t step = code_.is_compute ? 1 : machine.lanes() / 4;
  for (size_t i = 0; i < units.size() && !machine.stopped(); i += step) {
    const Machine::Batch batch = code_.is_compute ? GroupBatch(units[i], machine.lanes())
                                                  : QuadBatch(units, i, machine.lanes());
    shared_.BeginBatch(machine);
    machine.RunBatch(batch);
    if (targets_ && !machine.stopped()) targets_->Take(machine, batch, {});
  }
}

Machine::Batch Runner::QuadBatch(const std::vector<uint32_t>& units, size_t first,
                                 uint32_t lanes) const {
  Machine::Batch batch(lanes);
  const Bindings& bindings = code_.bindings;
  const uint32_t columns = (width_ + 1) / 2, each = InvocationsOfPixel(code_.bindings);
  if (bindings.samples > 1) {
    batch.sample.resize(lanes);
    batch.covered.resize(lanes);
  }
  for (uint32_t lane = 0; lane < lanes && first + lane / 4 < units.size(); ++lane) {
    const uint32_t quad = units[first + lane / 4] / each, sample = units[first + lane / 4] % each;
    batch.x[lane] = quad % columns * 2 + lane % 2;
    batch.y[lane] = quad / columns * 2 + lane % 4 / 2;
    batch.present.Add(lane);
    if (batch.x[lane] >= width_ || batch.y[lane] >= height_) batch.helper.Add(lane);
    batch.number[lane] = (4 * quad + lane % 4) * each + sample;
    if (bindings.samples == 1) continue;
    batch.sample[lane] = sample;
    batch.covered[lane] = bindings.per_sample ? 1u << sample : (1u << bindings.samples) - 1;
  }
  return batch;
}

Machine::Batch Runner::GroupBatch(uint32_t group, uint32_t lanes) const {
  Machine::Batch batch(lanes);
  const uint32_t* groups = code_.bindings.groups;
  const uint32_t* size = code_.group;
  batch.workgroup[0] = group % groups[0];
  batch.workgroup[1] = group / groups[0] % groups[1];
  batch.workgroup[2] = group / groups[0] / groups[1];
  const uint32_t invocations = size[0] * size[1] * size[2];
  for (uint32_t lane = 0; lane < invocations; ++lane) {
    batch.x[lane] = batch.workgroup[0] * size[0] + lane % size[0];
    batch.y[lane] = batch.workgroup[1] * size[1] + lane / size[0] % size[1];
    batch.z[lane] = batch.workgroup[2] * size[2] + lane / size[0] / size[1];
    batch.present.Add(lane);
    batch.number[lane] = group * lanes + lane;
  }
  return batch;
}

// Whether invocations of another quad can see what an invocation does.
bool Runner::OthersSeeEffects() const {
  return code_.has_subgroups || std::any_of(code_.ops.begin(), code_.ops.end(), [](const Op& op) {
           return op.run == StoreShared || op.run == RunAtomic || op.run == WriteTexel;
         });
}

void Runner::ReadBuffers() {
  for (uint32_t i = 0; i < code_.objects.size(); ++i) shared_.SettleAddresses(i);
  for (const BoundBuffer& bound : code_.bindings.buffers) {
    if (!bound.storage) continue;
    BoundBuffer buffer = bound;
    std::string shadows;
    for (uint32_t i = 0; i < code_.objects.size(); ++i) {
      const ObjectCode& object = code_.objects[i];
      if (object.kind != ObjectCode::Kind::kStorage || !SamePlace(object, bound)) continue;
      buffer.bytes = shared_.bytes(i);
      shadows = shared_.shadows(i);
    }
    report_.outputs.buffers.push_back(std::move(buffer));
    report_.buffer_shadows.push_back(std::move(shadows));
  }
  for (uint32_t i = 0; i < code_.bindings.addressed.size() && code_.has_addresses; ++i) {
    report_.outputs.buffers.push_back({kAddressedSet, i, true, shared_.bytes(i + 1)});
    report_.buffer_shadows.push_back(shared_.shadows(i + 1));
  }
  images_.ReadBack(&report_);
}

bool AllAre(const std::string& shadows, uint32_t forbidden) {
  return std::none_of(shadows.begin(), shadows.end(),
                      [&](char shadow) { return (static_cast<uint8_t>(shadow) & forbidden) != 0; });
}

bool None(const RunReport& report, uint32_t forbidden) {
  for (const auto* list : {&report.target_shadows, &report.buffer_shadows, &report.image_shadows}) {
    for (const std::string& shadows : *list) {
      if (!AllAre(shadows, forbidden)) return false;
    }
  }
  return true;
}

}  // namespace

bool RunReport::OutputsDefined() const {
  return None(*this, kUndefinedBit);
}

bool RunReport::Exact() const {
  return !trap && !approximate_control && !open_coverage && !near_boundary &&
         None(*this, kShadowMask);
}

namespace {

// Adds the results of one part of a frame, rows of quads from `first` to `end`, to the report.
void Join(const RunReport& part, uint32_t first, uint32_t end, RunReport* all) {
  for (size_t i = 0; i < part.outputs.targets.size(); ++i) {
    const ColourTarget& from = part.outputs.targets[i];
    const size_t begin = size_t{2} * first * from.width;
    const size_t pixels = size_t{std::min(2 * end, from.height) - 2 * first} * from.width;
    const size_t size = TexelSize(from.format);
    std::copy_n(from.texels.data() + begin * size, pixels * size,
                all->outputs.targets[i].texels.data() + begin * size);
    std::copy_n(part.target_shadows[i].data() + 4 * begin, 4 * pixels,
                all->target_shadows[i].data() + 4 * begin);
    if (part.target_bounds[i].empty()) continue;
    std::copy_n(part.target_bounds[i].lowest.data() + 4 * begin, 4 * pixels,
                all->target_bounds[i].lowest.data() + 4 * begin);
    std::copy_n(part.target_bounds[i].highest.data() + 4 * begin, 4 * pixels,
                all->target_bounds[i].highest.data() + 4 * begin);
  }
  // A trap of the module is more useful than one of the time limit.
  const bool more = part.trap && all->trap && all->trap->out_of_time && !part.trap->out_of_time;
  if (!all->trap || more) all->trap = part.trap;
  all->approximate_control = all->approximate_control || part.approximate_control;
  all->near_boundary = all->near_boundary || part.near_boundary;
  all->steps += part.steps;
  for (size_t i = 0; i < part.blocks.size(); ++i) {
    all->blocks[i].invocations += part.blocks[i].invocations;
  }
}

RunReport RunInParts(const Program& program, const RunOptions& options) {
  const Bindings& bindings = program.code().bindings;
  const uint32_t columns = (bindings.width + 1) / 2, rows = (bindings.height + 1) / 2;
  const uint32_t squares = (rows + kSquare - 1) / kSquare;
  const uint32_t parts = std::min(options.threads, squares);
  const auto first_row = [&](uint32_t part) {
    return std::min(rows, static_cast<uint32_t>(uint64_t{squares} * part / parts) * kSquare);
  };
  std::vector<std::future<RunReport>> reports;
  for (uint32_t part = 0; part < parts; ++part) {
    RunOptions own = options;
    own.threads = 1;
    for (uint32_t quad = first_row(part) * columns; quad < first_row(part + 1) * columns; ++quad) {
      own.sample.push_back(quad);
    }
    reports.push_back(std::async(std::launch::async, [&program, own = std::move(own)] {
      return Runner(program.code(), own).Take();
    }));
  }
  RunReport all = reports[0].get();
  for (uint32_t part = 1; part < parts; ++part) {
    Join(reports[part].get(), first_row(part), first_row(part + 1), &all);
  }
  if (!all.trap && all.steps > options.limits.steps) {
    all.trap.emplace();
    all.trap->kind = Trap::Kind::kLimit;
    all.trap->message = format("the run took more than {} steps", options.limits.steps);
  }
  return all;
}

}  // namespace

RunReport Run(const Program& program, const RunOptions& options) {
  const Program::Code& code = program.code();
  const bool splits = options.threads > 1 && options.sample.empty() && !code.is_compute &&
                      !code.linked && options.perturb == 0 && code.randomise == 0 &&
                      code.uniform_values.empty() && code.compared_descriptors == 0 &&
                      !program.DependsOnSchedule();
  return splits ? RunInParts(program, options) : Runner(code, options).Take();
}

}  // namespace interp
}  // namespace refract
