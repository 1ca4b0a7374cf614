// SPDX-License-Identifier: Apache-2.0
// One batch of invocations at work: rows with their shadows, the active invocations, what shared
// memory they see. Inside this room only.
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

namespace refract::inline interp {

/// The low bits of a shadow word are a Shadow; the others are about floats (float_shadow.h).
constexpr uint32_t kShadowMask = 3;
constexpr uint32_t kApproximateBit = 1;
constexpr uint32_t kUndefinedBit = 2;

class SharedMemory;
class ImageMemory;

class Machine {
 public:
  /// `lanes` is a multiple of 4.
  Machine(const Program::Code& code, uint32_t lanes, const RunOptions& options);
  ~Machine();

  const Program::Code& code() const { return code_; }
  const RunOptions& options() const { return options_; }
  uint32_t lanes() const { return lanes_; }

  // --- rows
  uint32_t* Row(uint32_t row) { return words_.data() + size_t{row} * lanes_; }
  /// Valid only where IsShadowed.
  uint32_t* ShadowRow(uint32_t row) { return shadows_.data() + size_t{row} * lanes_; }
  /// Some invocation's shadow of the row may be other than 0.
  bool IsShadowed(uint32_t row) const { return shadowed_[row] != 0; }
  uint32_t ShadowOf(uint32_t row, uint32_t lane) const {
    return shadowed_[row] != 0 ? shadows_[size_t{row} * lanes_ + lane] : 0;
  }
  /// From now on ShadowRow(row) is what counts.
  uint32_t* MakeShadowed(uint32_t row) {
    if (shadowed_[row] == 0) BeginShadow(row);
    return ShadowRow(row);
  }
  /// The shadow of the active invocations becomes 0.
  void ClearShadow(uint32_t row);
  void SetShadow(uint32_t row, uint32_t lane, uint32_t shadow) {
    if (shadow != 0) {
      MakeShadowed(row)[lane] = shadow;
    } else if (shadowed_[row] != 0) {
      shadows_[size_t{row} * lanes_ + lane] = 0;
    }
  }
  /// The value of a scalar of any width, as its bits.
  uint64_t Get(uint32_t row, Scalar scalar, uint32_t lane) {
    const uint64_t low = Row(row)[lane];
    return RowsOf(scalar) == 2 ? low | uint64_t{Row(row + 1)[lane]} << 32 : low;
  }
  void Set(uint32_t row, Scalar scalar, uint32_t lane, uint64_t bits) {
    Row(row)[lane] = static_cast<uint32_t>(bits);
    if (RowsOf(scalar) == 2) Row(row + 1)[lane] = static_cast<uint32_t>(bits >> 32);
  }
  /// Rows copied with their shadows, of the active invocations.
  void Copy(uint32_t to, uint32_t from, uint32_t rows);
  void CopyShadow(uint32_t to, uint32_t from);
  /// Makes room for so many rows: of code that is still being decoded.
  void Reserve(uint32_t rows);
  /// Gives the rows of constants their values: of those that have come since the last time.
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
  /// The same in the order that the schedule asks for: where they meet in memory.
  template <class Visit>
  void ForActiveInOrder(Visit visit) {
    for (const uint16_t lane : lane_order_) {
      if (active_.Has(lane)) visit(uint32_t{lane});
    }
  }
  /// 0 if none is.
  uint32_t FirstActive() const;
  bool AllActive() const { return active_count_ == lanes_; }
  uint32_t active_count() const { return active_count_; }
  const LaneSet& active() const { return active_; }
  /// By lane, and beyond the last as far as a block of kLaneBlock may reach: all bits set for those
  /// that are active.
  const uint32_t* ActiveMask() const { return active_mask_.data(); }
  const LaneSet& live() const { return live_; }
  /// Does not write memory that others see: beside the frame, or demoted.
  bool IsHelper(uint32_t lane) const { return helper_.Has(lane); }
  void Demote();
  void Discard();
  const LaneSet& discarded() const { return discarded_; }
  /// The invocation's number in the whole run, for races and messages.
  uint32_t InvocationNumber(uint32_t lane) const { return batch_->number[lane]; }
  /// In words: "the pixel (3, 4)", "invocation 5 of workgroup 1".
  std::string NameOf(uint32_t invocation_number) const;

  // --- what goes wrong
  bool stopped() const { return trap_.has_value(); }
  void Fail(Trap::Kind kind, Inst instruction, uint32_t lane, std::string message);
  /// Undefined behaviour in the op's instruction.
  void Fault(const Op& op, uint32_t lane, std::string_view what);
  /// Traps if the value is undefined; notes that an approximate one decides something.
  bool Steers(Inst instruction, uint32_t row, uint32_t lane, std::string_view what);
  void NoteApproximateControl() { approximate_control_ = true; }
  std::optional<Trap>& trap() { return trap_; }
  bool approximate_control() const { return approximate_control_; }

  // --- running
  /// A batch: its invocations with their built-in inputs are set up by `batch`.
  struct Batch {
    explicit Batch(uint32_t lanes)
        : there(lanes), helper(lanes), x(lanes), y(lanes), z(lanes), number(lanes) {}
    LaneSet there;                  ///< the lanes that are invocations at all
    LaneSet helper;                 ///< those that are helper invocations
    std::vector<uint32_t> x, y, z;  ///< pixel, or GlobalInvocationId, by lane
    std::vector<uint32_t> number;   ///< the invocation's in the whole run
    uint32_t workgroup[3] = {};
    /// Code::givens, each for all lanes: words and shadows.
    std::vector<uint32_t> given, given_shadows;
  };
  void RunBatch(const Batch& batch);
  /// Runs a function for the active invocations; those that return are active after it.
  void Call(uint32_t function);
  void RunOps(uint32_t first, uint32_t count);
  /// Ops on constants, for all invocations.
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
  /// What is known so far of Code::noted.
  struct Noted {
    enum State : uint8_t { kUnseen, kSame, kVaries };
    std::vector<State> states;
    std::vector<uint32_t> words;
  };
  Noted& noted() { return noted_; }

 private:
  struct Group {
    uint32_t block = 0;
    LaneSet lanes;
    bool is_back = false;  // came by a back edge: it has been in the loop already
  };
  struct Activation;
  void Activate(const LaneSet& lanes);
  void RunFunction(const FunctionCode& function);
  template <class Visit>
  void ForEachUnit(const LaneSet& lanes, Visit visit) const;
  void NoteTogether(LaneSet* together) const;
  uint32_t RunBlock(Activation& activation, uint32_t block);
  uint32_t Leave(Activation& activation, const BlockCode& block);
  uint32_t LeaveConditional(Activation& activation, const BlockCode& block);
  uint32_t LeaveSwitch(Activation& activation, const BlockCode& block);
  uint32_t Take(const Edge& edge);
  void Part(Activation& activation, const Edge& edge, const LaneSet& lanes);
  bool CanSteer(const BlockCode& block);
  void Wait(Activation& activation, uint32_t block, const LaneSet& lanes);
  void JoinLate(Activation& activation, Group& group);
  void BeginShadow(uint32_t row);
  void CopyActive(uint32_t* to, const uint32_t* from);
  void SetBuiltIns();
  uint32_t BuiltIn(spv::BuiltIn built_in, uint32_t component, uint32_t lane) const;
  bool CountSteps(const BlockCode& block);
  void LookAtClock(Inst instruction);
  void NoteSteps();

  const Program::Code& code_;
  const RunOptions options_;
  const uint32_t lanes_;
  uint32_t subgroup_size_ = 32;
  std::vector<uint32_t> words_;
  std::vector<uint32_t> shadows_;
  std::vector<uint8_t> shadowed_;
  LaneSet active_, live_, helper_, discarded_;
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
  uint64_t pending_steps_ = 0;  // of each active invocation, not yet in lane_steps_
  uint64_t issued_ = 0;         // steps of the batch, a bound on those of each invocation
  uint64_t unwatched_ = 0;      // work since the last look at the clock, in invocations times ops
  std::vector<uint64_t> block_counts_;
  SparseRows sparse_;
  SharedMemory* shared_ = nullptr;
  ImageMemory* images_ = nullptr;
  Random random_;
  Noted noted_;
  size_t constants_set_ = 0;
};

}  // namespace refract::inline interp
