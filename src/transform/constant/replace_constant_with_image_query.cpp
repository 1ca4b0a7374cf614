// SPDX-License-Identifier: Apache-2.0
// Replaces a constant by a query whose answer the inputs give (docs/inputs.md): the size or the
// number of levels of an image.
#include "message/replace_constant_with_image_query.h"

#include <vector>

#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/legality/image_input.h"
#include "rules/legality/memory.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::replace_constant_with_image_query {
namespace {

using Message = message::ReplaceConstantWithImageQuery;
using Query = Message::Query;
using spv::Op;
enum Role : uint64_t { kLoaded = 1, kImage = 2, kSize = 3, kResult = 4 };

constexpr uint32_t kWidth = 32;

// The type of the images in a variable that is one sampled image with levels; kNone for others.
Id ImageTypeOf(const Module& module, Id variable) {
  if (module.OpcodeOf(variable) != Op::OpVariable) return Id::kNone;
  Id type = PointeeOf(module, variable);
  if (TypeOpcode(module, type) == Op::OpTypeSampledImage) {
    type = module.IdAt(module.Definition(type), 0);
  }
  if (TypeOpcode(module, type) != Op::OpTypeImage) return Id::kNone;
  const Inst image = module.Definition(type);
  const bool is_multisampled = module.Word(image, 4) != 0, is_sampled = module.Word(image, 5) == 1;
  return is_sampled && !is_multisampled ? type : Id::kNone;
}

// How many numbers the size of an image has.
uint32_t SizeNumbers(const Module& module, Id image_type) {
  const Inst image = module.Definition(image_type);
  const uint32_t layers = module.Word(image, 3) != 0 ? 1 : 0;
  switch (static_cast<spv::Dim>(module.Word(image, 1))) {
    case spv::Dim::Dim1D:
      return 1 + layers;
    case spv::Dim::Dim2D:
    case spv::Dim::Cube:
      return 2 + layers;
    case spv::Dim::Dim3D:
      return 3;
    default:
      return 0;
  }
}

// The numbers that a query yields; empty if they are not known.
std::vector<uint32_t> AnswerTo(const View& view, Id variable, Query query, uint32_t level) {
  const Module& module = view.module();
  const Id type = ImageTypeOf(module, variable);
  const ImageInput* image = type == Id::kNone ? nullptr : InputOfVariable(view, variable);
  if (image == nullptr || SizeNumbers(module, type) == 0) return {};
  if (query == Query::kLevels) return {image->levels};
  std::vector<uint32_t> size = SizeOfLevel(*image, level);
  if (query != Query::kSize || size.size() != SizeNumbers(module, type)) return {};
  return size;
}

bool IsIntConstant(const Module& module, Id constant) {
  const Op opcode = module.OpcodeOf(constant);
  if (opcode != Op::OpConstant && opcode != Op::OpConstantNull) return false;
  const Id type = module.TypeOf(constant);
  return IsInt(module, type) && Width(module, type) == kWidth;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const OperandUse place = FindUse(view, message.use);
  if (!place) return No("the given use of a value does not exist");
  const Id constant = module.IdAt(place.user, place.operand);
  if (!IsIntConstant(module, constant)) return No("the operand is not a 32-bit int constant");
  if (view.facts().Irrelevant(constant) != nullptr) {
    return No("the constant is marked as irrelevant");
  }
  if (!MayBeAnyValue(module, place)) return No("the operand cannot be replaced by another value");
  if (!HasCapability(module, spv::Capability::ImageQuery)) {
    return No("the module does not declare the required capability");
  }
  const Id variable = view.Value(message.image);
  if (variable == Id::kNone) return No("the value does not exist");
  const std::vector<uint32_t> answer = AnswerTo(view, variable, message.query, message.level);
  if (message.component >= answer.size() ||
      answer[message.component] != LiteralValue(module, constant)) {
    return No("the answer to the query is not known to be the constant");
  }
  if (!IsUsedByEntriesReaching(module, variable, module.FunctionOf(place.user))) {
    return No("an entry point that reaches the use does not use the image");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const OperandUse place = FindUse(module, message.use);
  const Id constant = module.IdAt(place.user, place.operand), type = module.TypeOf(constant);
  const Id variable = module.FindId(message.image), image_type = ImageTypeOf(module, variable);
  const Id loaded_type = PointeeOf(module, variable);
  const Inst before = InsertionPointFor(module, place);
  Builder builder(editor, before);
  Id image = builder.Compute(Op::OpLoad, loaded_type, editor.Made(kLoaded), {variable});
  if (loaded_type != image_type) {
    image = builder.Compute(Op::OpImage, image_type, editor.Made(kImage), {image});
  }
  Id result = Id::kNone;
  if (message.query == Query::kLevels) {
    result = builder.Compute(Op::OpImageQueryLevels, type, editor.Made(kResult), {image});
  } else {
    const uint32_t numbers = SizeNumbers(module, image_type);
    const Id level = Declare(editor, ScalarConstant(IntType(kWidth, true), message.level));
    const Id sizes =
        numbers == 1 ? type : Declare(editor, VectorType(Describe(module, type), numbers));
    result = builder.Compute(Op::OpImageQuerySizeLod, sizes,
                             editor.Made(numbers == 1 ? kResult : kSize), {image, level});
    if (numbers != 1) {
      result = builder.Extract(*Part(result).Component(message.component), editor.Made(kResult));
    }
  }
  editor.SetOperand(place.user, place.operand, result);
  editor.facts().AddSynonym(Part(result), Part(constant), editor.Provenance());
}

// A query and one number of its answer.
struct Known {
  Name image;
  Query query = Query::kLevels;
  uint32_t level = 0, component = 0, number = 0;
};

std::vector<Known> KnownNumbers(const View& view) {
  constexpr size_t kMost = 256;
  std::vector<Known> numbers;
  const Module& module = view.module();
  ForEachGlobalVariable(module, [&](Inst variable) {
    const Id id = module.Result(variable);
    const std::vector<uint32_t> levels = AnswerTo(view, id, Query::kLevels, 0);
    if (levels.empty() || numbers.size() >= kMost) return;
    const Name name = module.NameOf(variable);
    numbers.push_back({name, Query::kLevels, 0, 0, levels[0]});
    for (uint32_t level = 0; level < levels[0]; ++level) {
      const std::vector<uint32_t> size = AnswerTo(view, id, Query::kSize, level);
      for (uint32_t i = 0; i < size.size(); ++i) {
        numbers.push_back({name, Query::kSize, level, i, size[i]});
      }
    }
  });
  return numbers;
}

void Offer(Proposer& proposer, const std::vector<Known>& numbers, OperandUse place) {
  const Module& module = proposer.module();
  const auto wanted = LiteralValue(module, module.IdAt(place.user, place.operand));
  std::vector<Known> fitting;
  for (const Known& known : numbers) {
    if (known.number == wanted) fitting.push_back(known);
  }
  if (fitting.empty()) return;
  const Known& known = fitting[proposer.Pick(fitting.size())];
  const Message message{DescribeUse(module, place.user, place.operand), known.image, known.query,
                        known.level, known.component};
  if (Check(message, proposer.view())) proposer.Offer(message);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (!HasCapability(module, spv::Capability::ImageQuery)) return;
  const std::vector<Known> numbers = KnownNumbers(proposer.view());
  if (numbers.empty()) return;
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
          if (module.IsId(inst, i) && IsIntConstant(module, module.IdAt(inst, i)) &&
              proposer.ShouldTry() && !ShouldSkip(proposer, inst)) {
            Offer(proposer, numbers, {inst, i});
          }
        }
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 50},
     .follow_ons = {"replace_image_query", "replace_constant_with_opaque_value"}});

}  // namespace refract::replace_constant_with_image_query
