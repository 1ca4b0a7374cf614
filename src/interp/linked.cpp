// SPDX-License-Identifier: Apache-2.0
#include "interp/linked.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text.h"
#include "input/mesh.h"
#include "interp/ops/float_columns.h"

namespace refract {
inline namespace interp {
namespace {

constexpr uint32_t kVertexLanes = 256;
constexpr size_t kMaxCoveredQuads = size_t{1} << 24;
// Limit on the quads that are looked at, which takes the time of early tests.
constexpr size_t kMaxTestedQuads = size_t{1} << 25;
// The assumed error of an interpolated value. Vulkan gives no bound; hardware computes weights with
// at least 16 bits. The first is relative to the range of the three values, the second to the value
// itself.
constexpr double kWeightError = 0x1p-13;
constexpr double kValueError = 0x1p-20;

std::optional<Trap> TrapOf(Trap::Kind kind, std::string message) {
  Trap trap;
  trap.kind = kind;
  trap.message = std::move(message);
  return trap;
}

// The place of the depth among the values of a fragment, for random choices.
constexpr uint32_t kDepthPlace = 0xffffffffu;

// The word of a float as a number with what is known about it.
FloatValue NumberOf(uint32_t word, uint32_t shadow) {
  FloatValue number;
  number.value = math::DoubleFromFloatBits(word);
  number.note = ReadFloatShadow(shadow, number.value);
  if (math::IsFinite(number.value) && math::IsDenormal(number.value, 32)) {
    number.note.shadow |= kApproximateBit;
    number.note.error = math::Absolute(number.value) +
                        (number.note.shadow == kApproximateBit ? 0 : number.note.error);
  }
  return number;
}

double NotedError(const FloatValue& number) {
  return number.note.exact() ? 0 : number.note.error;
}

}  // namespace

std::string LinkBatchInputs(const Program::Code& vertex, Program::Code* fragment) {
  std::vector<InterfaceSlot> wanted;
  for (const BatchInputCode& input : fragment->batch_inputs) wanted.push_back(input.slot);
  if (std::string problem = LinkProblem(vertex.vertex_outputs, wanted); !problem.empty()) {
    return problem;
  }
  for (BatchInputCode& input : fragment->batch_inputs) {
    if (input.built_in) continue;
    const InterfaceSlot* from = FindOutput(vertex.vertex_outputs, input.slot, input.slot_component);
    const size_t number = static_cast<size_t>(from - vertex.vertex_outputs.data());
    input.vertex_row = vertex.vertex_output_rows[number] + input.slot_component - from->component;
  }
  return {};
}

uint32_t LinkedDraw::Lanes(const Program::Code& vertex) {
  const uint64_t lanes = std::min<uint64_t>(kVertexLanes, VertexCount(vertex.bindings));
  return static_cast<uint32_t>((lanes + 3) / 4 * 4);
}

uint64_t LinkedDraw::Memory(const Program::Code& vertex) {
  return uint64_t{Lanes(vertex)} * vertex.rows * 8;
}

LinkedDraw::LinkedDraw(const Program::Code& vertex, const Program::Code& fragment,
                       const RunOptions& options)
    : vertex_(vertex),
      fragment_(fragment),
      options_(options),
      width_(fragment.bindings.width),
      height_(fragment.bindings.height),
      samples_(fragment.bindings.samples),
      per_sample_(fragment.bindings.per_sample),
      mesh_(MeshOf(vertex.bindings)),
      machine_(vertex, Lanes(vertex), options),
      shared_(vertex, true),
      images_(vertex),
      stride_(4 + fragment.batch_inputs.size()) {
  machine_.SetConstants();
  machine_.set_shared(&shared_);
  machine_.set_images(&images_);
  machine_.set_steps_left(options.limits.steps);
}

// --- vertices

// A float of 16 bits that is denormal may become zero.
uint32_t ShadowOfAttribute(const BoundAttribute& attribute, uint64_t bits, uint32_t width) {
  if (attribute.kind != BoundAttribute::kFloat || attribute.width == width) return 0;
  const double value = math::DoubleFromFloatBits(static_cast<uint32_t>(bits));
  constexpr double kSmallestNormal = 0x1p-14;
  const double size = math::Absolute(value);
  if (size == 0 || size >= kSmallestNormal) return 0;
  return ApproximateFloatShadow(value, size, size);
}

void LinkedDraw::SetAttributes(uint32_t lane, Machine::Batch* batch) const {
  const uint32_t lanes = machine_.lanes();
  for (size_t i = 0; i < vertex_.batch_inputs.size(); ++i) {
    const BatchInputCode& input = vertex_.batch_inputs[i];
    const BoundAttribute* attribute = FindAttribute(mesh_, input.slot.location);
    const uint32_t element = attribute->per_instance ? batch->y[lane] : batch->x[lane];
    const uint64_t bits = AttributeBits(*attribute, element, input.component, input.slot.width);
    batch->inputs[i * lanes + lane] = static_cast<uint32_t>(input.upper ? bits >> 32 : bits);
    batch->input_shadows[i * lanes + lane] = ShadowOfAttribute(*attribute, bits, input.slot.width);
  }
}

// Runs the vertices that are drawn. Others may be undefined.
std::optional<Trap> LinkedDraw::RunVertices() {
  const uint32_t lanes = machine_.lanes();
  const uint64_t all = uint64_t{mesh_.vertices} * mesh_.instances;
  if (all * stride_ * sizeof(Value) > options_.limits.memory) {
    return TrapOf(Trap::Kind::kLimit,
                  format("the run needs more than {} bytes of memory", options_.limits.memory));
  }
  values_.resize(all * stride_);
  std::vector<uint32_t> drawn = DrawnVertices(mesh_);
  std::sort(drawn.begin(), drawn.end());
  drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  const size_t count = drawn.size() * mesh_.instances;
  for (size_t first = 0; first < count; first += lanes) {
    Machine::Batch batch(lanes);
    batch.inputs.assign(vertex_.batch_inputs.size() * lanes, 0);
    batch.input_shadows.assign(batch.inputs.size(), 0);
    for (uint32_t lane = 0; lane < lanes && first + lane < count; ++lane) {
      batch.x[lane] = drawn[(first + lane) % drawn.size()];
      batch.y[lane] = static_cast<uint32_t>((first + lane) / drawn.size());
      batch.number[lane] = NumberInDraw(batch.y[lane], batch.x[lane]);
      batch.present.Add(lane);
      SetAttributes(lane, &batch);
    }
    shared_.BeginBatch(machine_);
    machine_.RunBatch(batch);
    if (machine_.stopped()) return machine_.trap();
    StoreOutputs(batch);
  }
  return std::nullopt;
}

void LinkedDraw::StoreOutputs(const Machine::Batch& batch) {
  batch.present.ForEach([&](uint32_t lane) {
    Value* values = &values_[size_t{batch.number[lane]} * stride_];
    const auto keep = [&](size_t place, uint32_t row) {
      values[place] = {machine_.Row(row)[lane], machine_.ShadowOf(row, lane)};
    };
    for (uint32_t i = 0; i < 4; ++i) keep(i, vertex_.position_row + i);
    for (size_t i = 0; i < fragment_.batch_inputs.size(); ++i) {
      if (!fragment_.batch_inputs[i].built_in) keep(4 + i, fragment_.batch_inputs[i].vertex_row);
    }
  });
}

// A position that is undefined or not finite could be drawn anywhere, so it is a trap.
std::optional<Trap> LinkedDraw::FindPosition(uint32_t vertex, ClipVertex* position) const {
  position->number = vertex;
  for (uint32_t i = 0; i < 4; ++i) {
    const Value& value = VertexValue(vertex, i);
    const FloatValue number = NumberOf(value.word, value.shadow);
    const bool undefined = (number.note.shadow & kUndefinedBit) != 0;
    if (undefined || !math::IsFinite(number.value)) {
      return TrapOf(Trap::Kind::kUndefinedBehaviour,
                    format("component {} of the position of {} is {}", i, machine_.NameOf(vertex),
                           undefined ? "undefined" : "not a finite number"));
    }
    position->at[i] = number.value;
    position->error[i] = NotedError(number);
  }
  return std::nullopt;
}

// --- triangles

std::optional<Trap> LinkedDraw::Begin(DepthBuffer* early) {
  if (std::optional<Trap> trap = RunVertices()) return trap;
  const uint32_t columns = (width_ + 1) / 2, rows = (height_ + 1) / 2;
  std::vector<bool> wanted(size_t{columns} * rows, options_.sample.empty());
  for (const uint32_t quad : options_.sample) {
    if (quad < wanted.size()) wanted[quad] = true;
  }
  const std::vector<uint32_t> corners = CornersOf(mesh_);
  const size_t triangles = corners.size() / 3 * mesh_.instances;
  for (size_t triangle = 0; triangle < triangles; ++triangle) {
    const auto instance = static_cast<uint32_t>(triangle / (corners.size() / 3));
    const auto in_instance = static_cast<uint32_t>(triangle % (corners.size() / 3));
    ClipVertex vertices[3];
    for (uint32_t corner = 0; corner < 3; ++corner) {
      const uint32_t vertex = NumberInDraw(instance, corners[3 * in_instance + corner]);
      std::optional<Trap> trap = FindPosition(vertex, &vertices[corner]);
      if (trap) return trap;
    }
    std::optional<Primitive> primitive =
        MakePrimitive(vertices, static_cast<uint32_t>(triangle), width_, height_);
    if (!primitive) continue;
    primitive->in_instance = in_instance;
    primitives_.push_back(std::move(*primitive));
    FindCoveredQuads(primitives_.back(), wanted, early);
    if (covered_quads_.size() > kMaxCoveredQuads || tested_quads_ > kMaxTestedQuads) {
      const size_t most = tested_quads_ > kMaxTestedQuads ? kMaxTestedQuads : kMaxCoveredQuads;
      return TrapOf(Trap::Kind::kLimit,
                    format("the draw call has more than {} quads of fragments", most));
    }
  }
  return std::nullopt;
}

// Open coverage is decided as Coverage says or, in a run with perturb, at random: of two triangles
// with a common edge exactly one covers the sample.
bool LinkedDraw::IsCovered(const Primitive& primitive, const Coverage& coverage,
                           uint32_t number) const {
  if (!coverage.open || options_.perturb == 0) return coverage.covered;
  const uint64_t lot = Mix(options_.perturb, number);
  if (!coverage.has_edge) return (Mix(lot, primitive.number) >> 63) != 0;
  return ((Mix(lot, uint64_t{coverage.low} << 32 | coverage.high) >> 63) != 0) == coverage.forward;
}

void LinkedDraw::FindCoveredQuads(const Primitive& primitive, const std::vector<bool>& wanted,
                                  DepthBuffer* early) {
  const uint32_t columns = (width_ + 1) / 2;
  const auto index = static_cast<uint32_t>(primitives_.size() - 1);
  for (uint32_t row = primitive.top / 2; 2 * row < primitive.bottom; ++row) {
    for (uint32_t column = primitive.left / 2; 2 * column < primitive.right; ++column) {
      const uint32_t quad = row * columns + column;
      if (!wanted[quad]) continue;
      for (uint32_t sample = 0; sample < (per_sample_ ? samples_ : 1); ++sample) {
        ++tested_quads_;
        CoverQuad(primitive, {index, quad, sample}, early);
      }
    }
  }
}

// Keeps the quad if the primitive covers a part of it. `empty` says which.
void LinkedDraw::CoverQuad(const Primitive& primitive, const CoveredQuad& empty,
                           DepthBuffer* early) {
  CoveredQuad covered_quad = empty;
  const uint32_t columns = (width_ + 1) / 2, sample = empty.sample;
  bool any = false;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t x = empty.quad % columns * 2 + i % 2, y = empty.quad / columns * 2 + i / 2;
    if (x >= width_ || y >= height_) continue;
    for (uint32_t s = per_sample_ ? sample : 0; s < (per_sample_ ? sample + 1 : samples_); ++s) {
      const Coverage coverage = CoverageOf(primitive, x, y, SampleLocation(samples_, s));
      const uint32_t number = (y * width_ + x) * samples_ + s;
      DepthBuffer::Test test;
      test.passes = IsCovered(primitive, coverage, number);
      if (test.passes && early != nullptr) {
        test = early->TestFragment(number, DepthAt(primitive, x, y));
      }
      if (test.passes) covered_quad.covered[i] |= 1u << s;
      any |= test.passes;
      if (test.open != 0) open_tests_.push_back(number);
      covered_quad.open[i] |= coverage.open && !per_sample_;
      if (coverage.open) {
        uncertain_samples_.push_back(
            {number, empty.primitive, coverage, HashOf(primitive, empty.quad, sample)});
      }
    }
  }
  if (any) covered_quads_.push_back(covered_quad);
}

uint64_t LinkedDraw::HashOf(const Primitive& primitive, uint32_t quad, uint32_t sample) const {
  uint64_t hash = 0;
  const uint32_t columns = (width_ + 1) / 2;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t x = quad % columns * 2 + i % 2, y = quad / columns * 2 + i / 2;
    for (size_t g = 0; g < fragment_.batch_inputs.size(); ++g) {
      const Value value =
          ValueOf(fragment_.batch_inputs[g], static_cast<uint32_t>(4 + g), primitive, x, y, sample);
      hash = Mix(hash, uint64_t{value.word} << 32 | value.shadow);
    }
    if (fragment_.bindings.depth) {
      hash = Mix(hash, math::FloatBitsFromDouble(DepthAt(primitive, x, y).value));
    }
  }
  return hash;
}

// The depth between the vertices, as in the third component of FragCoord.
FloatValue LinkedDraw::DepthAt(const Primitive& primitive, uint32_t x, uint32_t y) const {
  BatchInputCode depth;
  depth.built_in = spv::BuiltIn::FragCoord;
  depth.component = 2;
  const Value value = Interpolate(depth, kDepthPlace, primitive, x, y, 0);
  return NumberOf(value.word, value.shadow);
}

std::vector<FloatValue> LinkedDraw::DepthsOf(size_t first, uint32_t lanes) const {
  std::vector<FloatValue> depths(lanes);
  const uint32_t columns = (width_ + 1) / 2;
  for (uint32_t lane = 0; lane < lanes && first + lane / 4 < covered_quads_.size(); ++lane) {
    const CoveredQuad& quad = covered_quads_[first + lane / 4];
    depths[lane] = DepthAt(primitives_[quad.primitive], quad.quad % columns * 2 + lane % 2,
                           quad.quad / columns * 2 + lane % 4 / 2);
  }
  return depths;
}

// Two open entries for the same edge, on either side of it, with the same inputs: it does not
// matter which of the two triangles covers the sample. If invocations cover several samples, it
// decides which samples they cover, and whether they run.
bool LinkedDraw::IsSettled(const UncertainSample& one, const UncertainSample& next) const {
  const Coverage& a = one.coverage;
  const Coverage& b = next.coverage;
  if (samples_ > 1 && !per_sample_) return false;
  return a.has_edge && b.has_edge && a.low == b.low && a.high == b.high && a.forward != b.forward &&
         one.inputs == next.inputs;
}

std::vector<uint32_t> LinkedDraw::UncertainSamples(const std::vector<uint32_t>& last) const {
  std::vector<UncertainSample> open;
  // Samples that are drawn over are not visible.
  for (const UncertainSample& one : uncertain_samples_) {
    if (primitives_[one.primitive].number + 1 >= last[one.number]) open.push_back(one);
  }
  std::stable_sort(
      open.begin(), open.end(),
      [](const UncertainSample& a, const UncertainSample& b) { return a.number < b.number; });
  std::vector<uint32_t> numbers;
  for (size_t first = 0, end = 0; first < open.size(); first = end) {
    while (end < open.size() && open[end].number == open[first].number) ++end;
    if (end - first == 2 && !fragment_.bindings.depth && IsSettled(open[first], open[first + 1])) {
      continue;
    }
    // What is drawn between the two triangles matters, unless nothing is.
    bool settled = true;
    for (size_t i = first; i < end && settled; i += 2) {
      settled = i + 1 < end && open[i].primitive + 1 == open[i + 1].primitive &&
                IsSettled(open[i], open[i + 1]);
    }
    if (!settled) numbers.push_back(open[first].number);
  }
  numbers.insert(numbers.end(), open_tests_.begin(), open_tests_.end());
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

// --- fragments

Machine::Batch LinkedDraw::BatchOf(size_t first, uint32_t lanes) const {
  Machine::Batch batch(lanes);
  batch.inputs.assign(fragment_.batch_inputs.size() * lanes, 0);
  batch.input_shadows.assign(batch.inputs.size(), 0);
  const uint32_t columns = (width_ + 1) / 2;
  if (samples_ > 1) {
    batch.covered.resize(lanes);
    batch.sample.resize(lanes);
  }
  for (uint32_t lane = 0; lane < lanes && first + lane / 4 < covered_quads_.size(); ++lane) {
    const CoveredQuad& covered_quad = covered_quads_[first + lane / 4];
    const Primitive& primitive = primitives_[covered_quad.primitive];
    batch.x[lane] = covered_quad.quad % columns * 2 + lane % 2;
    batch.y[lane] = covered_quad.quad / columns * 2 + lane % 4 / 2;
    batch.z[lane] = primitive.number;
    batch.number[lane] =
        (4 * covered_quad.quad + lane % 4) * (per_sample_ ? samples_ : 1) + covered_quad.sample;
    batch.present.Add(lane);
    if (covered_quad.covered[lane % 4] == 0) batch.helper.Add(lane);
    if (samples_ > 1) {
      batch.covered[lane] = covered_quad.covered[lane % 4];
      if (covered_quad.open[lane % 4]) batch.open.Add(lane);
      batch.sample[lane] = covered_quad.sample;
    }
    for (size_t i = 0; i < fragment_.batch_inputs.size(); ++i) {
      const Value value = ValueOf(fragment_.batch_inputs[i], static_cast<uint32_t>(4 + i),
                                  primitive, batch.x[lane], batch.y[lane], covered_quad.sample);
      batch.inputs[i * lanes + lane] = value.word;
      batch.input_shadows[i * lanes + lane] = value.shadow;
    }
  }
  return batch;
}

// The value of an input of a fragment. A flat input has the value of the first vertex (Vulkan's
// default provoking vertex).
LinkedDraw::Value LinkedDraw::ValueOf(const BatchInputCode& input, uint32_t place,
                                      const Primitive& primitive, uint32_t x, uint32_t y,
                                      uint32_t sample) const {
  if (input.built_in == spv::BuiltIn::FrontFacing) return {primitive.front ? 1u : 0u, 0};
  if (input.built_in == spv::BuiltIn::PrimitiveId) return {primitive.in_instance, 0};
  if (!input.built_in) {
    const Value& first = VertexValue(primitive.vertices[0].number, place);
    if (input.slot.flat || input.slot.kind != InterfaceSlot::kFloat) return first;
    bool same = true;
    for (const ClipVertex& vertex : primitive.vertices) {
      const Value& value = VertexValue(vertex.number, place);
      if ((value.shadow & kUndefinedBit) != 0) return {0, kUndefinedBit};
      // If w is not 1, drivers multiply and divide by it, which may change the last bit.
      same = same && value.word == first.word && (value.shadow & kShadowMask) == 0 &&
             vertex.at[3] == 1 && vertex.error[3] == 0;
    }
    if (same && math::IsFinite(math::DoubleFromFloatBits(first.word))) return {first.word, 0};
  }
  return Interpolate(input, place, primitive, x, y, sample);
}

LinkedDraw::Value LinkedDraw::Interpolate(const BatchInputCode& input, uint32_t place,
                                          const Primitive& primitive, uint32_t x, uint32_t y,
                                          uint32_t sample) const {
  double values[3] = {}, errors[3] = {}, range = 0;
  bool sure = true;
  for (int i = 0; i < 3; ++i) {
    const ClipVertex& vertex = primitive.vertices[i];
    const double w = vertex.at[3];
    if (input.built_in) {  // FragCoord: the depth from 0 to 1, or 1 / w
      values[i] = input.component == 2 ? vertex.at[2] / w : 1 / w;
      const double error =
          input.component == 2 ? vertex.error[2] + vertex.error[3] : vertex.error[3];
      errors[i] = error / std::abs(w);
      sure = sure && w == 1 && error == 0 && values[i] == values[0];
    } else {
      const Value& kept = VertexValue(vertex.number, place);
      const FloatValue number = NumberOf(kept.word, kept.shadow);
      values[i] = number.value;
      errors[i] = NotedError(number);
      sure = false;
    }
    range = std::max(range, std::abs(values[i] - values[0]));
  }
  if (sure) return {math::FloatBitsFromDouble(values[0]), 0};
  const bool linear = input.built_in.has_value() || input.slot.no_perspective;
  double carried = 0;
  const auto at = [&](double px, double py) {
    const Weights weights = WeightsAt(primitive, px, py, width_, height_);
    const double(&share)[3] = linear ? weights.linear : weights.perspective;
    double sum = 0;
    carried = 0;
    for (int i = 0; i < 3; ++i) {
      sum += share[i] * values[i];
      if (errors[i] != 0) carried += std::abs(share[i]) * errors[i];
    }
    return sum;
  };
  const bool at_sample = per_sample_ && (input.built_in.has_value() || input.slot.sample);
  const PixelPlace where = at_sample ? SampleLocation(samples_, sample) : PixelPlace();
  const double right = x + where.right(), below = y + where.down();
  double value = at(right, below);
  // Vertices may be off by as much as raster.h says.
  double moved = 0;
  if (primitive.slack != 0) {
    const double by = std::min(primitive.slack, 1.0 * width_);
    moved = std::abs(at(right + by, below) - value) + std::abs(at(right, below + by) - value);
  }
  double farthest = 0;
  // With several samples, it may be interpolated anywhere in the pixel (Vulkan, "Multisampling"),
  // unless it belongs to a sample. Drivers divide by the w of the middle even at a sample, and some
  // have the depth of the middle or of a sample in any case.
  if (samples_ > 1) {
    const bool any_place = !at_sample || input.built_in;
    for (uint32_t corner = 0; corner < 4 && any_place; ++corner) {
      const double there = at(x + corner % 2, y + corner / 2);
      farthest =
          math::IsFinite(there) ? std::max(farthest, std::abs(there - value)) : math::kInfinity;
    }
    const auto& vertices = primitive.vertices;
    const bool same_w =
        vertices[0].at[3] == vertices[1].at[3] && vertices[0].at[3] == vertices[2].at[3];
    if (!linear && !same_w) farthest = math::kInfinity;
  }
  moved += farthest;
  value = at(right, below);  // with the error `carried` that belongs to it
  const double own = range * kWeightError + std::abs(value) * kValueError + moved;
  if (!math::IsFinite(value)) return {0, kApproximateBit | 255u << 24};
  if (options_.perturb != 0 && own < math::kInfinity) {
    const uint64_t lot =
        Mix(Mix(options_.perturb, uint64_t{y} << 32 | x), uint64_t{primitive.number} << 32 | place);
    value += own * (static_cast<double>(lot >> 11) * 0x1p-52 - 1);
  }
  const uint32_t word = math::FloatBitsFromDouble(value);
  const double rounded = math::DoubleFromFloatBits(word);
  return {word, ApproximateFloatShadow(rounded, std::abs(rounded), own + carried)};
}

}  // namespace interp
}  // namespace refract
