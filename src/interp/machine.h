// SPDX-License-Identifier: Apache-2.0
// Runs one batch of invocations. It has the rows with their shadows, the active invocations, and
// the shared memory that they access. Private to this library.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "interp/code.h"
#include "interp/interpreter.h"
#include "interp/lane_set.h"
#include "interp/sparse.h"

namespace refract {
inline namespace interp {

/// The low bits of a shadow word are a Shadow; the others describe floats (float_shadow.h).
constexpr uint32_t kShadowMask = 3;
constexpr uint32_t kApproximateBit = 1;
constexpr uint32_t kUndefinedBit = 2;

class SharedMemory;
class ImageMemory;

class Machine {
 public:
  /// `lanes` must be a multiple of 4.
  Machine(const Program::Code& code, uint32_t lanes, const RunOptions& options);
  ~Machine();

  const Program::Code& code() const { return code_; }
  const RunOptions& options() const { return options_; }
  uint32_t lanes() const { return lanes_; }

  // --- rows
  uint32_t* Row(uint32_t row) { return words_.data() + size_t{row} * lanes_; }
  /// Valid only if IsShadowed(row).
  uint32_t* ShadowRow(uint32_t row) { return shadows_.data() + size_t{row} * lanes_; }
  /// True if the shadow of the row may be other than 0 for some invocation.
  bool IsShadowed(uint32_t row) const { return shadowed_[row] != 0; }
  uint32_t ShadowOf(uint32_t row, uint32_t lane) const {
    return shadowed_[row] != 0 ? shadows_[size_t{row} * lanes_ + lane] : 0;
  }
  /// Makes ShadowRow(row) valid and returns it.
  uint32_t* MakeShadowed(uint32_t row) {
    if (shadowed_[row] == 0) BeginShadow(row);
    return ShadowRow(row);
  }
  /// Sets the shadow of the active invocations to 0.
  void ClearShadow(uint32_t row);
  void SetShadow(uint32_t row, uint32_t lane, uint32_t shadow) {
    if (shadow != 0) {
      MakeShadowed(row)[lane] = shadow;
    } else if (shadowed_[row] != 0) {
      shadows_[size_t{row} * lanes_ + lane] = 0;
    }
  }
  /// The bits of a scalar of any width.
  uint64_t Get(uint32_t row, Scalar scalar, uint32_t lane) {
    const uint64_t low = Row(row)[lane];
    return RowsOf(scalar) == 2 ? low | uint64_t{Row(row + 1)[lane]} << 32 : low;
  }
  void Set(uint32_t row, Scalar scalar, uint32_t lane, uint64_t bits) {
    Row(row)[lane] = static_cast<uint32_t>(bits);
    if (RowsOf(scalar) == 2) Row(row + 1)[lane] = static_cast<uint32_t>(bits >> 32);
  }
  /// Copies rows with their shadows, for the active invocations.
  void Copy(uint32_t to, uint32_t from, uint32_t rows);
  void CopyShadow(uint32_t to, uint32_t from);
  /// Allocates rows up to `rows`, for code that is still being decoded.
  void Reserve(uint32_t rows);
  /// Sets the rows of constants that were added since the last call.
  void SetConstants();

  // --- invocations
  template <class Visit>
  void ForActive(Visit visit) {
    if (active_count_ == lanes_) {
      for (uint32_t lane = 0; lane < lanes_; ++lane) visit(lane);
    } else {
      for (uint32_t i = 0; i < active_count_; ++i) visit(uint32_t{active_list_[i]});
    }
  }
  /// The same in the order of the schedule, for accesses to shared memory.
  template <class Visit>
  void ForActiveInOrder(Visit visit) {
    for (const uint16_t lane : lane_order_) {
      if (active_.Has(lane)) visit(uint32_t{lane});
    }
  }
  /// 0 if no invocation is active.
  uint32_t FirstActive() const;
  bool AllActive() const { return active_count_ == lanes_; }
  uint32_t active_count() const { return active_count_; }
  const LaneSet& active() const { return active_; }
  /// By lane: all bits set if it is active. The mask is padded to a whole block of kLaneBlock
  /// lanes.
  const uint32_t* ActiveMask() const { return active_mask_.data(); }
  const LaneSet& live() const { return live_; }
  /// True if the invocation is outside the frame or was demoted; then it does not write shared
  /// memory.
  bool IsHelper(uint32_t lane) const { return helper_.Has(lane); }
  void Demote();
  void Discard();
  const LaneSet& discarded() const { return discarded_; }
  /// The number of the invocation in the whole run, for races and messages.
  uint32_t InvocationNumber(uint32_t lane) const { return batch_->number[lane]; }
  /// An invocation as text: "the pixel (3, 4)", "invocation 5 of workgroup 1".
  std::string NameOf(uint32_t invocation_number) const;

  // --- failures
  bool stopped() const { return trap_.has_value(); }
  void Fail(Trap::Kind kind, Inst instruction, uint32_t lane, std::string message);
  /// Traps for undefined behaviour in the instruction of `op`.
  void FailUndefined(const Op& op, uint32_t lane, std::string_view what);
  /// Traps and returns false if the value is undefined. If it is approximate, records that an
  /// approximate value decides something.
  bool RequireDefined(Inst instruction, uint32_t row, uint32_t lane, std::string_view what);
  void RecordApproximateControl(uint32_t lane) {
    if (options_.ignore_approximate_control) return;
    approximate_control_ = true;
    approximate_lanes_.Add(lane);
  }
  std::optional<Trap>& trap() { return trap_; }
  bool approximate_control() const { return approximate_control_; }
  /// The invocations of the batch in which an approximate value decided something.
  const LaneSet& approximate_lanes() const { return approximate_lanes_; }

  // --- running
  /// The invocations of a batch with their built-in inputs.
  struct Batch {
    explicit Batch(uint32_t lanes)
        : present(lanes), helper(lanes), x(lanes), y(lanes), z(lanes), number(lanes), open(lanes) {}
    LaneSet present;                ///< the lanes that have an invocation
    LaneSet helper;                 ///< those that are helper invocations
    std::vector<uint32_t> x, y, z;  ///< pixel or GlobalInvocationId, by lane
    std::vector<uint32_t> number;   ///< the number of the invocation in the whole run
    uint32_t workgroup[3] = {};
    /// For a frame with several samples, by lane: the samples that the invocation covers, one bit
    /// each, and its sample if it is that of one sample.
    std::vector<uint32_t> covered, sample;
    LaneSet open;  ///< the lanes for which it is open which samples they cover
    /// The words and shadows of Code::batch_inputs, each for all lanes.
    std::vector<uint32_t> inputs, input_shadows;
  };
  void RunBatch(const Batch& batch);
  /// Runs a function for the active invocations. Those that return are active afterwards.
  void Call(uint32_t function);
  void RunOps(uint32_t first, uint32_t count);
  /// Runs ops on constants, for all invocations.
  void RunConstantOps(const std::vector<Op>& ops);
  uint64_t steps() const { return steps_; }
  void set_steps_left(uint64_t steps) { steps_left_ = steps; }
  const std::vector<uint64_t>& block_counts() const { return block_counts_; }
  const Batch& batch() const { return *batch_; }
  uint32_t subgroup_size() const { return subgroup_size_; }

  SparseRows& sparse() { return sparse_; }
  SharedMemory& shared() { return *shared_; }
  void set_shared(SharedMemory* shared) { shared_ = shared; }
  ImageMemory& images() { return *images_; }
  void set_images(ImageMemory* images) { images_ = images; }
  Random& random() { return random_; }
  /// What is known so far of the values in Code::uniform_values.
  struct UniformValues {
    enum State : uint8_t { kUnseen, kSame, kVaries };
    std::vector<State> states;
    std::vector<uint32_t> words;
  };
  UniformValues& uniform_values() { return uniform_values_; }
  /// The descriptors that instructions of a draw access, if all invocations must access the same.
  std::vector<std::optional<uint32_t>>& compared_descriptors() { return compared_descriptors_; }

 private:
  struct Group {
    uint32_t block = 0;
    LaneSet lanes;
    bool by_back_edge = false;  // arrived by a back edge
  };
  struct Activation;
  void Activate(const LaneSet& lanes);
  void RunFunction(const FunctionCode& function);
  template <class Visit>
  void ForEachUnit(const LaneSet& lanes, Visit visit) const;
  void RecordTogether(LaneSet* together) const;
  uint32_t RunBlock(Activation& activation, uint32_t block);
  uint32_t RunTerminator(Activation& activation, const BlockCode& block);
  uint32_t RunConditional(Activation& activation, const BlockCode& block);
  uint32_t RunSwitch(Activation& activation, const BlockCode& block);
  uint32_t TakeEdge(const Edge& edge);
  void SendAlong(Activation& activation, const Edge& edge, const LaneSet& lanes);
  bool RequireDefinedCondition(const BlockCode& block);
  void AddWaiting(Activation& activation, uint32_t block, const LaneSet& lanes);
  void JoinLate(Activation& activation, Group& group);
  void BeginShadow(uint32_t row);
  void CopyActive(uint32_t* to, const uint32_t* from);
  void SetBuiltIns();
  uint32_t BuiltIn(spv::BuiltIn built_in, uint32_t component, uint32_t lane) const;
  bool HasOpenMask(uint32_t lane) const;
  double PlaceInPixel(uint32_t component, uint32_t lane) const;
  bool CountSteps(const BlockCode& block);
  void CheckDeadline(Inst instruction);
  void AddPendingSteps();

  const Program::Code& code_;
  const RunOptions options_;
  const uint32_t lanes_;
  uint32_t subgroup_size_ = 32;
  std::vector<uint32_t> words_;
  std::vector<uint32_t> shadows_;
  std::vector<uint8_t> shadowed_;
  LaneSet active_, live_, helper_, discarded_, approximate_lanes_;
  uint32_t active_count_ = 0;
  bool empty_ = true;  // no invocation is active
  std::vector<uint16_t> active_list_;
  std::vector<uint32_t> active_mask_;
  std::vector<uint16_t> lane_order_;
  const Batch* batch_ = nullptr;
  std::optional<Trap> trap_;
  bool approximate_control_ = false;
  uint64_t steps_ = 0, steps_left_ = 0;
  std::vector<uint64_t> lane_steps_;
  uint64_t pending_steps_ = 0;  // of each active invocation; not yet added to lane_steps_
  uint64_t batch_steps_ = 0;    // steps of the batch: an upper bound for each invocation
  // Work since the last check of the deadline, in invocations times ops.
  uint64_t work_since_deadline_check_ = 0;
  std::vector<uint64_t> block_counts_;
  SparseRows sparse_;
  SharedMemory* shared_ = nullptr;
  ImageMemory* images_ = nullptr;
  Random random_;
  UniformValues uniform_values_;
  std::vector<std::optional<uint32_t>> compared_descriptors_;
  size_t constants_set_ = 0;
};

}  // namespace interp
}  // namespace refract
