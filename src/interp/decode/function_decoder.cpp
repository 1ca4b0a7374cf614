// SPDX-License-Identifier: Apache-2.0
#include "interp/decode/function_decoder.h"

#include <algorithm>

#include "base/text.h"
#include "interp/decode/opcode_table.h"
#include "ir/branches.h"
#include "ir/call_graph.h"
#include "ir/types.h"

namespace refract {
inline namespace interp {
namespace {

constexpr uint32_t kMaxCallDepth = 200;

}  // namespace

// Refuses recursion, and chains of calls that are so deep that the interpreter's stack could
// overflow.
Status FunctionDecoder::CheckCalls(Function function, uint32_t depth,
                                   std::map<Function, uint32_t>* depths) {
  const Inst definition = decoder_.module[function].definition;
  if (depth > kMaxCallDepth) {
    return decoder_.Cannot(definition,
                           format("calls are nested more than {} levels deep", kMaxCallDepth));
  }
  uint32_t& reached = (*depths)[function];
  if (reached >= depth) return {};
  reached = depth;
  for (const Function callee : Callees(decoder_.module, function)) {
    if (Status status = CheckCalls(callee, depth + 1, depths); !status) return status;
  }
  return {};
}

Status FunctionDecoder::DecodeAll(const std::vector<Function>& functions) {
  std::map<Function, uint32_t> depths;
  if (Status status = CheckCalls(functions.front(), 1, &depths); !status) return status;
  for (const Function function : functions) {
    if (decoder_.module[function].first == Block::kNone) continue;  // calls of it are refused
    if (Status status = Declare(function); !status) return status;
  }
  for (const Function function : functions) {
    if (!decoder_.functions.contains(function)) continue;
    if (Status status = Decode(function); !status) return status;
  }
  decoder_.code.entry = decoder_.functions.at(functions.front());
  return {};
}

// Allocates rows for parameters and result, so that calls can be decoded in any order.
Status FunctionDecoder::Declare(Function function) {
  FunctionCode code;
  code.function = function;
  const Inst definition = decoder_.module[function].definition;
  const TypeInfo* type = nullptr;
  if (Status status = decoder_.types.ValueType(definition, decoder_.module.Type(definition), &type);
      !status) {
    return status;
  }
  code.result = decoder_.rows.Allocate(type->rows);
  code.result_rows = static_cast<uint32_t>(type->rows);
  Status failed;
  ForEachInstruction(decoder_.module, decoder_.module[function].head, [&](Inst inst) {
    if (!failed || decoder_.module.Opcode(inst) != spv::Op::OpFunctionParameter) return;
    const Result<uint32_t> row = decoder_.writer.RowOf(inst, decoder_.module.Result(inst));
    if (!row) {
      failed = row.error();
      return;
    }
    const TypeInfo* parameter = nullptr;
    failed = decoder_.types.ValueType(inst, decoder_.module.Type(inst), &parameter);
    if (!failed) return;
    code.parameters.push_back(*row);
    code.parameter_rows.push_back(static_cast<uint32_t>(parameter->rows));
  });
  if (!failed) return failed;
  decoder_.functions[function] = static_cast<uint32_t>(decoder_.code.functions.size());
  decoder_.code.functions.push_back(std::move(code));
  return {};
}

// Reverse postorder in which the merge block and the continue target of a header are visited before
// its other successors. Therefore the blocks of a construct come before its continue target, and
// that comes before its merge block.
std::vector<Block> FunctionDecoder::OrderBlocks(Function function) const {
  const ControlFlow& flow = decoder_.module.Flow(function);
  struct Frame {
    Block block;
    std::vector<Block> successors;
    size_t next = 0;
  };
  std::vector<Block> order;
  std::vector<bool> seen(decoder_.module.block_slots());
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
  visit(decoder_.module[function].first);
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

Status FunctionDecoder::Decode(Function function) {
  FunctionCode code = decoder_.code.functions[decoder_.functions.at(function)];
  const ControlFlow& flow = decoder_.module.Flow(function);
  const std::vector<Block> order = OrderBlocks(function);
  positions_.clear();
  for (size_t i = 0; i < order.size(); ++i) positions_[order[i]] = static_cast<uint32_t>(i);
  std::vector<Op> setup;
  decoder_.writer.EmitTo(&setup);
  // Variables are in the first block. All pointers into them derive from these.
  Status failed;
  ForEachInstruction(decoder_.module, order.front(), [&](Inst inst) {
    if (failed && decoder_.module.Opcode(inst) == spv::Op::OpVariable) {
      failed = variables_.Decode(inst);
    }
  });
  if (!failed) return failed;
  if (function == decoder_.options.only_function) {
    if (Status status = DecodeArguments(decoder_, function); !status) return status;
  }
  code.first_setup = decoder_.writer.Append(setup);
  code.setups = static_cast<uint32_t>(setup.size());
  for (const Block block : order) {
    if (Status status = DecodeBlock(code, block, flow); !status) return status;
  }
  decoder_.code.functions[decoder_.functions.at(function)] = std::move(code);
  return {};
}

Status FunctionDecoder::DecodeBlock(FunctionCode& function, Block block, const ControlFlow& flow) {
  BlockCode code;
  code.label = decoder_.module.LabelId(block);
  code.counter = static_cast<uint32_t>(decoder_.code.labels.size());
  decoder_.code.labels.push_back(code.label);
  code.terminator = decoder_.module.Terminator(block);
  const Block header = flow.HeaderOfMerge(block);
  if (header != Block::kNone && positions_.contains(header)) code.header = positions_[header];
  code.dead = decoder_.audit.dead_blocks.contains(code.label);
  std::vector<Op> ops;
  decoder_.writer.EmitTo(&ops);
  Status failed;
  if (block == decoder_.module[function.function].first) {
    failed = AuditParameters(decoder_, function.function);
  }
  AuditEntry(decoder_, block);
  ForEachInstruction(decoder_.module, block, [&](Inst inst) {
    if (!failed || inst == code.terminator) return;
    if (decoder_.module.Opcode(inst) != spv::Op::OpLabel) ++code.steps;
    failed = DecodeInstruction(decoder_, inst);
    if (failed) failed = AuditAfter(decoder_, inst);
  });
  if (!failed) return failed;
  ++code.steps;
  code.first_op = decoder_.writer.Append(ops);
  code.ops = static_cast<uint32_t>(ops.size());
  if (Status status = DecodeTerminator(&code, code.terminator); !status) return status;
  function.blocks.push_back(code);
  return {};
}

Status FunctionDecoder::DecodeTerminator(BlockCode* code, Inst terminator) {
  using End = BlockCode::End;
  const Block block = decoder_.module.BlockOf(terminator);
  code->first_edge = static_cast<uint32_t>(decoder_.code.edges.size());
  switch (decoder_.module.Opcode(terminator)) {
    case spv::Op::OpBranch:
      code->end = End::kBranch;
      return AddEdge(block, decoder_.module.IdAt(terminator, 0));
    case spv::Op::OpBranchConditional: {
      code->end = End::kConditional;
      const Result<uint32_t> row =
          decoder_.writer.RowOf(terminator, decoder_.module.IdAt(terminator, 0));
      if (!row) return row.error();
      code->condition = *row;
      if (Status status = AddEdge(block, decoder_.module.IdAt(terminator, 1)); !status) {
        return status;
      }
      return AddEdge(block, decoder_.module.IdAt(terminator, 2));
    }
    case spv::Op::OpSwitch:
      return DecodeSwitch(code, terminator);
    case spv::Op::OpReturn:
      code->end = End::kReturn;
      return {};
    case spv::Op::OpReturnValue: {
      code->end = End::kReturnValue;
      const Result<uint32_t> row =
          decoder_.writer.RowOf(terminator, decoder_.module.IdAt(terminator, 0));
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
      return decoder_.Cannot(terminator, "this terminator is not supported");
  }
}

Status FunctionDecoder::DecodeSwitch(BlockCode* code, Inst terminator) {
  const Id selector = decoder_.module.IdAt(terminator, 0);
  const TypeInfo* type = nullptr;
  if (Status status = decoder_.types.ValueType(terminator, decoder_.module.TypeOf(selector), &type);
      !status) {
    return status;
  }
  const Result<uint32_t> row = decoder_.writer.RowOf(terminator, selector);
  if (!row) return row.error();
  code->end = BlockCode::End::kSwitch;
  code->condition = *row;
  code->selector = type->scalar;
  code->first_literal = static_cast<uint32_t>(decoder_.code.literals.size());
  code->edges = 1;
  const Block block = decoder_.module.BlockOf(terminator);
  if (Status status = AddEdge(block, decoder_.module.IdAt(terminator, 1)); !status) return status;
  const uint32_t words = RowsOf(type->scalar), operands = decoder_.module.OperandCount(terminator);
  const uint32_t width = WidthOf(type->scalar);
  for (uint32_t i = 2; i + words < operands; i += words + 1) {
    uint64_t literal = decoder_.module.Word(terminator, i);
    if (words == 2) literal |= uint64_t{decoder_.module.Word(terminator, i + 1)} << 32;
    if (width < 64) literal &= (uint64_t{1} << width) - 1;
    decoder_.code.literals.push_back(literal);
    ++code->edges;
    Status status = AddEdge(block, decoder_.module.IdAt(terminator, i + words));
    if (!status) return status;
  }
  return {};
}

// All phis get their values at the same time. If a phi reads what another one writes, the values
// are copied through temporary rows.
Status FunctionDecoder::AddEdge(Block from, Id target) {
  const Block to = decoder_.module.BlockOfLabel(target);
  std::vector<Move> moves;
  Status failed;
  ForEachInstruction(decoder_.module, to, [&](Inst inst) {
    if (!failed || decoder_.module.Opcode(inst) != spv::Op::OpPhi) return;
    for (uint32_t i = 0; i + 1 < decoder_.module.OperandCount(inst); i += 2) {
      if (decoder_.module.IdAt(inst, i + 1) != decoder_.module.LabelId(from)) continue;
      const TypeInfo* type = nullptr;
      if (failed = decoder_.types.ValueType(inst, decoder_.module.Type(inst), &type); !failed) {
        return;
      }
      const Result<uint32_t> row = decoder_.writer.RowOf(inst, decoder_.module.Result(inst));
      const Result<uint32_t> value =
          row ? decoder_.writer.RowOf(inst, decoder_.module.IdAt(inst, i)) : row;
      if (!value) {
        failed = value.error();
        return;
      }
      moves.push_back({*row, *value, static_cast<uint32_t>(type->rows)});
      return;
    }
  });
  if (!failed) return failed;
  const bool overlapping = std::any_of(moves.begin(), moves.end(), [&](const Move& reader) {
    return std::any_of(moves.begin(), moves.end(), [&](const Move& writer) {
      return &writer != &reader && reader.from < writer.to + writer.rows &&
             writer.to < reader.from + reader.rows;
    });
  });
  Edge edge;
  edge.block = positions_.at(to);
  edge.first_move = static_cast<uint32_t>(decoder_.code.moves.size());
  if (overlapping) {
    std::vector<Move> second;
    for (Move& move : moves) {
      const uint32_t between = decoder_.rows.Allocate(move.rows);
      second.push_back({move.to, between, move.rows});
      move.to = between;
    }
    moves.insert(moves.end(), second.begin(), second.end());
  }
  edge.moves = static_cast<uint32_t>(moves.size());
  decoder_.code.moves.insert(decoder_.code.moves.end(), moves.begin(), moves.end());
  decoder_.code.edges.push_back(edge);
  return {};
}

}  // namespace interp
}  // namespace refract
