// SPDX-License-Identifier: Apache-2.0
// Runs the batches of a frame or dispatch one after the other, and collects their outputs.
#include <algorithm>
#include <cstring>
#include <future>

#include "base/text.h"
#include "interp/images.h"
#include "interp/interpreter.h"
#include "interp/linked.h"
#include "interp/machine.h"
#include "interp/memory.h"
#include "interp/ops/float_columns.h"
#include "interp/ops/ops_image.h"
#include "interp/ops/ops_memory.h"
#include "interp/target_bounds.h"

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
        height_(code_.bindings.height) {
    report_.outputs.targets.reserve(code_.outputs.size());
  }
  RunReport Take();

 private:
  uint32_t Lanes() const;
  std::vector<uint32_t> Units() const;
  std::vector<uint32_t> InOrder(std::vector<uint32_t> units) const;
  void MakeTargets();
  void RunUnits(Machine& machine, std::vector<uint32_t> units);
  void RunDraw(Machine& machine, LinkedDraw& draw);
  void MarkOpen(const LinkedDraw& draw);
  void RaiseShadows(size_t pixel, uint32_t shadow);
  void TakeTrap(Machine& machine);
  void Describe(Machine& machine);
  Machine::Batch QuadBatch(const std::vector<uint32_t>& quads, size_t first, uint32_t lanes) const;
  Machine::Batch GroupBatch(uint32_t group, uint32_t lanes) const;
  void ReadTargets(Machine& machine, const Machine::Batch& batch);
  void ReadPixel(Machine& machine, const OutputCode& output, uint32_t lane, size_t pixel);
  bool IsUncertain(const Machine& machine, uint32_t lane) const;
  bool OthersSeeEffects() const;
  void PutLevel(const FloatValue& value, size_t target, size_t component);
  void ReadBuffers();

  const Program::Code& tested_;  // the program that the report describes
  const Program::Code& code_;    // the program that runs for pixels or a dispatch
  const RunOptions& options_;
  SharedMemory shared_;
  ImageMemory images_;
  uint32_t width_, height_;
  // For a draw: the number + 1 of the triangle that drew to each pixel last.
  std::vector<uint32_t> last_;
  TargetBounds bounds_;
  RunReport report_;
};

// The number of invocations of a batch; 0 if a workgroup is too large.
uint32_t Runner::Lanes() const {
  if (code_.is_compute) {
    const uint64_t size = uint64_t{code_.group[0]} * code_.group[1] * code_.group[2];
    return size > kMaxLanes ? 0 : static_cast<uint32_t>((size + 3) / 4 * 4);
  }
  uint64_t lanes = kFragmentLanes;
  if (!options_.sample.empty()) lanes = std::min<uint64_t>(lanes, 4 * options_.sample.size());
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
  return units;
}

void Runner::MakeTargets() {
  for (const OutputCode& output : code_.outputs) {
    auto& targets = report_.outputs.targets;
    auto place = std::find_if(targets.begin(), targets.end(), [&](const ColourTarget& target) {
      return target.location >= output.location;
    });
    if (place != targets.end() && place->location == output.location) continue;
    ColourTarget target;
    target.location = output.location;
    target.format = IsFloat(output.scalar) ? code_.bindings.float_target
                    : output.is_signed     ? spv::ImageFormat::Rgba32i
                                           : spv::ImageFormat::Rgba32ui;
    target.width = width_;
    target.height = height_;
    target.texels.resize(size_t{width_} * height_ * TexelSize(target.format));
    const auto index = place - targets.begin();
    targets.insert(place, std::move(target));
    report_.target_shadows.insert(report_.target_shadows.begin() + index,
                                  std::string(size_t{width_} * height_ * 4, '\0'));
  }
  for (ColourTarget& target : report_.outputs.targets) {
    uint32_t components = 0;
    for (const OutputCode& output : code_.outputs) {
      if (output.location != target.location) continue;
      components |= ((1u << output.components) - 1) << output.component;
    }
    FillMissing(components, &target);
  }
  // A draw of the whole frame may leave pixels as they are.
  bounds_ = TargetBounds(report_.outputs.targets, code_.linked && options_.sample.empty());
}

RunReport Runner::Take() {
  if (!code_.is_compute) MakeTargets();
  const uint32_t lanes = Lanes();
  uint64_t memory = uint64_t{lanes} * code_.rows * 8;
  if (code_.linked) memory += LinkedDraw::Memory(tested_.is_vertex ? tested_ : *tested_.other);
  if (lanes == 0 || memory > options_.limits.memory) {
    Trap& trap = report_.trap.emplace();
    trap.kind = Trap::Kind::kLimit;
    trap.message =
        lanes == 0 ? format("the workgroup has more than {} invocations", kMaxLanes)
                   : format("the run needs more than {} bytes of memory", options_.limits.memory);
    report_.target_bounds = bounds_.Take(true);
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
  report_.target_bounds = bounds_.Take(vertices_are_approximate || (part && OthersSeeEffects()));
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

// Attachments are written in the order of the triangles, whatever the order of the batches.
void Runner::RunDraw(Machine& machine, LinkedDraw& draw) {
  last_.assign(size_t{width_} * height_, 0);
  std::optional<Trap> trap = draw.Begin();
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
    ReadTargets(machine, batch);
  }
  MarkOpen(draw);
}

void Runner::MarkOpen(const LinkedDraw& draw) {
  for (const uint32_t pixel : draw.UncertainPixels(last_)) {
    report_.open_coverage = true;
    bounds_.MarkUncertain(pixel);
    RaiseShadows(pixel, kApproximateBit);
  }
}

// All components of the pixel are at least as uncertain as `shadow`, kApproximateBit or
// kUndefinedBit.
void Runner::RaiseShadows(size_t pixel, uint32_t shadow) {
  for (std::string& shadows : report_.target_shadows) {
    for (size_t i = 0; i < 4; ++i) {
      char& known = shadows[4 * pixel + i];
      known = std::max(known, static_cast<char>(shadow));
    }
  }
}

void Runner::RunUnits(Machine& machine, std::vector<uint32_t> units) {
  const size_t step = code_.is_compute ? 1 : machine.lanes() / 4;
  for (size_t i = 0; i < units.size() && !machine.stopped(); i += step) {
    const Machine::Batch batch = code_.is_compute ? GroupBatch(units[i], machine.lanes())
                                                  : QuadBatch(units, i, machine.lanes());
    shared_.BeginBatch(machine);
    machine.RunBatch(batch);
    if (!code_.is_compute) ReadTargets(machine, batch);
  }
}

Machine::Batch Runner::QuadBatch(const std::vector<uint32_t>& quads, size_t first,
                                 uint32_t lanes) const {
  Machine::Batch batch(lanes);
  const uint32_t columns = (width_ + 1) / 2;
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    const size_t quad = first + lane / 4;
    if (quad >= quads.size()) continue;
    batch.x[lane] = quads[quad] % columns * 2 + lane % 2;
    batch.y[lane] = quads[quad] / columns * 2 + lane % 4 / 2;
    batch.present.Add(lane);
    if (batch.x[lane] >= width_ || batch.y[lane] >= height_) batch.helper.Add(lane);
    batch.number[lane] = 4 * quads[quad] + lane % 4;
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

void Runner::ReadTargets(Machine& machine, const Machine::Batch& batch) {
  if (machine.stopped()) return;
  batch.present.ForEach([&](uint32_t lane) {
    if (batch.helper.Has(lane)) return;
    const size_t pixel = size_t{batch.y[lane]} * width_ + batch.x[lane];
    bool discarded = machine.discarded().Has(lane);
    uint32_t mask_shadow = 0;
    if (code_.sample_mask_row && !discarded) {
      // The only sample of a pixel is the first bit of the mask (Vulkan, "Sample Mask").
      discarded = (machine.Row(*code_.sample_mask_row)[lane] & 1) == 0;
      mask_shadow = machine.ShadowOf(*code_.sample_mask_row, lane) & kShadowMask;
    }
    if (IsUncertain(machine, lane) || mask_shadow != 0) bounds_.MarkUncertain(pixel);
    if (code_.linked && last_[pixel] > batch.z[lane] + 1) return;
    if (!code_.linked || !discarded) bounds_.SetToTexels(report_.outputs.targets, pixel);
    if (!discarded) {
      if (code_.linked) last_[pixel] = batch.z[lane] + 1;
      for (const OutputCode& output : code_.outputs) ReadPixel(machine, output, lane, pixel);
    }
    if (mask_shadow != 0) {
      RaiseShadows(pixel, (mask_shadow & kUndefinedBit) != 0 ? kUndefinedBit : kApproximateBit);
    }
  });
}

// Whether an approximate value decided what this invocation does, or one of its quad does.
bool Runner::IsUncertain(const Machine& machine, uint32_t lane) const {
  const LaneSet& approximate = machine.approximate_lanes();
  if (!code_.has_collectives) return approximate.Has(lane);
  const uint32_t first = lane / 4 * 4;
  return approximate.Has(first) || approximate.Has(first + 1) || approximate.Has(first + 2) ||
         approximate.Has(first + 3);
}

// Whether invocations of another quad can see what an invocation does.
bool Runner::OthersSeeEffects() const {
  return code_.has_subgroups || std::any_of(code_.ops.begin(), code_.ops.end(), [](const Op& op) {
           return op.run == StoreShared || op.run == RunAtomic || op.run == WriteTexel;
         });
}

void Runner::ReadPixel(Machine& machine, const OutputCode& output, uint32_t lane, size_t pixel) {
  size_t number = 0;
  while (report_.outputs.targets[number].location != output.location) ++number;
  ColourTarget& target = report_.outputs.targets[number];
  const uint32_t size = TexelSize(target.format) / 4;
  char* texel = target.texels.data() + pixel * 4 * size;
  char* shadow = report_.target_shadows[number].data() + 4 * pixel;
  const uint32_t rows = RowsOf(output.scalar);
  for (uint32_t i = 0; i < output.components && output.component + i < 4; ++i) {
    const uint32_t place = output.component + i, row = output.row + i * rows;
    if (IsFloat(output.scalar)) {
      const FloatColumn column(machine, row, output.scalar);
      const FloatValue value = column.Get(lane);
      if (size == 1) {
        PutLevel(value, number, 4 * pixel + place);
        continue;
      }
      const uint32_t bits = math::FloatBitsFromDouble(value.value);
      std::memcpy(texel + size_t{place} * size, &bits, 4);
      uint32_t about = value.note.shadow;
      if ((machine.ShadowOf(row, lane) & kUnknownZeroSignBit) != 0) about |= kApproximateBit;
      shadow[place] = static_cast<char>(about & kUndefinedBit ? kUndefinedBit : about);
      continue;
    }
    uint32_t bits = static_cast<uint32_t>(machine.Get(row, output.scalar, lane));
    const uint32_t width = WidthOf(output.scalar);
    if (output.is_signed && width < 32 && (bits >> (width - 1) & 1) != 0) bits |= ~0u << width;
    std::memcpy(texel + size_t{place} * size, &bits, 4);
    const uint32_t about = machine.ShadowOf(row, lane) & kShadowMask;
    shadow[place] = static_cast<char>(about & kUndefinedBit ? kUndefinedBit : about);
  }
}

void Runner::PutLevel(const FloatValue& value, size_t target, size_t component) {
  const Level level = LevelOf(value);
  report_.outputs.targets[target].texels[component] = static_cast<char>(level.level);
  report_.target_shadows[target][component] = static_cast<char>(level.shadow);
  report_.near_boundary |= level.near_boundary;
  bounds_.Set(target, component, level);
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
