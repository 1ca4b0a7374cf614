// SPDX-License-Identifier: Apache-2.0
// What a generated program may have. The defaults of the first group are those that the paper of
// ShaDiv publishes (PLDI 2025, section 5): probabilities of 0.2 for a divergent statement, 0.5 for
// an assignment and 0.2 for an if, at most 5 nested ifs, 12 statements in a block.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "generate/tree.h"

namespace refract::generate {

enum class Stage : uint8_t { kCompute, kFragment, kVertex, kCount };
/// Returns "compute", "fragment" or "vertex".
std::string_view NameOf(Stage stage);

/// kExact: floats, only with operations that have one correct result. kBounded: also divisions,
/// roots, sines and so on; the specification bounds their error, and the program rounds what they
/// give.
enum class Floats : uint8_t { kNone, kExact, kBounded, kCount };
/// Returns "none", "exact" or "bounded".
std::string_view NameOf(Floats floats);

/// Types that not all devices have. A program may have those of which a bit of
/// GenerateOptions::types is set: bit 0 for the first of this list.
inline constexpr std::array<std::string_view, 4> kOptionalTypes = {"int16", "int64", "float16",
                                                                   "float64"};

struct GenerateOptions {
  uint32_t divergent = 20;    ///< percent of the statements that are drawn as divergent
  uint32_t assignments = 50;  ///< weight of assignments among all statements; likewise the others
  uint32_t ifs = 20;
  uint32_t block = 12;  ///< most statements of a block; of an inner block one less for each level
  uint32_t nested = 5;  ///< most ifs, loops and switches around a statement
  uint32_t rounds = 3;  ///< most rounds of a loop
  uint32_t depth = 3;   ///< of an expression
  uint32_t live = 30;   ///< percent of the assignments that use an older value of the same class
  uint32_t classes =
      1;  ///< 0: all statements use variables of both classes, and count as divergent

  uint32_t loops = 14;
  uint32_t switches = 5;
  uint32_t jumps = 4;            ///< breaks, continues and returns
  uint32_t calls = 4;            ///< of functions; 0: the program has no functions
  uint32_t groups = 3;           ///< barriers and atomics of a workgroup (compute)
  uint32_t subgroups = 0;        ///< subgroup operations (compute)
  uint32_t spec_constants = 15;  ///< percent of the uniform inputs
  uint32_t storage_images = 0;   ///< percent of the variables of main (compute)
  uint32_t images = 3;           ///< percent of the operands that are texels of images
  uint32_t derivatives = 8;      ///< percent of the sums and so on of uniform floats (fragment)
  Floats floats = Floats::kExact;
  uint32_t types = 0;         ///< of kOptionalTypes; without floats, only integers count
  uint32_t statements = 200;  ///< most statements of a program
  uint32_t variables = 12;    ///< of main
  uint32_t least = 0;         ///< draw until the program has as many statements

  Stage stage = Stage::kCompute;
  uint32_t workgroup = 64;  ///< compute: invocations of a workgroup
  uint32_t workgroups = 2;  ///< compute
  uint32_t side = 16;  ///< fragment: pixels of the image in x and in y; vertex: cells of the grid

  friend bool operator==(const GenerateOptions&, const GenerateOptions&) = default;
};

/// The number of invocations of a program.
uint32_t InvocationsOf(const GenerateOptions& options);

/// The scalar types of a program: bools, integers and floats of 32 bits first.
std::vector<Scalar> ScalarsOf(const GenerateOptions& options);

/// The bit for a name of kOptionalTypes; 0 for other names.
uint32_t OptionalType(std::string_view name);
/// "int16,float64"; empty for 0.
std::string OptionalTypesText(uint32_t types);

/// An option that is a number, with its name on the command line.
struct NumberOption {
  const char* option;  ///< "--divergent"
  uint32_t GenerateOptions::*value;
  uint32_t low, high;
  const char* help;
};
extern const std::array<NumberOption, 25> kNumberOptions;

/// Fails if an option is out of its range.
Status CheckOptions(const GenerateOptions& options);

}  // namespace refract::generate
