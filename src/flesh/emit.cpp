// SPDX-License-Identifier: Apache-2.0
#include "flesh/emit.h"

#include <algorithm>
#include <bit>

#include "flesh/block_writer.h"

namespace refract::flesh {
namespace {

using spv::Op;

class Emitter {
 public:
  explicit Emitter(const ProgramParts& parts)
      : parts_(parts),
        module_(parts.options.stage, parts.graph.size()),
        code_(&module_, parts.payload),
        carried_(parts, &module_) {}

  std::vector<uint32_t> Run() {
    module_.SetWorkgroup(parts_.workgroup[0], parts_.workgroup[1], parts_.workgroup[2]);
    if (parts_.payload.has_array) code_.DeclareArray();
    labels_.resize(parts_.graph.size());
    for (uint32_t block = 0; block < parts_.graph.size(); ++block) {
      labels_[block] = ModuleWords::Label(block);
    }
    std::vector<const OutlinedConstruct*> in(parts_.graph.size());
    for (const OutlinedConstruct& function : parts_.functions) {
      for (const uint32_t block : function.blocks) in[block] = &function;
    }
    for (uint32_t block = 0; block < parts_.graph.size(); ++block) {
      if (in[block] == nullptr) {
        Block(block);
      } else if (in[block]->header == block) {
        Call(*in[block]);
      }
    }
    for (size_t i = 0; i < callees_.size(); ++i) Function(*called_[i], callees_[i]);
    return module_.Finish();
  }

 private:
  bool compute() const { return parts_.options.stage == Stage::kCompute; }
  uint32_t Constant(uint32_t value) { return module_.Constant(value); }

  // Returns the arguments for a function: data about the invocation, and pointers to the values.
  std::vector<uint32_t> Given() const {
    std::vector<uint32_t> given = {path_, table_row_, trace_row_, code_.local_index()};
    given.insert(given.end(), carried_.variables().begin(), carried_.variables().end());
    if (parts_.payload.has_array) given.push_back(code_.array());
    return given;
  }

  // Writes a call in the place of a construct.
  void Call(const OutlinedConstruct& construct) {
    Words& function = module_.function();
    const uint32_t callee = module_.NewId(), result = module_.NewId();
    std::vector<uint32_t> given = Given();
    for (uint32_t& id : given) {
      if (id == 0) id = Constant(0);  // this program does not use the argument
    }
    function.Add(Op::OpLabel, {labels_[construct.header]});
    function.Begin(Op::OpFunctionCall, 3 + given.size());
    function.words.insert(function.words.end(), {kVoid, result, callee});
    function.words.insert(function.words.end(), given.begin(), given.end());
    function.Add(Op::OpBranch, {labels_[construct.merge]});
    callees_.push_back(callee);
    called_.push_back(&construct);
  }

  // Writes the function of a construct: a block that enters it, the construct, and a block that
  // returns and serves as its merge block.
  void Function(const OutlinedConstruct& construct, uint32_t id) {
    const uint32_t array = parts_.payload.has_array
                               ? module_.Pointer(spv::StorageClass::Function, module_.ArrayType())
                               : 0;
    const uint32_t pointer = module_.Pointer(spv::StorageClass::Function, kUint);
    std::vector<uint32_t> types(4, kUint);
    types.insert(types.end(), parts_.payload.carried, pointer);
    if (array != 0) types.push_back(array);
    Words& function = module_.function();
    function.Add(Op::OpFunctionEnd, {});
    function.Add(Op::OpFunction, {kVoid, id, 0, module_.FunctionType(types)});
    std::vector<uint32_t> given;
    for (const uint32_t type : types) {
      given.push_back(module_.NewId());
      function.Add(Op::OpFunctionParameter, {type, given.back()});
    }
    path_ = given[0];
    table_row_ = given[1];
    trace_row_ = given[2];
    code_.SetLocalIndex(given[3], parts_.options.workgroup);
    carried_.SetVariables({given.begin() + 4, given.begin() + 4 + parts_.payload.carried});
    if (array != 0) code_.SetArray(given.back());
    const uint32_t header = module_.NewId(), merge = module_.NewId();
    function.Add(Op::OpLabel, {module_.NewId()});
    function.Add(Op::OpBranch, {header});
    labels_[construct.header] = header;
    labels_[construct.merge] = merge;
    for (const uint32_t block : construct.blocks) Block(block);
    labels_[construct.header] = ModuleWords::Label(construct.header);
    labels_[construct.merge] = ModuleWords::Label(construct.merge);
    function.Add(Op::OpLabel, {merge});
    function.Add(Op::OpReturn, {});
  }

  void Block(uint32_t block) {
    module_.function().Add(Op::OpLabel, {labels_[block]});
    code_.BeginBlock();
    if (block == 0) Prologue();
    carried_.Begin(block);
    const BlockWork& work = parts_.payload.blocks[block];
    const auto value = [&](const Operand& operand) {
      switch (operand.kind) {
        case Operand::kCarried:
          return carried_.Read(operand.value);
        case Operand::kResult:
          return carried_.Result(block, operand.value);
        case Operand::kConstant:
          return Constant(operand.value);
        case Operand::kHidden:
          break;
      }
      return code_.Hidden(operand.value);
    };
    for (uint32_t i = 0; i < work.operations; ++i) {
      const Operation& operation = parts_.payload.operations[work.first_operation + i];
      code_.Operate(operation, value(operation.a),
                    UsesSecond(operation.what) ? value(operation.b) : 0, carried_.Result(block, i));
    }
    const uint32_t position = carried_.Read(kPosition);
    if (compute()) Record(position, Constant(block + 1));
    std::vector<std::pair<uint32_t, uint32_t>> assigned;
    for (uint32_t i = 0; i < work.assignments; ++i) {
      const Assignment& assignment = parts_.payload.assignments[work.first_assignment + i];
      assigned.emplace_back(assignment.carried, value(assignment.to));
    }
    for (const auto& [carried, id] : assigned) carried_.Assign(carried, id);
    Leave(block, position);
  }

  static bool UsesSecond(Operator what) {
    return what != Operator::kNot && what != Operator::kReverse && what != Operator::kRead &&
           what < kFirstGroupOperation;
  }

  // Computes the number of the invocation or tile and the beginning of its rows.
  void Prologue() {
    const uint32_t invocation = compute() ? Invocation() : Tile();
    const uint32_t mask = Constant(std::bit_ceil(parts_.invocations) - 1);
    const uint32_t path = code_.Element(module_.StorageBuffer(kPathsBinding),
                                        code_.Binary(Op::OpBitwiseAnd, invocation, mask));
    path_ = code_.Binary(Op::OpBitwiseAnd, path, Constant(parts_.directions.paths - 1));
    if (!parts_.directions.buffer.empty() || !parts_.directions.uniform.empty()) {
      table_row_ = code_.Binary(Op::OpIMul, path_, Constant(parts_.directions.stride));
    }
    if (compute()) {
      trace_row_ = code_.Binary(Op::OpIMul, invocation, Constant(parts_.trace_stride));
    }
    for (uint32_t i = 0; i < parts_.payload.carried; ++i) {
      const Operand& initial = parts_.payload.initial[i];
      carried_.Initialise(i, initial.kind == Operand::kHidden ? code_.Hidden(initial.value)
                                                              : Constant(initial.value));
    }
  }

  uint32_t Invocation() {
    const uint32_t index =
        code_.Load(kUint, module_.BuiltIn(spv::BuiltIn::LocalInvocationIndex, kUint));
    code_.SetLocalIndex(index, parts_.options.workgroup);
    if (parts_.options.groups == 1) return index;
    const uint32_t vector = module_.Vector(3);
    const uint32_t group = code_.Extract(
        kUint, code_.Load(vector, module_.BuiltIn(spv::BuiltIn::WorkgroupId, vector)), 0);
    return code_.Binary(Op::OpIAdd, index,
                        code_.Binary(Op::OpIMul, group, Constant(parts_.options.workgroup)));
  }

  uint32_t Tile() {
    const uint32_t vector = module_.FloatVector();
    const uint32_t pixel = code_.Load(vector, module_.BuiltIn(spv::BuiltIn::FragCoord, vector));
    uint32_t side[2];
    for (uint32_t i = 0; i < 2; ++i) {
      const uint32_t whole =
          code_.Unary(Op::OpConvertFToU, code_.Extract(module_.Float(), pixel, i));
      side[i] =
          code_.Binary(Op::OpShiftRightLogical, whole, Constant(std::countr_zero(kTilePixels)));
    }
    return code_.Binary(Op::OpIAdd, side[0],
                        code_.Binary(Op::OpIMul, side[1], Constant(parts_.options.tiles)));
  }

  // Writes a word into the row of the invocation, never into that of another one.
  void Record(uint32_t position, uint32_t word) {
    const uint32_t within =
        code_.Binary(Op::OpBitwiseAnd, position, Constant(parts_.trace_stride - 1));
    const uint32_t index = code_.Binary(Op::OpIAdd, trace_row_, within);
    code_.Store(code_.ElementPointer(module_.StorageBuffer(kTraceBinding), index), word);
  }

  void Leave(uint32_t block, uint32_t position) {
    const cfg::GraphBlock& at = parts_.graph.blocks[block];
    const auto to = parts_.graph.Targets(block);
    Words& function = module_.function();
    if (to.empty()) return End(block);
    uint32_t asked = 0;
    if (to.size() > 1) {
      asked = at.is_switch ? Selector(block, position) : Condition(block, position);
      if (parts_.payload.fuel != 0) asked = WhileFuelLasts(block, asked);
    } else if (at.is_switch) {
      asked = carried_.ReadAssigned(kHash);
    }
    if (at.is_loop()) {
      function.Add(Op::OpLoopMerge, {labels_[at.merge], labels_[at.continue_target], 0});
    } else if (at.is_header()) {
      function.Add(Op::OpSelectionMerge, {labels_[at.merge], 0});
    }
    if (at.is_switch) {
      const std::vector<uint32_t>& literals = parts_.directions.of_block[block].literals;
      function.Begin(Op::OpSwitch, 2 * to.size());
      function.words.push_back(asked);
      for (uint32_t i = 0; i < to.size(); ++i) {
        if (i > 0) function.words.push_back(literals.empty() ? i : literals[i - 1]);
        function.words.push_back(labels_[to[i]]);
      }
    } else if (to.size() == 1) {
      function.Add(Op::OpBranch, {labels_[to[0]]});
    } else {
      function.Add(Op::OpBranchConditional, {asked, labels_[to[0]], labels_[to[1]]});
    }
  }

  uint32_t Condition(uint32_t block, uint32_t position) {
    const Direction& direction = parts_.directions.of_block[block];
    if (direction.source == DirectionSource::kSpecialisation) {
      const SpecialisedDirection& constant = parts_.directions.specialised[direction.constant];
      return module_.SpecBool(constant.in_module != 0, constant.id);
    }
    if (direction.source == DirectionSource::kComputed) {
      static constexpr Op kTests[] = {Op::OpULessThan, Op::OpUGreaterThanEqual, Op::OpIEqual,
                                      Op::OpINotEqual};
      uint32_t value = carried_.ReadAssigned(direction.carried);
      if (direction.multiplier != 1) {
        value = code_.Binary(Op::OpIMul, value, Constant(direction.multiplier));
      }
      const uint32_t bound = direction.bound.kind == Operand::kHidden
                                 ? code_.Hidden(direction.bound.value)
                                 : Constant(direction.bound.value);
      return code_.Compare(kTests[Word(direction.test)], value, bound);
    }
    return code_.Compare(Op::OpIEqual, Told(direction, position), Constant(0));
  }

  // Returns the condition of a branch. A back edge is taken only while there is fuel. The
  // comparison is signed, because an outer loop decrements the counter below zero after an inner
  // loop has used it up.
  uint32_t WhileFuelLasts(uint32_t block, uint32_t condition) {
    const uint8_t header = parts_.back_edge[block];
    if (header > 1) return condition;
    const uint32_t fuel = carried_.ReadAssigned(parts_.payload.fuel);
    const uint32_t left =
        code_.Compare(header == 0 ? Op::OpSGreaterThan : Op::OpSLessThanEqual, fuel, Constant(0));
    const uint32_t both = module_.NewId();
    module_.function().Add(header == 0 ? Op::OpLogicalAnd : Op::OpLogicalOr,
                           {kBool, both, condition, left});
    return both;
  }

  uint32_t Selector(uint32_t block, uint32_t position) {
    const Direction& direction = parts_.directions.of_block[block];
    if (direction.source == DirectionSource::kSpecialisation) {
      const SpecialisedDirection& constant = parts_.directions.specialised[direction.constant];
      return module_.SpecUint(constant.in_module, constant.id);
    }
    if (direction.source == DirectionSource::kComputed)
      return carried_.ReadAssigned(direction.carried);
    return Told(direction, position);
  }

  // Returns the number of the target that a table has for this path and visit.
  uint32_t Told(const Direction& direction, uint32_t position) {
    if (direction.source == DirectionSource::kPushConstant) {
      const uint32_t words = static_cast<uint32_t>(parts_.directions.push.size());
      const uint32_t word =
          code_.Element(module_.PushConstants(words), path_, spv::StorageClass::PushConstant);
      return code_.Binary(Op::OpBitwiseAnd,
                          code_.Binary(Op::OpShiftRightLogical, word, Constant(direction.shift)),
                          Constant((1u << direction.bits) - 1));
    }
    const uint32_t index = code_.Binary(
        Op::OpIAdd, table_row_,
        code_.Binary(Op::OpBitwiseAnd, position, Constant(parts_.directions.stride - 1)));
    if (direction.source == DirectionSource::kBuffer) {
      return code_.Element(module_.StorageBuffer(kDirectionsBinding), index);
    }
    const uint32_t vectors = static_cast<uint32_t>(parts_.directions.uniform.size() / 16);
    const uint32_t word = code_.WordOf(module_.UniformBlock(kBytesBinding, vectors),
                                       code_.Binary(Op::OpShiftRightLogical, index, Constant(2)));
    const uint32_t shift = code_.Binary(
        Op::OpShiftLeftLogical, code_.Binary(Op::OpBitwiseAnd, index, Constant(3)), Constant(3));
    return code_.Binary(Op::OpBitwiseAnd, code_.Binary(Op::OpShiftRightLogical, word, shift),
                        Constant(255));
  }

  void End(uint32_t block) {
    Words& function = module_.function();
    if (parts_.kills[block]) return function.Add(Op::OpKill, {});
    const uint32_t hash = carried_.ReadAssigned(kHash);
    if (compute()) {
      Record(carried_.ReadAssigned(kPosition), hash);
    } else {
      const uint32_t vectors = std::max(1u, parts_.directions.paths / 4);
      const uint32_t expected =
          code_.WordOf(module_.UniformBlock(kExpectedBinding, vectors), path_);
      code_.Store(module_.Colour(), code_.RedOrGreen(code_.Compare(Op::OpIEqual, hash, expected)));
    }
    function.Add(Op::OpReturn, {});
  }

  const ProgramParts& parts_;
  ModuleWords module_;
  BlockWriter code_;
  CarriedValues carried_;
  std::vector<uint32_t> labels_;  // labels of the blocks in the current function
  std::vector<uint32_t> callees_;
  std::vector<const OutlinedConstruct*> called_;
  uint32_t path_ = 0, table_row_ = 0, trace_row_ = 0;
};

}  // namespace

std::vector<uint32_t> Emit(const ProgramParts& parts) {
  return Emitter(parts).Run();
}

}  // namespace refract::flesh
