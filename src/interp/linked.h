// SPDX-License-Identifier: Apache-2.0
// A draw with a vertex and a fragment program: runs the vertices of the mesh, splits the triangles
// between them into quads of fragments, and interpolates the outputs of the vertices for these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interp/depth_buffer.h"
#include "interp/images.h"
#include "interp/machine.h"
#include "interp/memory.h"
#include "interp/raster.h"

namespace refract {
inline namespace interp {

/// Finds the rows in which the vertex program has the inputs of the fragment program. Returns the
/// reason if one is missing; empty: none is.
std::string LinkBatchInputs(const Program::Code& vertex, Program::Code* fragment);

class LinkedDraw {
 public:
  /// `sample` has numbers of quads; if it is empty, all run.
  LinkedDraw(const Program::Code& vertex, const Program::Code& fragment, const RunOptions& options);

  /// The memory of the machine that runs the vertices, in bytes.
  static uint64_t Memory(const Program::Code& vertex);

  /// Runs the vertices and finds the quads. Returns a trap of the vertex program or of the draw.
  /// `early`: the depth target, if fragments are tested before they run; otherwise null.
  std::optional<Trap> Begin(DepthBuffer* early);

  size_t quads() const { return covered_quads_.size(); }
  /// The quads from `first` on, in drawing order. z is the number of the triangle.
  Machine::Batch BatchOf(size_t first, uint32_t lanes) const;
  /// The depth of each lane of this batch.
  std::vector<FloatValue> DepthsOf(size_t first, uint32_t lanes) const;

  /// The machine that runs the vertices.
  Machine& machine() { return machine_; }

  /// The numbers, ascending, of samples for which it is open which triangle covers them, or whether
  /// any does, and where this can be visible. `last` has, for each sample, the number + 1 of the
  /// triangle that hides all before it; 0: none does. The number of a sample is its place in the
  /// targets.
  std::vector<uint32_t> UncertainSamples(const std::vector<uint32_t>& last) const;

 private:
  struct CoveredQuad {
    uint32_t primitive = 0;  // index in primitives_
    uint32_t quad = 0;
    uint32_t sample = 0;       // if the shader runs for each sample
    uint32_t covered[4] = {};  // by pixel, one bit for each sample
    bool open[4] = {};         // by pixel: it is open which samples are covered
  };
  struct UncertainSample {
    uint32_t number = 0;
    uint32_t primitive = 0;
    Coverage coverage;
    uint64_t inputs = 0;  // hash of all inputs of the quad
  };
  struct Value {
    uint32_t word = 0, shadow = 0;
  };
  static uint32_t Lanes(const Program::Code& vertex);
  /// The number of a vertex in the whole draw.
  uint32_t NumberInDraw(uint32_t instance, uint32_t vertex) const {
    return instance * mesh_.vertices + vertex;
  }
  void SetAttributes(uint32_t lane, Machine::Batch* batch) const;
  std::optional<Trap> RunVertices();
  void StoreOutputs(const Machine::Batch& batch);
  std::optional<Trap> FindPosition(uint32_t vertex, ClipVertex* position) const;
  void FindCoveredQuads(const Primitive& primitive, const std::vector<bool>& wanted,
                        DepthBuffer* early);
  void CoverQuad(const Primitive& primitive, const CoveredQuad& empty, DepthBuffer* early);
  FloatValue DepthAt(const Primitive& primitive, uint32_t x, uint32_t y) const;
  bool IsCovered(const Primitive& primitive, const Coverage& coverage, uint32_t number) const;
  bool IsSettled(const UncertainSample& one, const UncertainSample& next) const;
  uint64_t HashOf(const Primitive& primitive, uint32_t quad, uint32_t sample) const;
  Value ValueOf(const BatchInputCode& input, uint32_t place, const Primitive& primitive, uint32_t x,
                uint32_t y, uint32_t sample) const;
  Value Interpolate(const BatchInputCode& input, uint32_t place, const Primitive& primitive,
                    uint32_t x, uint32_t y, uint32_t sample) const;
  const Value& VertexValue(uint32_t vertex, uint32_t place) const {
    return values_[size_t{vertex} * stride_ + place];
  }

  const Program::Code& vertex_;
  const Program::Code& fragment_;
  const RunOptions& options_;
  const uint32_t width_, height_;
  const uint32_t samples_;  // of a pixel
  const bool per_sample_;
  const BoundMesh mesh_;
  Machine machine_;
  SharedMemory shared_;
  ImageMemory images_;
  size_t stride_ = 0;  // words for each vertex in values_: the position, then the fragment's inputs
  std::vector<Value> values_;
  std::vector<Primitive> primitives_;
  std::vector<CoveredQuad> covered_quads_;
  size_t tested_quads_ = 0;
  std::vector<UncertainSample> uncertain_samples_;
  std::vector<uint32_t> open_tests_;  // samples with early tests of which the outcome is open
};

}  // namespace interp
}  // namespace refract
