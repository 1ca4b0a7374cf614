// SPDX-License-Identifier: Apache-2.0
// Draws the variables and parameters of a generated program, without their classes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "generate/options.h"
#include "generate/tree.h"

namespace refract::generate {

class VariableDrawer {
 public:
  VariableDrawer(const GenerateOptions& options, Random* random, Tree* tree)
      : options_(options), scalars_(ScalarsOf(options)), random_(*random), tree_(*tree) {}

  Type DrawType();
  /// Adds a variable to the tree and returns its number.
  uint32_t AddParameter(Storage storage);
  uint32_t AddVariable(bool is_main);

 private:
  const GenerateOptions& options_;
  const std::vector<Scalar> scalars_;
  Random& random_;
  Tree& tree_;
  uint32_t texels_ = 0;  // variables of storage images
};

}  // namespace refract::generate
