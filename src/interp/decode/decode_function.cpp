// SPDX-License-Identifier: Apache-2.0
// Decodes functions: the order of blocks, in which control flow joins as early as possible, and
// phis as moves on edges.
#include <algorithm>

#include "base/text.h"
#include "interp/decode/decode.h"
#include "ir/branches.h"
#include "ir/call_graph.h"
#include "ir/types.h"

namespace refract {
inline namespace interp {

// Refuses recursion, and chains of calls that are so deep that the interpreter's stack could
// overflow.
Status Decoder::CheckCalls(Function function, uint32_t depth,
                           std::map<Function, uint32_t>* depths) {
  const Inst definition = module_[function].definition;
  if (depth > kMostCallDepth) {
    return Cannot(definition, format("calls are nested more than {} deep", kMostCallDepth));
  }
  uint32_t& reached = (*depths)[function];
  if (reached >= depth) return {};
  reached = depth;
  for (const Function callee : Callees(module_, function)) {
    if (Status status = CheckCalls(callee, depth + 1, depths); !status) return status;
  }
  return {};
}

Status Decoder::DecodeFunctions() {
  std::map<Function, uint32_t> depths;
  if (Status status = CheckCalls(reached_.front(), 1, &depths); !status) return status;
  for (const Function function : reached_) {
    if (module_[function].first == Block::kNone) continue;  // calls of it are refused
    if (Status status = DeclareFunction(function); !status) return status;
  }
  for (const Function function : reached_) {
    if (!functions_.contains(function)) continue;
    if (Status status = DecodeFunction(function); !status) return status;
  }
  code_->entry = functions_.at(reached_.front());
  return {};
}

// Allocates rows for parameters and result, so that calls can be decoded in any order.
Status Decoder::DeclareFunction(Function function) {
  FunctionCode code;
  code.function = function;
  const Inst definition = module_[function].definition;
  const TypeInfo* type = nullptr;
  if (Status status = ValueType(definition, module_.Type(definition), &type); !status) {
    return status;
  }
  code.result = NewRows(type->rows);
  code.result_rows = static_cast<uint32_t>(type->rows);
  Status failed;
  ForEachInstruction(module_, module_[function].head, [&](Inst inst) {
    if (!failed || module_.Opcode(inst) != spv::Op::OpFunctionParameter) return;
    const Result<uint32_t> row = RowOf(inst, module_.Result(inst));
    if (!row) {
      failed = row.error();
      return;
    }
    const TypeInfo* parameter = nullptr;
    failed = ValueType(inst, module_.Type(inst), &parameter);
    if (!failed) return;
    code.parameters.push_back(*row);
    code.parameter_rows.push_back(static_cast<uint32_t>(parameter->rows));
  });
  if (!failed) return failed;
  functions_[function] = static_cast<uint32_t>(code_->functions.size());
  code_->functions.push_back(std::move(code));
  return {};
}

// Reverse postorder in which the merge block and the continue target of a header are visited before
// its other successors. Therefore the blocks of a construct come before its continue target, and
// that comes before its merge block.
std::vector<Block> Decoder::OrderBlocks(Function function) const {
  const ControlFlow& flow = module_.Flow(function);
  struct Frame {
    Block block;
    std::vector<Block> successors;
    size_t next = 0;
  };
  std::vector<Block> order;
  std::vector<bool> seen(module_.block_slots());
  std::vector<Frame> stack;
  const auto visit = [&](Block block) {
    if (seen[Index(block)]) return;
    seen[Index(block)] = true;
    Frame frame{block, {}, 0};
    const ControlFlow::BlockNode& node = flow.Node(block);
    if (node.merge != Block::kNone) {
      frame.successors.push_back(node.merge);
      if (node.kind == ConstructKind::kLoop) frame.successors.push_back(node.continue_target);
    }
    for (const Block next : flow.Successors(block)) frame.successors.push_back(next);
    stack.push_back(std::move(frame));
  };
  visit(module_[function].first);
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next < top.successors.size()) {
      visit(top.successors[top.next++]);
      continue;
    }
    order.push_back(top.block);
    stack.pop_back();
  }
  std::reverse(order.begin(), order.end());
  return order;
}

Status Decoder::DecodeFunction(Function function) {
  FunctionCode code = code_->functions[functions_.at(function)];
  const ControlFlow& flow = module_.Flow(function);
  const std::vector<Block> order = OrderBlocks(function);
  positions_.clear();
  for (size_t i = 0; i < order.size(); ++i) positions_[order[i]] = static_cast<uint32_t>(i);
  setup_.clear();
  // Variables are in the first block. All pointers into them derive from these.
  Status failed;
  ForEachInstruction(module_, order.front(), [&](Inst inst) {
    if (failed && module_.Opcode(inst) == spv::Op::OpVariable) failed = DecodeVariable(inst);
  });
  if (!failed) return failed;
  if (function == options_.only_function) {
    ops_ = &setup_;
    if (Status status = DecodeArguments(function); !status) return status;
  }
  code.first_setup = static_cast<uint32_t>(code_->ops.size());
  code.setups = static_cast<uint32_t>(setup_.size());
  code_->ops.insert(code_->ops.end(), setup_.begin(), setup_.end());
  for (const Block block : order) {
    if (Status status = DecodeBlock(code, block, flow); !status) return status;
  }
  code_->functions[functions_.at(function)] = std::move(code);
  return {};
}

Status Decoder::DecodeBlock(FunctionCode& function, Block block, const ControlFlow& flow) {
  BlockCode code;
  code.label = module_.LabelId(block);
  code.counter = static_cast<uint32_t>(code_->labels.size());
  code_->labels.push_back(code.label);
  code.terminator = module_.Terminator(block);
  const Block header = flow.HeaderOfMerge(block);
  if (header != Block::kNone && positions_.contains(header)) code.header = positions_[header];
  code.dead = dead_blocks_.contains(code.label);
  std::vector<Op> ops;
  ops_ = &ops;
  Status failed;
  if (block == module_[function.function].first) failed = AuditParameters(function.function);
  AuditEntry(block);
  ForEachInstruction(module_, block, [&](Inst inst) {
    if (!failed || inst == code.terminator) return;
    if (module_.Opcode(inst) != spv::Op::OpLabel) ++code.steps;
    failed = DecodeInstruction(inst);
    if (failed) failed = AuditAfter(inst);
  });
  if (!failed) return failed;
  ++code.steps;
  code.first_op = static_cast<uint32_t>(code_->ops.size());
  code.ops = static_cast<uint32_t>(ops.size());
  code_->ops.insert(code_->ops.end(), ops.begin(), ops.end());
  if (Status status = DecodeEnd(&code, code.terminator); !status) return status;
  function.blocks.push_back(code);
  return {};
}

Status Decoder::DecodeEnd(BlockCode* code, Inst terminator) {
  using End = BlockCode::End;
  const Block block = module_.BlockOf(terminator);
  code->first_edge = static_cast<uint32_t>(code_->edges.size());
  switch (module_.Opcode(terminator)) {
    case spv::Op::OpBranch:
      code->end = End::kBranch;
      return AddEdge(block, module_.IdAt(terminator, 0));
    case spv::Op::OpBranchConditional: {
      code->end = End::kConditional;
      const Result<uint32_t> row = RowOf(terminator, module_.IdAt(terminator, 0));
      if (!row) return row.error();
      code->condition = *row;
      if (Status status = AddEdge(block, module_.IdAt(terminator, 1)); !status) return status;
      return AddEdge(block, module_.IdAt(terminator, 2));
    }
    case spv::Op::OpSwitch:
      return DecodeSwitch(code, terminator);
    case spv::Op::OpReturn:
      code->end = End::kReturn;
      return {};
    case spv::Op::OpReturnValue: {
      code->end = End::kReturnValue;
      const Result<uint32_t> row = RowOf(terminator, module_.IdAt(terminator, 0));
      if (!row) return row.error();
      code->condition = *row;
      return {};
    }
    case spv::Op::OpKill:
    case spv::Op::OpTerminateInvocation:
      code->end = End::kKill;
      return {};
    case spv::Op::OpUnreachable:
      code->end = End::kUnreachable;
      return {};
    default:
      return Cannot(terminator, "this terminator is not supported");
  }
}

Status Decoder::DecodeSwitch(BlockCode* code, Inst terminator) {
  const Id selector = module_.IdAt(terminator, 0);
  const TypeInfo* type = nullptr;
  if (Status status = ValueType(terminator, module_.TypeOf(selector), &type); !status) {
    return status;
  }
  const Result<uint32_t> row = RowOf(terminator, selector);
  if (!row) return row.error();
  code->end = BlockCode::End::kSwitch;
  code->condition = *row;
  code->selector = type->scalar;
  code->first_literal = static_cast<uint32_t>(code_->literals.size());
  code->edges = 1;
  const Block block = module_.BlockOf(terminator);
  if (Status status = AddEdge(block, module_.IdAt(terminator, 1)); !status) return status;
  const uint32_t words = RowsOf(type->scalar), operands = module_.OperandCount(terminator);
  const uint32_t width = WidthOf(type->scalar);
  for (uint32_t i = 2; i + words < operands; i += words + 1) {
    uint64_t literal = module_.Word(terminator, i);
    if (words == 2) literal |= uint64_t{module_.Word(terminator, i + 1)} << 32;
    if (width < 64) literal &= (uint64_t{1} << width) - 1;
    code_->literals.push_back(literal);
    ++code->edges;
    Status status = AddEdge(block, module_.IdAt(terminator, i + words));
    if (!status) return status;
  }
  return {};
}

// All phis get their values at the same time. If a phi reads what another one writes, the values
// are copied through temporary rows.
Status Decoder::AddEdge(Block from, Id target) {
  const Block to = module_.BlockOfLabel(target);
  std::vector<Move> moves;
  Status failed;
  ForEachInstruction(module_, to, [&](Inst inst) {
    if (!failed || module_.Opcode(inst) != spv::Op::OpPhi) return;
    for (uint32_t i = 0; i + 1 < module_.OperandCount(inst); i += 2) {
      if (module_.IdAt(inst, i + 1) != module_.LabelId(from)) continue;
      const TypeInfo* type = nullptr;
      if (failed = ValueType(inst, module_.Type(inst), &type); !failed) return;
      const Result<uint32_t> row = RowOf(inst, module_.Result(inst));
      const Result<uint32_t> value = row ? RowOf(inst, module_.IdAt(inst, i)) : row;
      if (!value) {
        failed = value.error();
        return;
      }
      moves.push_back({*row, *value, static_cast<uint32_t>(type->rows)});
      return;
    }
  });
  if (!failed) return failed;
  const bool tangled = std::any_of(moves.begin(), moves.end(), [&](const Move& reader) {
    return std::any_of(moves.begin(), moves.end(), [&](const Move& writer) {
      return &writer != &reader && reader.from < writer.to + writer.rows &&
             writer.to < reader.from + reader.rows;
    });
  });
  Edge edge;
  edge.block = positions_.at(to);
  edge.first_move = static_cast<uint32_t>(code_->moves.size());
  if (tangled) {
    std::vector<Move> second;
    for (Move& move : moves) {
      const uint32_t between = NewRows(move.rows);
      second.push_back({move.to, between, move.rows});
      move.to = between;
    }
    moves.insert(moves.end(), second.begin(), second.end());
  }
  edge.moves = static_cast<uint32_t>(moves.size());
  code_->moves.insert(code_->moves.end(), moves.begin(), moves.end());
  code_->edges.push_back(edge);
  return {};
}

}  // namespace interp
}  // namespace refract
