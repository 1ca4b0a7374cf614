// SPDX-License-Identifier: Apache-2.0
#include "flesh/block_writer.h"

#include <algorithm>

#include "base/check.h"

namespace refract::flesh {
namespace {

using spv::Op;
using spv::StorageClass;

}  // namespace

void BlockWriter::DeclareArray() {
  const uint32_t type = module_.ArrayType();
  const uint32_t pointer = module_.Pointer(StorageClass::Function, type);
  array_ = module_.NewId();
  const uint32_t null = module_.Null(type);
  module_.variables().Add(Op::OpVariable, {pointer, array_, Word(StorageClass::Function), null});
}

void BlockWriter::Operate(const Operation& operation, uint32_t a, uint32_t b, uint32_t result) {
  switch (operation.what) {
    case Operator::kAdd:
      return Result(Op::OpIAdd, a, b, result);
    case Operator::kSubtract:
      return Result(Op::OpISub, a, b, result);
    case Operator::kMultiply:
      return Result(Op::OpIMul, a, b, result);
    case Operator::kAnd:
      return Result(Op::OpBitwiseAnd, a, b, result);
    case Operator::kOr:
      return Result(Op::OpBitwiseOr, a, b, result);
    case Operator::kXor:
      return Result(Op::OpBitwiseXor, a, b, result);
    case Operator::kNot:
      return module_.function().Add(Op::OpNot, {kUint, result, a});
    case Operator::kReverse:
      return module_.function().Add(Op::OpBitReverse, {kUint, result, a});
    case Operator::kRotate: {
      const uint32_t left = Binary(Op::OpShiftLeftLogical, a, b);
      const uint32_t rest = module_.Constant(32 - operation.b.value);
      return Result(Op::OpBitwiseOr, left, Binary(Op::OpShiftRightLogical, a, rest), result);
    }
    case Operator::kShiftLeft:
      return Result(Op::OpShiftLeftLogical, a, b, result);
    case Operator::kShiftRight:
      return Result(Op::OpShiftRightLogical, a, b, result);
    case Operator::kShiftRightSigned:
      return Result(Op::OpShiftRightArithmetic, a, b, result);
    case Operator::kDivide:
      return Result(Op::OpUDiv, a, Binary(Op::OpBitwiseOr, b, module_.Constant(1)), result);
    case Operator::kRemainder:
      return Result(Op::OpUMod, a, Binary(Op::OpBitwiseOr, b, module_.Constant(1)), result);
    case Operator::kLess: {
      const uint32_t less = Compare(Op::OpULessThan, a, b);
      return module_.function().Add(Op::OpSelect, {kUint, result, less, a, b});
    }
    case Operator::kRead:
      return module_.function().Add(Op::OpLoad, {kUint, result, LocalPointer(a)});
    case Operator::kWrite: {
      const uint32_t pointer = LocalPointer(a);
      Store(pointer, b);
      return module_.function().Add(Op::OpLoad, {kUint, result, pointer});
    }
    case Operator::kExchange:
    case Operator::kSubgroupSum:
    case Operator::kSubgroupCount:
    case Operator::kSubgroupFirst:
    case Operator::kSubgroupSame:
      return AddGroupOperation(operation.what, a, result);
    case Operator::kCount:
      break;
  }
  CHECK(false);
}

uint32_t BlockWriter::LocalPointer(uint32_t index) {
  const uint32_t within = Binary(Op::OpBitwiseAnd, index, module_.Constant(kLocalWords - 1));
  const uint32_t type = module_.Pointer(StorageClass::Function, kUint);
  const uint32_t id = module_.NewId();
  module_.function().Add(Op::OpAccessChain, {type, id, array_, within});
  return id;
}

uint32_t BlockWriter::Hidden(uint32_t word) {
  for (const auto& [known, id] : loaded_) {
    if (known == word) return id;
  }
  const uint32_t vectors = static_cast<uint32_t>((payload_.hidden.size() + 3) / 4);
  const uint32_t block = module_.UniformBlock(kHiddenBinding, vectors);
  const uint32_t type = module_.Pointer(StorageClass::Uniform, kUint);
  const uint32_t zero = module_.Constant(0), vector = module_.Constant(word / 4);
  const uint32_t component = module_.Constant(word % 4), pointer = module_.NewId();
  module_.function().Add(Op::OpAccessChain, {type, pointer, block, zero, vector, component});
  const uint32_t id = Load(kUint, pointer);
  loaded_.emplace_back(word, id);
  return id;
}

uint32_t BlockWriter::Unary(Op opcode, uint32_t a) {
  const uint32_t id = module_.NewId();
  module_.function().Add(opcode, {kUint, id, a});
  return id;
}

uint32_t BlockWriter::Binary(Op opcode, uint32_t a, uint32_t b) {
  const uint32_t id = module_.NewId();
  Result(opcode, a, b, id);
  return id;
}

uint32_t BlockWriter::Compare(Op opcode, uint32_t a, uint32_t b) {
  const uint32_t id = module_.NewId();
  module_.function().Add(opcode, {kBool, id, a, b});
  return id;
}

uint32_t BlockWriter::Load(uint32_t type, uint32_t pointer) {
  const uint32_t id = module_.NewId();
  module_.function().Add(Op::OpLoad, {type, id, pointer});
  return id;
}

uint32_t BlockWriter::Extract(uint32_t type, uint32_t composite, uint32_t index) {
  const uint32_t id = module_.NewId();
  module_.function().Add(Op::OpCompositeExtract, {type, id, composite, index});
  return id;
}

uint32_t BlockWriter::ElementPointer(uint32_t block, uint32_t index, StorageClass storage) {
  const uint32_t type = module_.Pointer(storage, kUint), zero = module_.Constant(0);
  const uint32_t id = module_.NewId();
  module_.function().Add(Op::OpAccessChain, {type, id, block, zero, index});
  return id;
}

uint32_t BlockWriter::Element(uint32_t block, uint32_t index, StorageClass storage) {
  return Load(kUint, ElementPointer(block, index, storage));
}

uint32_t BlockWriter::WordOf(uint32_t block, uint32_t number) {
  const uint32_t vector = Binary(Op::OpShiftRightLogical, number, module_.Constant(2));
  const uint32_t component = Binary(Op::OpBitwiseAnd, number, module_.Constant(3));
  const uint32_t type = module_.Pointer(StorageClass::Uniform, kUint);
  const uint32_t zero = module_.Constant(0), pointer = module_.NewId();
  module_.function().Add(Op::OpAccessChain, {type, pointer, block, zero, vector, component});
  return Load(kUint, pointer);
}

uint32_t BlockWriter::RedOrGreen(uint32_t condition) {
  constexpr uint32_t kOne = 0x3f800000;
  const uint32_t type = module_.Float(), vector = module_.FloatVector();
  const uint32_t zero = module_.FloatConstant(0), one = module_.FloatConstant(kOne);
  const uint32_t red = module_.NewId(), green = module_.NewId(), colour = module_.NewId();
  module_.function().Add(Op::OpSelect, {type, red, condition, zero, one});
  module_.function().Add(Op::OpSelect, {type, green, condition, one, zero});
  module_.function().Add(Op::OpCompositeConstruct, {vector, colour, red, green, zero, one});
  return colour;
}

CarriedValues::CarriedValues(const ProgramParts& parts, ModuleWords* module)
    : parts_(parts), module_(*module) {
  for (const BlockWork& work : parts.payload.blocks) {
    results_.push_back(module_.NewIds(work.operations));
  }
  const uint32_t count = parts.payload.carried;
  now_.resize(count);
  assigned_.resize(count);
  if (parts.phis) {
    begin_.resize(size_t{parts.graph.size()} * count);
    FindPredecessors();
    for (uint32_t block = 1; block < parts.graph.size(); ++block) {
      const bool any = first_of_[block] != first_of_[block + 1];
      const uint32_t first = any ? module_.NewIds(count) : 0;
      for (uint32_t i = 0; i < count; ++i) {
        begin_[block * count + i] = any ? first + i : module_.Constant(i);
      }
    }
    return;
  }
  const uint32_t type = module_.Pointer(StorageClass::Function, kUint);
  for (uint32_t i = 0; i < count; ++i) {
    variables_.push_back(module_.NewId());
    module_.variables().Add(Op::OpVariable,
                            {type, variables_.back(), Word(StorageClass::Function)});
  }
}

// Lists each predecessor once, even if several labels of a switch lead from one block to another.
void CarriedValues::FindPredecessors() {
  const cfg::Graph& graph = parts_.graph;
  first_of_.resize(graph.size() + 2);
  const auto for_each = [&](auto visit) {
    for (uint32_t block = 0; block < graph.size(); ++block) {
      const auto to = graph.Targets(block);
      for (size_t i = 0; i < to.size(); ++i) {
        if (std::find(to.begin(), to.begin() + i, to[i]) == to.begin() + i) visit(block, to[i]);
      }
    }
  };
  for_each([&](uint32_t, uint32_t to) { ++first_of_[to + 2]; });
  for (size_t i = 2; i < first_of_.size(); ++i) first_of_[i] += first_of_[i - 1];
  predecessors_.resize(first_of_.back());
  for_each([&](uint32_t from, uint32_t to) { predecessors_[first_of_[to + 1]++] = from; });
}

void CarriedValues::Initialise(uint32_t carried, uint32_t value) {
  if (parts_.phis) {
    begin_[carried] = value;
  } else {
    module_.function().Add(Op::OpStore, {variables_[carried], value});
  }
}

void CarriedValues::Begin(uint32_t block) {
  const uint32_t count = parts_.payload.carried;
  if (!parts_.phis) {
    std::fill(now_.begin(), now_.end(), 0);
    std::fill(assigned_.begin(), assigned_.end(), 0);
    return;
  }
  const uint32_t first = first_of_[block], last = first_of_[block + 1];
  for (uint32_t i = 0; i < count; ++i) {
    now_[i] = assigned_[i] = AtBegin(block, i);
    if (first == last) continue;
    module_.function().Begin(Op::OpPhi, 2 + 2 * (last - first));
    std::vector<uint32_t>& words = module_.function().words;
    words.insert(words.end(), {kUint, now_[i]});
    for (uint32_t at = first; at < last; ++at) {
      const uint32_t value = AtEnd(predecessors_[at], i);
      words.insert(words.end(), {value, ModuleWords::Label(predecessors_[at])});
    }
  }
}

uint32_t CarriedValues::AtEnd(uint32_t block, uint32_t carried) {
  const BlockWork& work = parts_.payload.blocks[block];
  for (uint32_t i = 0; i < work.assignments; ++i) {
    const Assignment& assignment = parts_.payload.assignments[work.first_assignment + i];
    if (assignment.carried != carried) continue;
    switch (assignment.to.kind) {
      case Operand::kCarried:
        return AtBegin(block, assignment.to.value);
      case Operand::kResult:
        return Result(block, assignment.to.value);
      case Operand::kConstant:
        return module_.Constant(assignment.to.value);
      case Operand::kHidden:
        CHECK(false);
    }
  }
  return AtBegin(block, carried);
}

uint32_t CarriedValues::Read(uint32_t carried) {
  if (now_[carried] != 0) return now_[carried];
  const uint32_t id = module_.NewId();
  module_.function().Add(Op::OpLoad, {kUint, id, variables_[carried]});
  return now_[carried] = id;
}

void CarriedValues::Assign(uint32_t carried, uint32_t value) {
  if (parts_.phis) {
    assigned_[carried] = value;
  } else {
    module_.function().Add(Op::OpStore, {variables_[carried], value});
  }
}

uint32_t CarriedValues::ReadAssigned(uint32_t carried) {
  if (assigned_[carried] != 0) return assigned_[carried];
  const uint32_t id = module_.NewId();
  module_.function().Add(Op::OpLoad, {kUint, id, variables_[carried]});
  return assigned_[carried] = id;
}

}  // namespace refract::flesh
