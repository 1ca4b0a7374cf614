// SPDX-License-Identifier: Apache-2.0
// The targets of a draw: what fragments write to them, in the order of the triangles. Private to
// this library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "interp/code.h"
#include "interp/depth_buffer.h"
#include "interp/interpreter.h"
#include "interp/levels.h"
#include "interp/machine.h"
#include "interp/target_bounds.h"

namespace refract {
inline namespace interp {

class FrameTargets {
 public:
  /// `code` draws to the outputs of `report`, which must outlive this object.
  FrameTargets(const Program::Code& code, const RunOptions& options, RunReport* report);

  /// Whether a test before the shaders keeps all fragments of a draw without vertices from running.
  bool DrawsNothing() const;
  /// The depths, if they are tested before the shaders run; otherwise null.
  DepthBuffer* early_depths() { return tests_early_ ? &depths_ : nullptr; }

  /// Takes what the fragments of a batch have written. `depths`: for each lane, the depth between
  /// the vertices; empty: all are 0.
  void Take(Machine& machine, const Machine::Batch& batch, const std::vector<FloatValue>& depths);
  /// Draws what Take has kept for the order of the triangles. Returns false if there is too much.
  bool DrawKept();
  /// For each sample, the number + 1 of the triangle that hides what was drawn before; 0: none
  /// does.
  std::vector<uint32_t> CoveredBy() const;
  /// It is open what was drawn to the sample.
  void MarkOpen(size_t sample);
  /// Completes the report. `nothing`: no level of a colour has bounds.
  void Finish(bool nothing);

 private:
  // A component of an output.
  struct Written {
    size_t target = 0;
    uint32_t place = 0;
    bool is_level = false;
    Level level;
    uint32_t bits = 0, shadow = 0;
  };
  struct Fragment {
    uint32_t number = 0;  // of the triangle
    size_t pixel = 0;     // the place in the targets: of one sample of a pixel of the frame
    bool discarded = false;
    bool uncertain = false;    // an approximate value decided what the invocation does
    uint32_t mask_shadow = 0;  // it is open whether the pixel is in the sample mask
    FloatValue depth;
    std::vector<Written> written;
  };
  void MakeTargets();
  uint32_t SamplesOf(const Machine::Batch& batch, uint32_t lane) const;
  void Read(Machine& machine, const Machine::Batch& batch, uint32_t lane, Fragment* fragment) const;
  void ReadOutput(Machine& machine, const OutputCode& output, uint32_t lane,
                  Fragment* fragment) const;
  FloatValue DepthOf(Machine& machine, uint32_t lane, const FloatValue& between) const;
  bool IsUncertain(const Machine& machine, uint32_t lane) const;
  bool FitsInMemory() const;
  void Draw(const Fragment& fragment);
  void Put(const Written& written, size_t pixel);
  void RaiseShadows(size_t pixel, uint32_t shadow);

  const Program::Code& code_;
  RunReport& report_;
  const uint32_t width_, height_;  // of the targets, in which each sample has a pixel
  const uint64_t memory_;          // that kept fragments may need
  DepthBuffer depths_;
  bool tests_early_ = false;
  bool keeps_ = false;  // fragments may not be drawn in the order of the batches
  std::vector<Fragment> kept_;
  Fragment fragment_;  // kept for its memory
  // For a draw: the number + 1 of the triangle that drew to each pixel last.
  std::vector<uint32_t> last_;
  TargetBounds bounds_;
};

}  // namespace interp
}  // namespace refract
