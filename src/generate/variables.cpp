// SPDX-License-Identifier: Apache-2.0
#include "generate/variables.h"

namespace refract::generate {

Type VariableDrawer::DrawType() {
  const Scalar scalar = scalars_[random_.Below(scalars_.size())];
  const uint64_t components = random_.Percent(40) ? 1 : random_.Between(2, 4);
  return {scalar, static_cast<uint8_t>(components)};
}

uint32_t VariableDrawer::AddParameter(Storage storage) {
  Variable parameter;
  parameter.type = DrawType();
  parameter.storage = storage;
  tree_.variables.push_back(std::move(parameter));
  return static_cast<uint32_t>(tree_.variables.size() - 1);
}

uint32_t VariableDrawer::AddVariable(bool is_main) {
  Variable variable;
  if (is_main && options_.storage_images != 0 && options_.stage == Stage::kCompute &&
      texels_ < kMostStorageImages && random_.Percent(options_.storage_images)) {
    ++texels_;
    variable.type.scalar = random_.Percent(50) ? Scalar::kInt : Scalar::kUint;
    variable.type.components = random_.Percent(50) ? 4 : 1;
    variable.storage = Storage::kTexel;
    tree_.variables.push_back(std::move(variable));
    return static_cast<uint32_t>(tree_.variables.size() - 1);
  }
  variable.type = DrawType();
  if (is_main && random_.Percent(25)) variable.storage = Storage::kPrivate;
  const uint64_t shape = random_.Below(100);
  if (shape < 12) {
    variable.shape = Shape::kArray;
    variable.length = 2u << random_.Below(3);
  } else if (shape < 22) {
    variable.shape = Shape::kStruct;
    for (uint64_t i = random_.Between(2, 4); i > 0; --i) variable.members.push_back(DrawType());
    variable.type = variable.members.front();
  } else if (shape < 30 && options_.floats != Floats::kNone) {
    variable.shape = Shape::kMatrix;
    variable.length = 2u << random_.Below(2);
    std::vector<Scalar> floats;
    for (const Scalar scalar : scalars_) {
      if (IsFloat(scalar)) floats.push_back(scalar);
    }
    const Scalar scalar = floats.size() == 1 ? floats[0] : floats[random_.Below(floats.size())];
    variable.type = {scalar, static_cast<uint8_t>(random_.Between(2, 4))};
  }
  tree_.variables.push_back(std::move(variable));
  return static_cast<uint32_t>(tree_.variables.size() - 1);
}

}  // namespace refract::generate
