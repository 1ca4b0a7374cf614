// SPDX-License-Identifier: Apache-2.0
#include "reduce/self_checking.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "engine/validity.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "ir/decorations.h"
#include "ir/edit/editor.h"
#include "ir/types.h"
#include "reduce/exact_output.h"
#include "reduce/failing_interestingness.h"
#include "rules/build/declare.h"
#include "rules/build/function_type.h"
#include "rules/values.h"
#include "target/expected.h"
#include "transform/function/entry_points.h"

namespace refract {
inline namespace reduce {
namespace {

using spv::Op;
constexpr uint32_t kRed = 0xff0000ff;  // as in ExpectedPicture

Error CannotCheck(std::string why) {
  return Error{std::move(why), ErrorKind::kUnavailable};
}

uint32_t DecorationValue(const Module& module, Id id, spv::Decoration decoration) {
  const Inst found = FindDecoration(module, id, decoration);
  return found == Inst::kNone ? 0 : module.Word(found, 2);
}

// Adds a function, and appends code to it. Finish makes it the function of the entry point.
class Wrapper {
 public:
  Wrapper(Module& module, const EntryPoint& entry)
      : module_(module), entry_(entry), editor_(module, 1) {
    void_ = Declare(editor_, message::Type{.kind = message::Type::Kind::kVoid});
    function_ = StartFunction(editor_, void_, {}, {NewName(), NewName()});
    block_ = editor_.AddBlock(function_);
    editor_.AppendValue(block_, Op::OpLabel, Id::kNone, NewName(), {});
  }

  void Call() { Value(Op::OpFunctionCall, void_, {module_.FunctionId(entry_.function)}); }

  Editor& editor() { return editor_; }
  const Module& module() const { return module_; }
  const EntryPoint& entry() const { return entry_; }
  Function function() const { return function_; }
  Name NewName() { return editor_.Made(++names_); }

  Id Value(Op opcode, Id type, const Args& args) {
    return editor_.AppendValue(block_, opcode, type, NewName(), args);
  }
  void Plain(Op opcode, const Args& args) { editor_.AppendPlain(block_, opcode, NewName(), args); }

  Id Type(const message::Type& type) { return Declare(editor_, type); }
  Id Bool() { return Type(BoolType()); }
  Id Uint() { return Type(IntType(32, false)); }
  Id Bits(Id type, uint64_t bits) { return Declare(editor_, ScalarConstant(module_, type, bits)); }
  Id Uint(uint32_t value) { return Bits(Uint(), value); }
  Id Float(float value) { return Bits(Type(FloatType(32)), std::bit_cast<uint32_t>(value)); }
  Id Composite(Id type, const Args& parts) {
    return editor_.Declare(Op::OpConstantComposite, type, parts);
  }

  // The input variable of the entry point that is this built-in.
  Id BuiltInVariable(spv::BuiltIn built_in, Id type) {
    for (const Id variable : entry_.interface) {
      if (transform::IsBuiltIn(module_, variable, built_in)) return variable;
    }
    const Id variable =
        AddVariable(editor_, spv::StorageClass::Input, Function::kNone, type, NewName(), Id::kNone);
    Decorate({variable, static_cast<uint32_t>(spv::Decoration::BuiltIn),
              static_cast<uint32_t>(built_in)});
    transform::AddToInterface(editor_, entry_.instruction, variable);
    return variable;
  }
  void Decorate(const Args& args) {
    editor_.AppendPlain(Module::SectionBlock(Section::kAnnotations), Op::OpDecorate, NewName(),
                        args);
  }
  void DecorateMember(const Args& args) {
    editor_.AppendPlain(Module::SectionBlock(Section::kAnnotations), Op::OpMemberDecorate,
                        NewName(), args);
  }

  // Ends the block with a selection whose merge block follows, and continues in the arm.
  Id BeginIf(Id condition) {
    const Block arm = editor_.AddBlock(function_), merge = editor_.AddBlock(function_);
    const Id arm_label = editor_.AppendValue(arm, Op::OpLabel, Id::kNone, NewName(), {});
    merge_label_ = editor_.AppendValue(merge, Op::OpLabel, Id::kNone, NewName(), {});
    Plain(Op::OpSelectionMerge, {merge_label_, 0u});
    Plain(Op::OpBranchConditional, {condition, arm_label, merge_label_});
    block_ = arm;
    merge_ = merge;
    return arm_label;
  }
  void EndIf() {
    Plain(Op::OpBranch, {merge_label_});
    block_ = merge_;
  }

  void Finish() {
    Plain(Op::OpReturn, {});
    const Id old_id = module_.FunctionId(entry_.function);
    const Id new_id = module_.FunctionId(function_);
    editor_.SetOperand(entry_.instruction, 1, new_id);
    const Block modes = Module::SectionBlock(Section::kExecutionModes);
    for (Inst inst = module_.First(modes); inst != Inst::kNone; inst = module_.Next(inst)) {
      if (module_.OperandCount(inst) > 0 && module_.IsId(inst, 0) &&
          module_.IdAt(inst, 0) == old_id) {
        editor_.SetOperand(inst, 0, new_id);
      }
    }
  }

 private:
  Module& module_;
  const EntryPoint entry_;
  Editor editor_;
  uint64_t names_ = 0;
  Id void_ = Id::kNone;
  Function function_ = Function::kNone;
  Block block_ = Block::kNone, merge_ = Block::kNone;
  Id merge_label_ = Id::kNone;
};

// --- fragment shaders

// The variable of the colour at location 0; kNone if it is not a vector of four floats.
Id ColourVariable(const Module& module, const EntryPoint& entry) {
  for (const Id variable : entry.interface) {
    const Id type = module.TypeOf(variable);
    if (StorageClassOf(module, type) != spv::StorageClass::Output) continue;
    if (FindDecoration(module, variable, spv::Decoration::Location) == Inst::kNone ||
        DecorationValue(module, variable, spv::Decoration::Location) != 0 ||
        DecorationValue(module, variable, spv::Decoration::Component) != 0) {
      continue;
    }
    const Id pointee = ElementType(module, type);
    const Id scalar = ElementType(module, pointee);
    const bool fits = IsVector(module, pointee) && PartCount(module, pointee) == 4 &&
                      IsFloat(module, scalar) && Width(module, scalar) == 32;
    return fits ? variable : Id::kNone;
  }
  return Id::kNone;
}

constexpr float kBeyond = 1e30f;

// The floats that give a component of the image lie between these bounds. For a level of an 8-bit
// image see Vulkan, "Conversion From Floating-Point to Normalized Fixed-Point": values beyond 0 and
// 1 are clamped.
struct Bounds {
  float lowest, highest;
};
Bounds BoundsOf(const ColourTarget& target, size_t component) {
  if (target.format == spv::ImageFormat::Rgba32f) {
    float value;
    std::memcpy(&value, target.texels.data() + sizeof value * component, sizeof value);
    return {value, value};
  }
  const float level = static_cast<uint8_t>(target.texels[component]);
  return {level == 0 ? -kBeyond : (level - 0.5f) / 255.0f,
          level == 255 ? kBeyond : (level + 0.5f) / 255.0f};
}

uint32_t BytesOfPixel(const ColourTarget& target) {
  return target.format == spv::ImageFormat::Rgba32f ? 16 : 4;
}

// A bound of the colour of a pixel: the same for all pixels, or from a table.
Id BoundOf(Wrapper& code, const ColourTarget& target, float Bounds::*bound, Id index) {
  const Id colour = code.Type(VectorType(FloatType(32), 4));
  Args table;
  for (size_t pixel = 0; pixel < size_t{target.width} * target.height; ++pixel) {
    Args parts;
    for (size_t i = 0; i < 4; ++i) {
      parts.push_back(code.Float(BoundsOf(target, 4 * pixel + i).*bound));
    }
    table.push_back(code.Composite(colour, parts));
    if (index == Id::kNone) return code.Composite(colour, parts);
  }
  const Id array = code.editor().Declare(Op::OpTypeArray, Id::kNone,
                                         {colour, code.Uint(static_cast<uint32_t>(table.size()))});
  const Id variable = AddVariable(code.editor(), spv::StorageClass::Function, code.function(),
                                  array, code.NewName(), code.Composite(array, table));
  const Id pointer = DeclarePointer(code.editor(), spv::StorageClass::Function, colour);
  return code.Value(Op::OpLoad, colour,
                    {code.Value(Op::OpAccessChain, pointer, {variable, index})});
}

// The number of the pixel, row by row; kNone if all pixels have the same colour.
Result<Id> PixelIndex(Wrapper& code, const ColourTarget& target) {
  const std::string& texels = target.texels;
  if (std::equal(texels.begin() + BytesOfPixel(target), texels.end(), texels.begin())) {
    return Id::kNone;
  }
  const size_t pixels = size_t{target.width} * target.height;
  if (pixels > kMostCheckedPixels) {
    return CannotCheck(
        format("the image has {} pixels of different colours; at most {} can be compared", pixels,
               kMostCheckedPixels));
  }
  const Id scalar = code.Type(FloatType(32));
  const Id vector = code.Type(VectorType(FloatType(32), 4));
  const Id place =
      code.Value(Op::OpLoad, vector, {code.BuiltInVariable(spv::BuiltIn::FragCoord, vector)});
  Id part[2];
  for (uint32_t i = 0; i < 2; ++i) {
    part[i] = code.Value(Op::OpConvertFToU, code.Uint(),
                         {code.Value(Op::OpCompositeExtract, scalar, {place, i})});
  }
  const Id rows = code.Value(Op::OpIMul, code.Uint(), {part[1], code.Uint(target.width)});
  return code.Value(Op::OpIAdd, code.Uint(), {rows, part[0]});
}

Status CheckColour(Wrapper& code, const Outputs& outputs, Inputs* inputs) {
  const Id variable = ColourVariable(code.module(), code.entry());
  const auto target = std::find_if(outputs.targets.begin(), outputs.targets.end(),
                                   [](const ColourTarget& t) { return t.location == 0; });
  if (variable == Id::kNone || target == outputs.targets.end() || target->texels.empty()) {
    return CannotCheck("the shader does not draw four floats per pixel at location 0");
  }
  const Id colour = code.Type(VectorType(FloatType(32), 4));
  const Id tests = code.Type(VectorType(BoolType(), 4));
  // A colour that is wrong, if the call does not write one.
  const Id beyond = code.Float(2 * kBeyond);
  code.Plain(Op::OpStore, {variable, code.Composite(colour, {beyond, beyond, beyond, beyond})});
  code.Call();
  const Id drawn = code.Value(Op::OpLoad, colour, {variable});
  const Result<Id> index = PixelIndex(code, *target);
  if (!index) return index.error();
  const Id lowest = BoundOf(code, *target, &Bounds::lowest, *index);
  const Id highest = BoundOf(code, *target, &Bounds::highest, *index);
  const Id below =
      code.Value(Op::OpAny, code.Bool(), {code.Value(Op::OpFOrdLessThan, tests, {drawn, lowest})});
  const Id above = code.Value(Op::OpAny, code.Bool(),
                              {code.Value(Op::OpFOrdGreaterThan, tests, {drawn, highest})});
  const Id wrong = code.Value(Op::OpLogicalOr, code.Bool(), {below, above});
  // Before SPIR-V 1.4, the condition of OpSelect has as many components as its result.
  const Id wrongs = code.Value(Op::OpCompositeConstruct, tests, {wrong, wrong, wrong, wrong});
  const Id zero = code.Float(0), one = code.Float(1);
  const Id red = code.Composite(colour, {one, zero, zero, one});
  const Id black = code.Composite(colour, {zero, zero, zero, one});
  code.Plain(Op::OpStore, {variable, code.Value(Op::OpSelect, colour, {wrongs, black, red})});
  ExpectedPicture picture;
  picture.tile = std::max(target->width, target->height);
  picture.colours = {kRed};
  inputs->float_target = spv::ImageFormat::Rgba8;
  inputs->expected = ExpectedOutputs{{}, std::move(picture)};
  return {};
}

// --- compute shaders

// The scalars of a storage buffer are compared through this variable.
Id BufferVariable(const Module& module, const BoundBuffer& buffer) {
  for (const Inst inst : module.global_variables()) {
    if (module[inst].removed) continue;
    const Id variable = module.Result(inst);
    if (FindDecoration(module, variable, spv::Decoration::Binding) != Inst::kNone &&
        DecorationValue(module, variable, spv::Decoration::Binding) == buffer.binding &&
        DecorationValue(module, variable, spv::Decoration::DescriptorSet) == buffer.set) {
      return variable;
    }
  }
  return Id::kNone;
}

// The type of the scalar at a path into a block.
Id TypeAt(const Module& module, Id type, const std::vector<uint32_t>& path) {
  for (const uint32_t index : path) {
    type = TypeOpcode(module, type) == Op::OpTypeStruct ? PartType(module, type, index)
                                                        : ElementType(module, type);
  }
  return type;
}

// Whether the scalar has the expected bits; floats, the expected value.
Id IsRight(Wrapper& code, Id variable, const LaidOutScalar& scalar, uint64_t bits) {
  const Module& module = code.module();
  const Id pointer = module.TypeOf(variable);
  const Id type = TypeAt(module, ElementType(module, pointer), scalar.path);
  Args chain{variable};
  for (const uint32_t index : scalar.path) chain.push_back(code.Uint(index));
  const Id place =
      code.Value(Op::OpAccessChain,
                 DeclarePointer(code.editor(), StorageClassOf(module, pointer), type), chain);
  const Id value = code.Value(Op::OpLoad, type, {place});
  if (scalar.kind == LaidOutScalar::kInteger) {
    return code.Value(Op::OpIEqual, code.Bool(), {value, code.Bits(type, bits)});
  }
  const bool is_nan = scalar.width == 32
                          ? std::bit_cast<float>(static_cast<uint32_t>(bits)) !=
                                std::bit_cast<float>(static_cast<uint32_t>(bits))
                          : std::bit_cast<double>(bits) != std::bit_cast<double>(bits);
  if (is_nan) return code.Value(Op::OpIsNan, code.Bool(), {value});
  return code.Value(Op::OpFOrdEqual, code.Bool(), {value, code.Bits(type, bits)});
}

// Whether all storage buffers have the expected content.
Result<Id> AreBuffersRight(Wrapper& code, const Outputs& outputs,
                           const std::vector<BufferLayout>& layouts) {
  Id all = Id::kNone;
  uint32_t count = 0;
  for (const BoundBuffer& buffer : outputs.buffers) {
    const auto layout = std::find_if(layouts.begin(), layouts.end(), [&](const BufferLayout& l) {
      return l.set == buffer.set && l.binding == buffer.binding;
    });
    const Id variable = BufferVariable(code.module(), buffer);
    if (layout == layouts.end() || layout->layout.has_unsized || variable == Id::kNone) {
      return CannotCheck(
          format("the layout of the storage buffer at {} is not known", PlaceOf(buffer)));
    }
    for (const LaidOutScalar& scalar : layout->layout.scalars) {
      if (scalar.width != 32 && scalar.width != 64) {
        return CannotCheck(format("the storage buffer at {} has scalars of {} bits",
                                  PlaceOf(buffer), scalar.width));
      }
      if (++count > kMostCheckedScalars) {
        return CannotCheck(
            format("the storage buffers have more than {} scalars", kMostCheckedScalars));
      }
      uint64_t bits = 0;
      if (scalar.offset + scalar.width / 8 > buffer.bytes.size()) continue;
      std::memcpy(&bits, buffer.bytes.data() + scalar.offset, scalar.width / 8);
      const Id right = IsRight(code, variable, scalar, bits);
      all = all == Id::kNone ? right : code.Value(Op::OpLogicalAnd, code.Bool(), {all, right});
    }
  }
  if (all == Id::kNone) return CannotCheck("the shader writes no storage buffer");
  return all;
}

// A new storage buffer of one number, declared as `like` is.
Id AddResultBuffer(Wrapper& code, Id like, uint32_t set, uint32_t binding) {
  const Module& module = code.module();
  const spv::StorageClass storage = StorageClassOf(module, module.TypeOf(like));
  const Id block =
      code.editor().DeclareDistinct(Op::OpTypeStruct, Id::kNone, code.NewName(), {code.Uint()});
  const auto word = [](auto value) { return static_cast<uint32_t>(value); };
  code.Decorate(
      {block, word(storage == spv::StorageClass::StorageBuffer ? spv::Decoration::Block
                                                               : spv::Decoration::BufferBlock)});
  code.DecorateMember({block, 0u, word(spv::Decoration::Offset), 0u});
  const Id variable =
      AddVariable(code.editor(), storage, Function::kNone, block, code.NewName(), Id::kNone);
  code.Decorate({variable, word(spv::Decoration::DescriptorSet), set});
  code.Decorate({variable, word(spv::Decoration::Binding), binding});
  code.editor().AddToInterfaces(variable, code.entry().function);
  return variable;
}

// A binding of this set that no variable has.
uint32_t FreeBinding(const Module& module, uint32_t set) {
  uint32_t free = 0;
  for (const Inst inst : module.global_variables()) {
    const Id variable = module.Result(inst);
    if (module[inst].removed ||
        FindDecoration(module, variable, spv::Decoration::Binding) == Inst::kNone ||
        DecorationValue(module, variable, spv::Decoration::DescriptorSet) != set) {
      continue;
    }
    free = std::max(free, DecorationValue(module, variable, spv::Decoration::Binding) + 1);
  }
  return free;
}

// A buffer that the shader only writes may have no input; now it is read.
void AddBufferInput(const BoundBuffer& buffer, Inputs* inputs) {
  const auto is_whole = [&](const InputValue& value) {
    return value.buffer_bytes > 0 && value.has_binding && value.set == buffer.set &&
           value.binding == buffer.binding;
  };
  if (std::any_of(inputs->values.begin(), inputs->values.end(), is_whole)) return;
  InputValue value;
  value.name = format("checked_{}_{}", buffer.set, buffer.binding);
  value.set = buffer.set;
  value.binding = buffer.binding;
  value.has_binding = true;
  value.buffer_bytes = buffer.bytes.size();
  inputs->values.push_back(std::move(value));
}

Status CheckBuffers(Wrapper& code, const Outputs& outputs, const std::vector<BufferLayout>& layouts,
                    Inputs* inputs) {
  const Module& module = code.module();
  const bool one_workgroup =
      !inputs->compute ||
      std::all_of(std::begin(inputs->compute->groups), std::end(inputs->compute->groups),
                  [](uint32_t count) { return count == 1; });
  if (!one_workgroup) return CannotCheck("the shader runs more than one workgroup");
  if (HasCapability(module, spv::Capability::VulkanMemoryModel)) {
    return CannotCheck("the shader uses the Vulkan memory model");
  }
  if (outputs.buffers.empty()) return CannotCheck("the shader writes no storage buffer");
  const auto word = [](auto value) { return static_cast<uint32_t>(value); };
  code.Call();
  // One invocation compares, after all others are done and their writes are visible.
  const Id workgroup = code.Uint(word(spv::Scope::Workgroup));
  code.Plain(Op::OpControlBarrier, {workgroup, workgroup,
                                    code.Uint(word(spv::MemorySemanticsMask::AcquireRelease) |
                                              word(spv::MemorySemanticsMask::UniformMemory))});
  const Id number =
      code.Value(Op::OpLoad, code.Uint(),
                 {code.BuiltInVariable(spv::BuiltIn::LocalInvocationIndex, code.Uint())});
  code.BeginIf(code.Value(Op::OpIEqual, code.Bool(), {number, code.Uint(0)}));
  const Result<Id> right = AreBuffersRight(code, outputs, layouts);
  if (!right) return right.error();
  const uint32_t set = outputs.buffers.front().set, binding = FreeBinding(module, set);
  const Id result =
      AddResultBuffer(code, BufferVariable(module, outputs.buffers.front()), set, binding);
  const Id pointer =
      DeclarePointer(code.editor(), StorageClassOf(module, module.TypeOf(result)), code.Uint());
  const Id place = code.Value(Op::OpAccessChain, pointer, {result, code.Uint(0)});
  code.Plain(Op::OpStore,
             {place, code.Value(Op::OpSelect, code.Uint(), {*right, code.Uint(1), code.Uint(0)})});
  code.EndIf();
  for (const BoundBuffer& buffer : outputs.buffers) AddBufferInput(buffer, inputs);
  AddBufferInput({set, binding, true, std::string(sizeof(uint32_t), '\0')}, inputs);
  inputs->expected = ExpectedOutputs{{{set, binding, {1}}}, std::nullopt};
  return {};
}

}  // namespace

Result<SelfCheckingModule> MakeSelfChecking(const Original& source,
                                            const Interpretation& expected) {
  Result<Module> module = ReadModule(source.words, source.file);
  if (!module) return module.error();
  const Result<EntryPoint> entry = FindEntryPoint(*module, source.context.entry, source.file);
  if (!entry) return entry.error();
  Inputs inputs = source.context.inputs ? *source.context.inputs : Inputs();
  const Outputs outputs = expected.AsRun().outputs;
  Wrapper code(*module, *entry);
  Status checked;
  switch (entry->model) {
    case spv::ExecutionModel::Fragment:
      checked = CheckColour(code, outputs, &inputs);
      break;
    case spv::ExecutionModel::GLCompute:
      checked = CheckBuffers(code, outputs, expected.layouts(), &inputs);
      break;
    default:
      checked = CannotCheck("the shader is neither a fragment nor a compute shader");
  }
  if (!checked) return checked.error();
  code.Finish();
  return SelfCheckingModule{WriteModule(*module), std::make_shared<const Inputs>(inputs)};
}

Result<SelfCheckingModule> TestedSelfChecking(const Original& source, const Target& target,
                                              const RunSettings& run, Harness& harness) {
  const auto interpret = [&](const Original& original) -> Result<Interpretation> {
    std::string why_not;
    Result<std::optional<Interpretation>> exact = InterpretExactly(
        original, {original.words, original.context.inputs, nullptr}, run, true, &why_not);
    if (!exact) return exact.error();
    if (!*exact) return CannotCheck(why_not);
    return std::move(**exact);
  };
  const Result<Interpretation> expected = interpret(source);
  if (!expected) return expected.error();
  Result<SelfCheckingModule> made = MakeSelfChecking(source, *expected);
  if (!made) return made;
  const Result<Original> original =
      MakeOriginal(made->words, source.file, made->inputs, OptionsOf(source));
  if (!original) return original.error();
  const Result<Interpretation> checked = interpret(*original);
  if (!checked) return checked.error();
  RunResult ours = checked->AsRun();
  CompareWithExpected(*made->inputs->expected, &ours);
  if (ours.verdict != RunOutcome::kOk) {
    // For example, a shader that discards a pixel does not compare it.
    return CannotCheck(format("in the interpreter, {}", ours.detail));
  }
  Result<Job> job =
      JobOf(*original, original->context.module, original->words, made->inputs.get(), run);
  if (!job) return job.error();
  const Result<RunResult> ran = harness.Run(target, *job);
  if (!ran) return ran.error();
  if (!MayBeWrong(*ran) || ran->verdict == RunOutcome::kOk) {
    return CannotCheck("the output is right if the shader compares it");
  }
  return made;
}

}  // namespace reduce
}  // namespace refract
