// SPDX-License-Identifier: Apache-2.0
#include "generate/emit.h"

#include <utility>

#include "generate/module_writer.h"
#include "generate/write_expression.h"
#include "generate/write_group.h"
#include "generate/write_output.h"

namespace refract::generate {
namespace {

using spv::Op;
using spv::StorageClass;

class Emitter {
 public:
  Emitter(const Tree& tree, const GenerateOptions& options)
      : tree_(tree),
        module_(options),
        code_(options, tree, &module_),
        groups_(options, &module_, &code_),
        output_(options, tree, &module_, &code_) {}

  EmittedModule Run() {
    for (size_t i = 0; i < tree_.functions.size(); ++i) {
      const bool is_main = i + 1 == tree_.functions.size();
      function_ids_.push_back(is_main ? module_.main() : module_.NewId());
      WriteFunction(tree_.functions[i], is_main);
    }
    result_.row = static_cast<uint32_t>(tree_.main().variables.size());
    result_.reads_inputs = module_.Has(kInputBinding);
    result_.reads_uniforms = module_.Has(kUniformBinding);
    for (const Scalar scalar : {Scalar::kInt, Scalar::kUint, Scalar::kFloat}) {
      if (module_.Has(ModuleWriter::BindingOfImage(scalar))) result_.images.push_back(scalar);
    }
    for (uint32_t i = 0; i < kSpecConstants; ++i) {
      if (module_.HasSpecConstant(i)) result_.spec_constants.push_back(i);
    }
    result_.storage_images = module_.storage_images();
    result_.words = module_.Finish();
    return std::move(result_);
  }

 private:
  Words& words() { return code_.code(); }
  void Label(uint32_t id) { words().Add(Op::OpLabel, {id}); }
  void Branch(uint32_t target) { words().Add(Op::OpBranch, {target}); }

  void WriteFunction(const Function& function, bool is_main) {
    code_.Begin();
    local_.words.clear();
    is_main_ = is_main;
    const uint32_t result = is_main ? module_.Void() : module_.TypeId(function.result);
    std::vector<uint32_t> types;
    Words parameters;
    for (uint32_t i = 0; i < function.parameters; ++i) {
      const uint32_t id = function.variables[i];
      const Variable& variable = tree_.variables[id];
      const uint32_t type = module_.VariableType(variable);
      types.push_back(variable.storage == Storage::kValue
                          ? type
                          : module_.Pointer(StorageClass::Function, type));
      code_.SetVariable(id, module_.NewId());
      parameters.Add(Op::OpFunctionParameter, {types.back(), code_.IdOf(id)});
    }
    for (uint32_t i = function.parameters; i < function.variables.size(); ++i) {
      Declare(function.variables[i]);
    }
    for (uint32_t i = function.parameters; i < function.variables.size(); ++i) {
      Initialise(function.variables[i]);
    }
    const bool ended = WriteBlock(function.body);
    code_.ListResults(nullptr);
    if (!ended) WriteReturn(function.returned);
    Words& all = module_.functions();
    all.Add(Op::OpFunction, {result, function_ids_.back(), 0, module_.FunctionType(result, types)});
    const auto append = [&all](const Words& some) {
      all.words.insert(all.words.end(), some.words.begin(), some.words.end());
    };
    append(parameters);
    all.Add(Op::OpLabel, {module_.NewId()});
    append(local_);
    append(code_.prologue());
    append(code_.code());
    all.Add(Op::OpFunctionEnd, {});
  }

  uint32_t Local(uint32_t type) {
    const uint32_t pointer = module_.Pointer(StorageClass::Function, type), id = module_.NewId();
    local_.Add(Op::OpVariable, {pointer, id, static_cast<uint32_t>(StorageClass::Function)});
    return id;
  }

  void Declare(uint32_t id) {
    const Variable& variable = tree_.variables[id];
    if (variable.storage == Storage::kTexel) {
      return code_.SetVariable(id, module_.StorageImage(variable.type));
    }
    const uint32_t type = module_.VariableType(variable);
    code_.SetVariable(id, variable.storage == Storage::kPrivate
                              ? module_.Global(StorageClass::Private, type)
                              : Local(type));
  }

  // Gives every part of the variable its initial value. Members of other types get a constant.
  void Initialise(uint32_t id) {
    const Variable& variable = tree_.variables[id];
    const uint32_t value = code_.WriteStored(variable.initial);
    for (uint32_t part = 0; part < variable.Parts(); ++part) {
      const Type type = variable.TypeOf(part);
      uint32_t given = value;
      if (type != variable.TypeOf(0)) given = module_.Constant(type, ConstantOf(type, part));
      code_.Store({id, kNone, 0}, given, part);
    }
  }
  static uint64_t ConstantOf(Type type, uint32_t part) {
    if (type.IsFloat()) return FloatBits(type.scalar, 1);
    return type.scalar == Scalar::kBool ? 1 : part + 1;
  }

  // Returns true if nothing after the block is executed: it ends with a jump.
  bool WriteBlock(const Block& block) {
    for (const Statement& statement : block) {
      if (WriteStatement(statement)) return true;
    }
    return false;
  }

  bool WriteStatement(const Statement& statement) {
    // What a call or an atomic gets may be divergent although its result is uniform.
    const bool combines =
        statement.kind == StatementKind::kCall || statement.kind == StatementKind::kGroup;
    code_.ListResults(statement.divergent || combines ? nullptr : &result_.uniform);
    switch (statement.kind) {
      case StatementKind::kAssign: {
        const uint32_t value = code_.WriteStored(statement.value);
        code_.Store(statement.target, value);
        return false;
      }
      case StatementKind::kIf:
        return WriteIf(statement);
      case StatementKind::kLoop:
        return WriteLoop(statement);
      case StatementKind::kSwitch:
        return WriteSwitch(statement);
      case StatementKind::kBreak:
        loop_->left = true;
        return WriteJump(statement, loop_->merge);
      case StatementKind::kContinue:
        loop_->continued = true;
        return WriteJump(statement, loop_->next);
      case StatementKind::kBreakSwitch:
        switch_->left = true;
        return WriteJump(statement, switch_->merge);
      case StatementKind::kReturn:
        WriteReturn(statement.value);
        return true;
      case StatementKind::kCall:
        WriteCall(statement);
        return false;
      default: {
        const auto operation = static_cast<GroupOperation>(statement.number);
        const uint32_t result = groups_.Write(operation, code_.Write(statement.value).id);
        if (!statement.divergent) result_.uniform.push_back(result);
        code_.Store(statement.target, result);
        return false;
      }
    }
  }

  // A jump with a condition needs no merge block: one of its targets leaves the construct.
  bool WriteJump(const Statement& statement, uint32_t target) {
    if (statement.value == kNone) {
      Branch(target);
      return true;
    }
    const uint32_t condition = code_.Write(statement.value).id, rest = module_.NewId();
    words().Add(Op::OpBranchConditional, {condition, target, rest});
    Label(rest);
    return false;
  }

  // Writes the start of a merge block. If nothing branches to it, it is OpUnreachable, or the code
  // that follows is dead.
  bool WriteMerge(uint32_t merge, bool is_reached, bool dead_end) {
    Label(merge);
    if (is_reached || dead_end) return false;
    words().Add(Op::OpUnreachable, {});
    return true;
  }

  bool WriteIf(const Statement& statement) {
    const bool has_else = !statement.blocks[1].empty();
    const uint32_t condition = code_.Write(statement.value).id;
    const uint32_t yes = module_.NewId(), merge = module_.NewId();
    const uint32_t no = has_else ? module_.NewId() : merge;
    words().Add(Op::OpSelectionMerge, {merge, 0});
    words().Add(Op::OpBranchConditional, {condition, yes, no});
    bool is_reached = !has_else;
    for (size_t i = 0; i < (has_else ? 2 : 1); ++i) {
      Label(i == 0 ? yes : no);
      if (WriteBlock(statement.blocks[i])) continue;
      Branch(merge);
      is_reached = true;
    }
    return WriteMerge(merge, is_reached, statement.dead_end);
  }

  bool WriteSwitch(const Statement& statement) {
    const size_t count = statement.blocks.size();
    const uint32_t value = code_.Write(statement.value).id;
    uint32_t literals = 0;
    for (const uint32_t some : statement.arguments) literals += some;
    // Each label gets as many values, and so does the default.
    const Type type = tree_.expressions[statement.value].type;
    uint32_t selector = code_.Add(Op::OpUMod, type, {value, module_.Constant(type, literals + 1)});
    const uint32_t width = WidthOf(type.scalar);
    const uint64_t start = statement.start | uint64_t{statement.start} << 32;
    if (statement.start != 0) {
      selector = code_.Add(Op::OpIAdd, type, {selector, module_.Constant(type, start)});
    }
    Target target{module_.NewId()};
    const auto falls = [&](size_t i) { return i + 1 < count && statement.falls_through[i]; };
    std::vector<uint32_t> labels;
    for (size_t i = 0; i < count; ++i) {
      // Equal targets must be listed next to each other, so only one case is the merge block.
      const bool skips =
          statement.blocks[i].empty() && !falls(i) && (i == 0 || !falls(i - 1)) && !target.left;
      labels.push_back(skips ? target.merge : module_.NewId());
      target.left |= skips;
    }
    words().Add(Op::OpSelectionMerge, {target.merge, 0});
    words().Begin(Op::OpSwitch, 2 + (width == 64 ? 3 : 2) * literals);
    words().words.insert(words().words.end(), {selector, labels[statement.number]});
    uint64_t literal = start;
    for (size_t i = 0; i < count; ++i) {
      for (uint32_t some = statement.arguments[i]; some > 0; --some, ++literal) {
        const auto low = static_cast<uint32_t>(literal);
        words().words.push_back(width == 16 ? low & 0xffff : low);
        if (width == 64) words().words.push_back(static_cast<uint32_t>(literal >> 32));
        words().words.push_back(labels[i]);
      }
    }
    Target* const outer = std::exchange(switch_, &target);
    for (size_t i = 0; i < count; ++i) {
      if (labels[i] == target.merge) continue;
      Label(labels[i]);
      if (WriteBlock(statement.blocks[i])) continue;
      Branch(falls(i) ? labels[i + 1] : target.merge);
      target.left |= !falls(i);
    }
    switch_ = outer;
    return WriteMerge(target.merge, target.left, statement.dead_end);
  }

  // The rounds of a loop are counted by a variable of its own, which nothing else changes.
  bool WriteLoop(const Statement& statement) {
    const uint32_t counter = Local(module_.TypeId(kIntType));
    code_.SetCounter(statement.counter, counter);
    const uint32_t start = module_.Constant(kIntType, statement.start);
    uint32_t end = 0;
    if (statement.value == kNone) {
      end = module_.Constant(kIntType, statement.start + statement.number);
    } else {
      const uint32_t value = code_.Write(statement.value).id;
      const uint32_t most = module_.Uint(tree_.most_rounds);
      const uint32_t rest = code_.Add(Op::OpUMod, kUintType, {value, most});
      const uint32_t number = code_.Add(Op::OpBitcast, kIntType, {rest});
      end = code_.Add(Op::OpIAdd, kIntType,
                      {number, module_.Constant(kIntType, statement.start + 1)});
    }
    words().Add(Op::OpStore, {counter, start});
    Target target{module_.NewId(), module_.NewId()};
    const uint32_t header = module_.NewId(), body = module_.NewId();
    Branch(header);
    Label(header);
    const uint32_t is_less =
        statement.test == LoopTest::kHeader ? IsLess(counter, end, 0) : uint32_t{0};
    words().Add(Op::OpLoopMerge, {target.merge, target.next, 0});
    switch (statement.test) {
      case LoopTest::kLast:
        Branch(body);
        break;
      case LoopTest::kHeader:
        words().Add(Op::OpBranchConditional, {is_less, body, target.merge});
        break;
      case LoopTest::kFirst: {
        const uint32_t test = module_.NewId();
        Branch(test);
        Label(test);
        words().Add(Op::OpBranchConditional, {IsLess(counter, end, 0), body, target.merge});
      }
    }
    Label(body);
    Target* const outer_loop = std::exchange(loop_, &target);
    Target* const outer_switch = std::exchange(switch_, nullptr);
    const bool ended = WriteBlock(statement.blocks[0]);
    if (!ended) Branch(target.next);
    loop_ = outer_loop;
    switch_ = outer_switch;
    Label(target.next);
    if (statement.blocks.size() > 1) WriteBlock(statement.blocks[1]);
    const uint32_t now = code_.Add(Op::OpLoad, kIntType, {counter});
    const uint32_t later = code_.Add(Op::OpIAdd, kIntType, {now, module_.Constant(kIntType, 1)});
    words().Add(Op::OpStore, {counter, later});
    const bool tests_last = statement.test == LoopTest::kLast;
    if (tests_last) {
      words().Add(Op::OpBranchConditional, {IsLess(counter, end, later), header, target.merge});
    } else {
      Branch(header);
    }
    return WriteMerge(target.merge, !tests_last || !ended || target.left || target.continued,
                      false);
  }
  uint32_t IsLess(uint32_t counter, uint32_t end, uint32_t value) {
    if (value == 0) value = code_.Add(Op::OpLoad, kIntType, {counter});
    return code_.Add(Op::OpSLessThan, kBoolType, {value, end});
  }

  void WriteCall(const Statement& statement) {
    const Function& callee = tree_.functions[statement.number];
    std::vector<uint32_t> arguments;
    for (uint32_t i = 0; i < callee.parameters; ++i) {
      const bool by_value = tree_.variables[callee.variables[i]].storage == Storage::kValue;
      arguments.push_back(by_value ? code_.WriteStored(statement.arguments[i])
                                   : code_.IdOf(statement.arguments[i]));
    }
    const uint32_t type = module_.TypeId(callee.result), id = module_.NewId();
    words().Begin(Op::OpFunctionCall, 3 + arguments.size());
    words().words.insert(words().words.end(), {type, id, function_ids_[statement.number]});
    words().words.insert(words().words.end(), arguments.begin(), arguments.end());
    if (!statement.divergent) result_.uniform.push_back(id);
    code_.Store(statement.target, id);
  }

  void WriteReturn(uint32_t value) {
    if (!is_main_) {
      words().Add(Op::OpReturnValue, {code_.WriteStored(value)});
      return;
    }
    code_.ListResults(nullptr);
    output_.Write();
    words().Add(Op::OpReturn, {});
  }

  // Where jumps go.
  struct Target {
    uint32_t merge = 0, next = 0;
    bool left = false, continued = false;  // whether a block branches to `merge` or `next`
  };

  const Tree& tree_;
  ModuleWriter module_;
  ExpressionWriter code_;
  GroupWriter groups_;
  OutputWriter output_;
  EmittedModule result_;
  std::vector<uint32_t> function_ids_;
  Words local_;  // variables of the function
  bool is_main_ = false;
  Target *loop_ = nullptr, *switch_ = nullptr;
};

}  // namespace

EmittedModule Emit(const Tree& tree, const GenerateOptions& options) {
  return Emitter(tree, options).Run();
}

}  // namespace refract::generate
