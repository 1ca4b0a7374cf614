// SPDX-License-Identifier: Apache-2.0
// Generated programs are valid, defined and exact, and what they call uniform is.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "generate/check_program.h"
#include "generate/draw.h"
#include "ir/tools.h"

namespace refract::generate {
namespace {

GeneratedProgram Make(const GenerateOptions& options, uint64_t seed) {
  const Result<ProgramRecipe> recipe = DrawRecipe(options, seed);
  EXPECT_TRUE(recipe) << recipe.error().message;
  GeneratedProgram program;
  EXPECT_EQ(test::FaultOf(*recipe, &program), "") << CommandOf(*recipe);
  return program;
}

bool Has(const GeneratedProgram& program, spv::Op op) {
  for (size_t i = 5; i < program.words.size(); i += program.words[i] >> 16) {
    if ((program.words[i] & 0xffff) == static_cast<uint32_t>(op)) return true;
  }
  return false;
}

TEST(Generate, ProgramsHaveNoFault) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    GeneratedProgram program;
    const ProgramRecipe recipe = DrawAnyRecipe(seed);
    EXPECT_EQ(test::FaultOf(recipe, &program), "") << CommandOf(recipe);
  }
}

// Without classes, a program is only as good as the interpreter says.
TEST(Generate, ProgramsWithoutClassesHaveNoFault) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    GenerateOptions options = DrawAnyOptions(seed);
    options.classes = 0;
    Make(options, seed);
  }
}

TEST(Generate, SpecConstantsHaveValues) {
  GenerateOptions options;
  options.spec_constants = 80;
  options.least = 40;
  options.types = 15;
  std::set<uint32_t> given;
  uint32_t operations = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const GeneratedProgram program = Make(options, seed);
    EXPECT_TRUE(Has(program, spv::Op::OpSpecConstant));
    operations += Has(program, spv::Op::OpSpecConstantOp) ? 1 : 0;
    for (const SpecConstant& value : program.inputs.spec_constants) given.insert(value.id);
  }
  EXPECT_EQ(given.size(), kSpecConstants);
  EXPECT_GT(operations, 0u);
  options.spec_constants = 0;
  const GeneratedProgram without = Make(options, 1);
  EXPECT_FALSE(Has(without, spv::Op::OpSpecConstant));
  EXPECT_TRUE(without.inputs.spec_constants.empty());
}

bool HasCapability(const GeneratedProgram& program, spv::Capability capability) {
  for (size_t i = 5; i < program.words.size(); i += program.words[i] >> 16) {
    if (program.words[i] == (2u << 16 | static_cast<uint32_t>(spv::Op::OpCapability)) &&
        program.words[i + 1] == static_cast<uint32_t>(capability)) {
      return true;
    }
  }
  return false;
}

TEST(Generate, OptionalTypesHaveNoFault) {
  constexpr spv::Capability kNeeds[] = {spv::Capability::Int16, spv::Capability::Int64,
                                        spv::Capability::Float16, spv::Capability::Float64};
  uint32_t converts = 0;
  for (uint64_t seed = 0; seed < 24; ++seed) {
    GenerateOptions options;
    options.stage = static_cast<Stage>(seed % static_cast<uint64_t>(Stage::kCount));
    options.types = seed < 16 ? static_cast<uint32_t>(seed) : 15;
    options.switches = 15;
    options.least = 40;
    const GeneratedProgram program = Make(options, seed);
    for (uint32_t i = 0; i < 4; ++i) {
      EXPECT_EQ(HasCapability(program, kNeeds[i]), (options.types >> i & 1) != 0) << seed;
    }
    converts += Has(program, spv::Op::OpFConvert) ? 1 : 0;
  }
  EXPECT_GT(converts, 2u);
  GenerateOptions integers;
  integers.types = 15;
  integers.floats = Floats::kNone;
  integers.least = 40;
  const GeneratedProgram program = Make(integers, 3);
  EXPECT_TRUE(HasCapability(program, spv::Capability::Int64));
  EXPECT_FALSE(HasCapability(program, spv::Capability::Float16));
}

// For all operands: the program has one correct output only if no permitted result is near a limit
// of the rounding.
TEST(Generate, BoundedOperationsHaveOneResult) {
  constexpr Type kUint = {Scalar::kUint, 1}, kFloat = {Scalar::kFloat, 1};
  ProgramRecipe recipe;
  recipe.options.workgroup = 128;
  recipe.options.workgroups = 128;
  recipe.options.floats = Floats::kBounded;
  Tree& tree = recipe.tree;
  tree.constants = {7};
  tree.expressions = {{Operator::kInvocation, kUint},
                      {Operator::kConstant, kUint, 0},
                      {Operator::kShiftRight, kUint, 0, 1},
                      {Operator::kConvert, kFloat, 0},   // its lowest 7 bits
                      {Operator::kConvert, kFloat, 2}};  // the next ones
  tree.functions.emplace_back();
  for (const Operator op :
       {Operator::kDivide, Operator::kSqrt, Operator::kInverseSqrt, Operator::kSin, Operator::kCos,
        Operator::kExp2, Operator::kLog2, Operator::kAtan}) {
    tree.variables.emplace_back();
    tree.variables.back().type = kFloat;
    tree.variables.back().initial = static_cast<uint32_t>(tree.expressions.size());
    tree.functions[0].variables.push_back(static_cast<uint32_t>(tree.variables.size() - 1));
    tree.expressions.push_back({op, kFloat, 3, 4});
  }
  const Result<GeneratedProgram> program = MakeProgram(recipe);
  ASSERT_TRUE(program) << program.error().message;
  // A word has sixteenths. Invocation 128 a + b has the operands b / 16 - 4 and a / 16 - 4.
  const std::vector<uint32_t>& words = program->inputs.expected->buffers[0].words;
  const auto word = [&](uint32_t a, uint32_t b, uint32_t variable) {
    return static_cast<int32_t>(words[(size_t{128} * a + b) * 8 + variable]);
  };
  EXPECT_EQ(word(96, 112, 0), 24);  // 3 / 2 = 24 / 16
  EXPECT_EQ(word(0, 96, 0), -8);    // 2 / -4
  EXPECT_EQ(word(64, 80, 0), 16);   // 1 / 0, guarded
  EXPECT_EQ(word(5, 100, 1), 24);   // the root of 2.25
  EXPECT_EQ(word(5, 0, 2), 8);      // 1 / the root of 4
  EXPECT_EQ(word(5, 64, 3), 0);     // the sine of 0
  EXPECT_EQ(word(5, 64, 4), 16);    // the cosine of 0
  EXPECT_EQ(word(5, 96, 5), 64);    // 2 to the power of 2
  EXPECT_EQ(word(5, 96, 6), 16);    // the logarithm of 2
  EXPECT_EQ(word(5, 80, 7), 12);    // the arc tangent of 1, 0.785
}

TEST(Generate, BoundedProgramsHaveNoFault) {
  uint32_t found = 0;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    GenerateOptions options;
    options.stage = static_cast<Stage>(seed % static_cast<uint64_t>(Stage::kCount));
    options.floats = Floats::kBounded;
    options.types = seed % 2 == 0 ? 15 : 0;
    options.least = 40;
    found += Has(Make(options, seed), spv::Op::OpFDiv) ? 1 : 0;
  }
  EXPECT_GT(found, 3u);
}

// All labels of a switch of each width are reached: a wrong literal would make the default of one.
TEST(Generate, SwitchesOfAllWidthsReachTheirLabels) {
  for (const Scalar scalar : {Scalar::kUint, Scalar::kUint16, Scalar::kUint64}) {
    ProgramRecipe recipe;
    recipe.options.workgroup = 4;
    recipe.options.workgroups = 1;
    Tree& tree = recipe.tree;
    tree.variables.resize(1);
    tree.constants = {0, 7, 8, 9};
    tree.expressions.push_back({Operator::kInvocation, {Scalar::kUint, 1}});
    tree.expressions.push_back({Operator::kConvert, {scalar, 1}, 0});
    if (scalar == Scalar::kUint) tree.expressions[1] = tree.expressions[0];
    for (uint32_t i = 0; i < 4; ++i) {
      tree.expressions.push_back({Operator::kConstant, {Scalar::kUint, 1}, i});
    }
    tree.variables[0].initial = 2;
    Statement inner;
    inner.kind = StatementKind::kSwitch;
    inner.divergent = true;
    inner.value = 1;
    inner.start = 0xfffffffeu;  // the labels wrap around
    inner.number = 3;
    inner.arguments = {1, 1, 1, 0};
    inner.falls_through.resize(4);
    for (uint32_t i = 0; i < 4; ++i) {
      Statement assignment;
      assignment.divergent = true;
      assignment.target.variable = 0;
      assignment.value = i < 3 ? 3 + i : 2;
      inner.blocks.push_back({assignment});
    }
    tree.functions.emplace_back();
    tree.functions[0].variables = {0};
    tree.functions[0].body = {inner};
    GeneratedProgram program;
    EXPECT_EQ(test::FaultOf(recipe, &program), "");
    EXPECT_EQ(program.inputs.expected->buffers[0].words, (std::vector<uint32_t>{7, 8, 9, 0}));
  }
}

TEST(Generate, TexelsAreExact) {
  GenerateOptions options;
  options.images = 40;
  options.least = 40;
  uint32_t fetches = 0, samples = 0, images = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    options.stage = static_cast<Stage>(seed % static_cast<uint64_t>(Stage::kCount));
    const GeneratedProgram program = Make(options, seed);
    fetches += Has(program, spv::Op::OpImageFetch) ? 1 : 0;
    samples += Has(program, spv::Op::OpImageSampleExplicitLod) ? 1 : 0;
    for (const InputValue& value : program.inputs.values) images += value.image ? 1 : 0;
    // The file of the inputs has everything.
    const Result<Inputs> read = ParseInputs("program.json", WriteInputs(program.inputs));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, program.inputs);
  }
  EXPECT_EQ(fetches, 8u);
  EXPECT_GT(samples, 4u);
  EXPECT_GT(images, 12u);
}

TEST(Generate, StorageImagesHaveATexelForEachInvocation) {
  GenerateOptions options;
  options.storage_images = 40;
  options.least = 40;
  std::set<size_t> counts;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    options.workgroup = static_cast<uint32_t>(8 + 5 * seed);
    const GeneratedProgram program = Make(options, seed);
    size_t images = 0;
    for (const InputValue& value : program.inputs.values) {
      if (!value.image || value.image->kind != BoundImage::kStorage) continue;
      ++images;
      EXPECT_EQ(value.image->size, (std::vector<uint32_t>{options.workgroup, options.workgroups}));
    }
    counts.insert(images);
    EXPECT_EQ(Has(program, spv::Op::OpImageWrite), images != 0);
    EXPECT_EQ(Has(program, spv::Op::OpImageRead), images != 0);
    const Result<Inputs> read = ParseInputs("program.json", WriteInputs(program.inputs));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, program.inputs);
  }
  EXPECT_TRUE(counts.contains(kMostStorageImages));
  EXPECT_LE(*counts.rbegin(), kMostStorageImages);
  options.stage = Stage::kFragment;
  EXPECT_FALSE(Has(Make(options, 1), spv::Op::OpImageWrite));
}

// An image with an odd side: invocations outside of it take part in derivatives.
TEST(Generate, DerivativesOfUniformValuesAreZero) {
  GenerateOptions options;
  options.stage = Stage::kFragment;
  options.derivatives = 60;
  options.side = 5;
  options.least = 40;
  uint32_t found = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const GeneratedProgram program = Make(options, seed);
    found += Has(program, spv::Op::OpDPdx) && Has(program, spv::Op::OpFwidth) ? 1 : 0;
  }
  EXPECT_GT(found, 4u);
  // Here the bits of a derivative count: they are those of a sum of two differences.
  const Result<GeneratedProgram> program = MakeProgram(DrawAnyRecipe(220341));
  EXPECT_TRUE(program) << program.error().message;
}

// What leaves a switch or a function early has the classes of the place where it leaves.
TEST(Generate, ProgramsWithManyJumpsHaveNoFault) {
  GenerateOptions options;
  options.jumps = 40;
  options.switches = 30;
  options.divergent = 30;
  for (uint64_t seed = 0; seed < 30; ++seed) Make(options, seed);
  // Who returns from a loop that others have left does not come to a barrier after it.
  options = {};
  options.jumps = 60;
  options.loops = options.groups = 30;
  options.divergent = 50;
  for (uint64_t seed = 0; seed < 40; ++seed) Make(options, seed);
}

// Counts the instructions that follow one another in this order.
uint32_t Count(const GeneratedProgram& program, spv::Op first, spv::Op second) {
  uint32_t count = 0, before = 0;
  for (size_t i = 5; i < program.words.size(); i += program.words[i] >> 16) {
    const uint32_t op = program.words[i] & 0xffff;
    if (before == static_cast<uint32_t>(first) && op == static_cast<uint32_t>(second)) ++count;
    before = op;
  }
  return count;
}

TEST(Generate, ControlFlowIsWrittenAsTheTreeSays) {
  ProgramRecipe recipe;
  Tree& tree = recipe.tree;
  tree.loops = 1;
  tree.variables.resize(1);
  tree.constants = {1, 3};
  tree.expressions = {{Operator::kConstant, {Scalar::kUint, 1}, 1},
                      {Operator::kConstant, {Scalar::kBool, 1}, 0}};
  tree.variables[0].initial = 0;
  Statement assignment, jump, inner, loop;
  assignment.target.variable = 0;
  assignment.value = 0;
  jump.kind = StatementKind::kContinue;
  jump.value = 1;
  inner.kind = StatementKind::kSwitch;
  inner.value = 0;
  inner.start = 0xffffffffu;
  inner.number = 1;
  inner.arguments = {2, 0, 1};
  inner.falls_through = {true, true, false};
  inner.blocks = {{jump}, {assignment}, {assignment}};
  loop.kind = StatementKind::kLoop;
  loop.number = 3;
  loop.test = LoopTest::kHeader;
  loop.blocks = {{inner}, {assignment}};
  tree.functions.emplace_back();
  tree.functions[0].variables = {0};
  tree.functions[0].body = {loop};
  GeneratedProgram program;
  EXPECT_EQ(test::FaultOf(recipe, &program), "");
  EXPECT_EQ(Count(program, spv::Op::OpSLessThan, spv::Op::OpLoopMerge), 1u);
  EXPECT_EQ(Count(program, spv::Op::OpLoopMerge, spv::Op::OpBranchConditional), 1u);
  // The jump has no merge block of its own, and the default falls through.
  EXPECT_EQ(Count(program, spv::Op::OpLabel, spv::Op::OpBranchConditional), 1u);
  EXPECT_EQ(Count(program, spv::Op::OpSelectionMerge, spv::Op::OpSwitch), 1u);
  const auto at = std::find(program.words.begin(), program.words.end(),
                            9u << 16 | static_cast<uint32_t>(spv::Op::OpSwitch));
  ASSERT_NE(at, program.words.end());
  EXPECT_EQ(at[3], 0xffffffffu);
  EXPECT_EQ(at[5], 0u);
  EXPECT_EQ(at[4], at[6]);
  EXPECT_EQ(at[7], 1u);
  EXPECT_NE(at[8], at[2]);

  // Both arms of an if leave: its merge block is not reached, and may have code.
  for (const bool dead_end : {false, true}) {
    Statement leaving;
    leaving.kind = StatementKind::kIf;
    leaving.value = 1;
    leaving.dead_end = dead_end;
    jump.value = kNone;
    leaving.blocks = {{jump}, {jump}};
    loop.blocks = {{leaving, assignment}};
    tree.functions[0].body = {loop};
    EXPECT_EQ(test::FaultOf(recipe, &program), "");
    EXPECT_EQ(Count(program, spv::Op::OpLabel, spv::Op::OpUnreachable), dead_end ? 0u : 1u);
  }
}

TEST(Generate, SameSeedGivesSameProgram) {
  GenerateOptions options;
  options.least = 20;
  const GeneratedProgram one = Make(options, 3), other = Make(options, 3);
  EXPECT_EQ(one.words, other.words);
  EXPECT_EQ(one.inputs, other.inputs);
  EXPECT_NE(one.words, Make(options, 4).words);
}

TEST(Generate, AllStagesHaveExpectedOutput) {
  GenerateOptions options;
  const GeneratedProgram compute = Make(options, 1);
  ASSERT_EQ(compute.inputs.expected->buffers.size(), 1u);
  EXPECT_EQ(compute.inputs.expected->buffers[0].words.size(),
            size_t{options.workgroup} * options.workgroups * options.variables);
  options.stage = Stage::kFragment;
  const GeneratedProgram fragment = Make(options, 1);
  EXPECT_EQ(fragment.inputs.expected->picture->colours.size(), size_t{options.side} * options.side);
  // A triangle has the colour of its first vertex, which the triangles of two cells share.
  options.stage = Stage::kVertex;
  options.least = 30;
  const GeneratedProgram vertex = Make(options, 1);
  const std::vector<uint32_t>& colours = vertex.inputs.expected->picture->colours;
  ASSERT_EQ(colours.size(), 2 * size_t{options.side} * options.side);
  for (size_t i = 1; i + 1 < colours.size(); i += 2) {
    if (i / 2 % options.side + 1 == options.side) continue;  // the end of a row
    EXPECT_EQ(colours[i], colours[i + 1]);
  }
  EXPECT_GT(std::set<uint32_t>(colours.begin(), colours.end()).size(), 20u);
}

// Invocations compute different things, and so do programs.
TEST(Generate, ImagesHaveManyColours) {
  GenerateOptions options;
  options.stage = Stage::kFragment;
  options.least = 30;
  std::map<uint32_t, int> colours;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const GeneratedProgram program = Make(options, seed);
    for (const uint32_t colour : program.inputs.expected->picture->colours) ++colours[colour];
  }
  EXPECT_GT(colours.size(), 200u);
}

TEST(Generate, OptionsRemoveConstructs) {
  GenerateOptions options;
  options.least = 60;
  options.loops = options.switches = options.calls = options.groups = 0;
  options.floats = Floats::kNone;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const GeneratedProgram program = Make(options, seed);
    EXPECT_FALSE(Has(program, spv::Op::OpLoopMerge));
    EXPECT_FALSE(Has(program, spv::Op::OpSwitch));
    EXPECT_FALSE(Has(program, spv::Op::OpFunctionCall));
    EXPECT_FALSE(Has(program, spv::Op::OpControlBarrier));
    EXPECT_FALSE(Has(program, spv::Op::OpTypeFloat));
    EXPECT_FALSE(Has(program, spv::Op::OpGroupNonUniformBallot));
  }
  options = {};
  options.least = 60;
  options.subgroups = 20;
  bool votes = false, loops = false, calls = false, barriers = false;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const GeneratedProgram program = Make(options, seed);
    votes |= Has(program, spv::Op::OpGroupNonUniformAll);
    loops |= Has(program, spv::Op::OpLoopMerge);
    calls |= Has(program, spv::Op::OpFunctionCall);
    barriers |= Has(program, spv::Op::OpControlBarrier);
  }
  EXPECT_TRUE(votes && loops && calls && barriers);
}

uint32_t Depth(const Block& block) {
  uint32_t deepest = 0;
  for (const Statement& statement : block) {
    for (const Block& inner : statement.blocks) {
      deepest = std::max(deepest, 1 + Depth(inner));
    }
  }
  return deepest;
}

uint32_t LargestBlock(const Block& block) {
  auto largest = static_cast<uint32_t>(block.size());
  for (const Statement& statement : block) {
    for (const Block& inner : statement.blocks) largest = std::max(largest, LargestBlock(inner));
  }
  return largest;
}

TEST(Generate, LimitsHold) {
  GenerateOptions options;
  options.nested = 3;
  options.block = 6;
  options.statements = 50;
  uint32_t deepest = 0, largest = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Tree tree = DrawTree(options, seed);
    EXPECT_LE(CountStatements(tree), 50u);
    for (const Function& function : tree.functions) {
      deepest = std::max(deepest, Depth(function.body));
      largest = std::max(largest, LargestBlock(function.body));
    }
  }
  EXPECT_EQ(deepest, 3u);
  EXPECT_EQ(largest, 6u);
}

// With the paper's probabilities, about a fifth of the statements at the top are divergent.
TEST(Generate, DrawsClassesAsAsked) {
  for (const uint32_t percent : {0u, 20u, 100u}) {
    GenerateOptions options;
    options.divergent = percent;
    options.calls = options.jumps = options.groups = 0;
    uint64_t all = 0, divergent = 0;
    for (uint64_t seed = 0; seed < 300; ++seed) {
      const Tree tree = DrawTree(options, seed);
      for (const Statement& statement : tree.main().body) {
        ++all;
        divergent += statement.divergent ? 1 : 0;
      }
    }
    ASSERT_GT(all, 1000u);
    const double share = 100.0 * static_cast<double>(divergent) / static_cast<double>(all);
    EXPECT_NEAR(share, percent, 3);
  }
}

// A false claim about a value is found, so FaultOf can fail.
TEST(Generate, AFalseClassIsFound) {
  GenerateOptions options;
  options.least = 60;
  uint32_t found = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    ProgramRecipe recipe = *DrawRecipe(options, seed);
    for (Statement& statement : recipe.tree.functions.back().body) {
      if (statement.kind == StatementKind::kAssign) statement.divergent = false;
    }
    GeneratedProgram program;
    const std::string fault = test::FaultOf(recipe, &program);
    if (fault.find("is known to be the same in each workgroup") != std::string::npos) ++found;
  }
  EXPECT_GT(found, 0u);
}

TEST(Generate, RefusesOptionsOutOfRange) {
  GenerateOptions options;
  options.rounds = 17;
  const Result<ProgramRecipe> recipe = DrawRecipe(options, 1);
  ASSERT_FALSE(recipe);
  EXPECT_EQ(recipe.error().message, "--rounds: 17 is not between 1 and 16");
  EXPECT_EQ(recipe.error().kind, ErrorKind::kUsage);
}

TEST(Generate, CommandMakesTheProgramAgain) {
  GenerateOptions options;
  options.divergent = 50;
  options.floats = Floats::kNone;
  options.types = 5;
  EXPECT_EQ(CommandOf(*DrawRecipe(options, 7)),
            "refract generate --stage compute --seed 7 --divergent 50 --floats none "
            "--types int16,float16");
}

// docs/generate.md explains this program line by line.
TEST(Generate, ExampleOfTheDocumentIsCurrent) {
  GenerateOptions options;
  options.statements = 6;
  options.least = 3;
  options.variables = 3;
  options.depth = 1;
  options.calls = options.groups = options.spec_constants = options.images = 0;
  options.workgroup = 4;
  options.workgroups = 1;
  const GeneratedProgram program = Make(options, 671);
  DisassemblyOptions layout;
  layout.indent = true;
  const Result<std::string> text = Disassemble(program.words, layout);
  const Result<std::string> page = ReadFile(REFRACT_SOURCE_DIR "/docs/generate.md");
  ASSERT_TRUE(text && page);
  const auto instructions = [](const std::string& lines) {
    std::vector<std::string> found;
    for (const std::string& line : Split(lines, '\n')) {
      const size_t begin = line.find_first_not_of(' ');
      if (begin == std::string::npos || begin < 9) continue;
      if (line.find(" Op") != std::string::npos) found.push_back(line.substr(begin));
    }
    return found;
  };
  std::vector<std::string> all = instructions(*text), shown = instructions(*page);
  const auto first = std::find(all.begin(), all.end(), "%14 = OpLoad %11 %13");
  ASSERT_NE(first, all.end());
  all.erase(all.begin(), first);
  all.pop_back();  // OpFunctionEnd
  EXPECT_EQ(all, shown);
}

}  // namespace
}  // namespace refract::generate
