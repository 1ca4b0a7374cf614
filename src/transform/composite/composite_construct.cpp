// SPDX-License-Identifier: Apache-2.0
// Constructs a composite from available values.
#include "message/composite_construct.h"

#include <algorithm>

#include "ir/availability.h"
#include "ir/decorations.h"
#include "ir/grammar/properties.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/offer.h"
#include "rules/values.h"

namespace refract::composite_construct {
namespace {

using Message = message::CompositeConstruct;
using Kind = message::Type::Kind;
enum Role : uint64_t { kResult = 1 };

constexpr size_t kMaxComponents = 64;

// The composite to construct. Its type may not be declared yet.
struct Shape {
  bool is_vector = false;
  uint32_t count = 0;       // number of parts
  Id type = Id::kNone;      // of the composite; kNone if it must be declared
  Id element = Id::kNone;   // of all parts; kNone for structs and for a missing type
  std::vector<Id> members;  // of a struct that must be declared
  Id PartTypeAt(const Module& module, uint32_t i) const {
    if (!members.empty()) return members[i];
    return element != Id::kNone ? element : PartType(module, type, i);
  }
};

Shape ShapeOf(const Module& module, const message::Type& type) {
  Shape shape;
  shape.type = FindType(module, type);
  if (shape.type == Id::kNone) {
    shape.is_vector = type.kind == Kind::kVector;
    shape.count = type.count;
    if (type.kind == Kind::kStruct) {
      for (const message::Type& part : type.parts) shape.members.push_back(FindType(module, part));
      shape.count = static_cast<uint32_t>(shape.members.size());
    } else if (!type.parts.empty()) {
      shape.element = FindType(module, type.parts[0]);
    }
    return shape;
  }
  shape.is_vector = IsVector(module, shape.type);
  shape.count = PartCount(module, shape.type).value_or(0);
  shape.element = ElementType(module, shape.type);
  return shape;
}

bool Fit(const Module& module, const Shape& shape, const std::vector<Id>& components) {
  if (shape.is_vector) {
    size_t parts = 0;
    for (Id component : components) {
      const uint32_t n = PartsFilled(module, component, shape.element);
      if (n == 0) return false;
      parts += n;
    }
    // At least two constituents (SPIR-V 3.42.12, OpCompositeConstruct).
    return parts == shape.count && components.size() >= 2;
  }
  if (components.size() != shape.count) return false;
  for (uint32_t i = 0; i < shape.count; ++i) {
    if (module.TypeOf(components[i]) != shape.PartTypeAt(module, i)) return false;
  }
  return true;
}

CheckResult CheckType(const Module& module, const message::Type& type) {
  if (!IsDeclarableHere(module, type)) return No("the type cannot be declared in this module");
  const Id found = FindType(module, type);
  // If the module lacks the type, IsDeclarable would also accept a scalar or pointer type.
  const bool is_composite = found != Id::kNone
                                ? PartCount(module, found).has_value()
                                : type.kind == Kind::kVector || type.kind == Kind::kMatrix ||
                                      type.kind == Kind::kArray || type.kind == Kind::kStruct;
  if (!is_composite) return No("the type is not a composite of known size");
  const Id element = ShapeOf(module, type).element;
  if (IsBlock(module, found) || IsBlock(module, element)) {
    return No("the type is an interface block");
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, spv::Op::OpCompositeConstruct, before)) {
    return No("no instruction can be inserted at this point");
  }
  if (message.components.empty()) return No("the list of components is empty");
  if (message.components.size() > kMaxComponents) return No("the list of components is too long");
  if (CheckResult check_result = CheckType(module, message.type); !check_result)
    return check_result;
  std::vector<Id> components;
  uint64_t scalars = 0;
  for (Name name : message.components) {
    const Id component = view.Value(name);
    if (component == Id::kNone) return No("a component does not exist");
    if (!IsOrdinary(module, module.TypeOf(component))) {
      return No("the type of a component is not supported");
    }
    if (!IsAvailable(module, component, before)) {
      return No("a component is not available at the insertion point");
    }
    components.push_back(component);
    scalars += ScalarCount(module, module.TypeOf(component));
  }
  if (scalars > kMaxScalars) return No("the composite would be too large");
  if (!Fit(module, ShapeOf(module, message.type), components)) {
    return No("the components do not match the type");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Id type = Declare(editor, message.type);
  std::vector<Id> components;
  for (Name name : message.components) components.push_back(module.FindId(name));
  Builder(editor, module.Find(message.before)).Construct(type, editor.Made(kResult), components);
}

// Composite types that have a part of type `part`, in the form of messages.
std::vector<message::Type> TypesAround(const Module& module, Id part) {
  std::vector<message::Type> types;
  ForEachUse(module, part, [&](Use use) {
    const Inst user = module.User(use);
    const Id type = module.Result(user);
    if (!PropertiesOf(module.Opcode(user)).is_type || IsVector(module, type)) return;
    const std::optional<uint32_t> count = PartCount(module, type);
    if (!count || *count > 16 || types.size() >= 16) return;
    types.push_back(Describe(module, type));
  });
  const Id scalar = ScalarType(module, part);
  if (scalar != Id::kNone) {
    const uint32_t least = PartCount(module, part).value_or(1) + 1;
    for (uint32_t count = std::max(2u, least); count <= 4; ++count) {
      types.push_back(VectorType(Describe(module, scalar), count));
    }
  }
  message::Type array;
  array.kind = Kind::kArray;
  array.count = 2;
  array.parts = {Describe(module, part)};
  types.push_back(std::move(array));
  return types;
}

// Picks constituents for the shape from the values `near`.
std::vector<Id> PickComponents(Proposer& proposer, const Shape& shape,
                               const std::vector<Id>& near) {
  const Module& module = proposer.module();
  std::vector<Id> components;
  for (uint32_t at = 0; at < shape.count;) {
    const Id wanted = shape.PartTypeAt(module, at);
    std::vector<Id> fitting;
    for (Id id : near) {
      const uint32_t parts =
          shape.is_vector ? PartsFilled(module, id, wanted) : module.TypeOf(id) == wanted;
      if (parts == 0 || parts > shape.count - at) continue;
      // A vector cannot be constructed from a single constituent.
      if (!shape.is_vector || parts < shape.count) fitting.push_back(id);
    }
    if (fitting.empty()) return {};
    components.push_back(fitting[proposer.Pick(fitting.size())]);
    at += shape.is_vector ? PartsFilled(module, components.back(), wanted) : 1;
  }
  return components;
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto offer = [&](Inst before) {
    const std::vector<Id> near = ValuesNear(module, before, 48);
    if (near.empty()) return;
    const Id value = near[proposer.Pick(near.size())];
    const std::vector<message::Type> types = TypesAround(module, module.TypeOf(value));
    Message message{module.NameOf(before), types[proposer.Pick(types.size())], {}};
    if (!CheckType(module, message.type)) return;
    const Shape shape = ShapeOf(module, message.type);
    for (Id id : PickComponents(proposer, shape, near)) {
      message.components.push_back(module.NameOf(id));
    }
    if (!message.components.empty()) proposer.Offer(message);
  };
  OfferAtInsertionPoints(proposer, spv::Op::OpCompositeConstruct, offer);
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {2, 10}, .follow_ons = {"composite_extract", "replace_id_with_synonym"}});

}  // namespace refract::composite_construct
