// SPDX-License-Identifier: Apache-2.0
// A draw of a vertex and a fragment program: the vertices of the grid are run, the triangles
// between them cut into quads of fragments, and what the vertices hand over interpolated for these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interp/images.h"
#include "interp/machine.h"
#include "interp/memory.h"
#include "interp/raster.h"

namespace refract::inline interp {

/// Finds out where the vertex program has what the fragment program reads. In words what it does
/// not give; empty: all is there.
std::string LinkGivens(const Program::Code& vertex, Program::Code* fragment);

class LinkedDraw {
 public:
  /// `sample`: numbers of quads; empty: all.
  LinkedDraw(const Program::Code& vertex, const Program::Code& fragment, const RunOptions& options);

  /// Bytes that the machine of its vertices will take.
  static uint64_t Memory(const Program::Code& vertex);

  /// Runs the vertices and finds the quads. A trap is one of the vertex program, or of the draw.
  std::optional<Trap> Begin();

  size_t quads() const { return units_.size(); }
  /// The quads from `first` on, in the order in which they are drawn; z is the number of the
  /// triangle.
  Machine::Batch BatchOf(size_t first, uint32_t lanes) const;

  /// What runs the vertices.
  Machine& machine() { return machine_; }

  /// Where it is open which triangle covers a pixel, or whether any does, and that could be seen:
  /// numbers of pixels, ascending. `last` says for each pixel which triangle drew to it last, plus
  /// one; 0: none did.
  std::vector<uint32_t> OpenPixels(const std::vector<uint32_t>& last) const;

 private:
  struct Unit {
    uint32_t primitive = 0;  // in primitives_
    uint32_t quad = 0;
    uint8_t covered = 0;  // a bit for each pixel
  };
  struct Open {
    uint32_t pixel = 0;
    uint32_t primitive = 0;
    Coverage coverage;
    uint64_t inputs = 0;  // hash of all that the quad is given
  };
  struct Value {
    uint32_t word = 0, shadow = 0;
  };
  static uint32_t Lanes(const Program::Code& vertex);
  std::optional<Trap> RunVertices();
  void Keep(const Machine::Batch& batch);
  std::optional<Trap> FindPosition(uint32_t vertex, ClipVertex* position) const;
  void Cut(const Primitive& primitive, const std::vector<bool>& wanted);
  bool IsCovered(const Primitive& primitive, const Coverage& coverage, uint32_t pixel) const;
  uint64_t HashOf(const Primitive& primitive, uint32_t quad) const;
  Value ValueOf(const GivenCode& given, uint32_t place, const Primitive& primitive, uint32_t x,
                uint32_t y) const;
  Value Interpolate(const GivenCode& given, uint32_t place, const Primitive& primitive, uint32_t x,
                    uint32_t y) const;
  const Value& Kept(uint32_t vertex, uint32_t place) const {
    return values_[size_t{vertex} * stride_ + place];
  }

  const Program::Code& vertex_;
  const Program::Code& fragment_;
  const RunOptions& options_;
  const uint32_t width_, height_;
  Machine machine_;
  SharedMemory shared_;
  ImageMemory images_;
  size_t stride_ = 0;  // of a vertex in values_: the position, then the fragment's givens
  std::vector<Value> values_;
  std::vector<Primitive> primitives_;
  std::vector<Unit> units_;
  std::vector<Open> open_;
};

}  // namespace refract::inline interp
