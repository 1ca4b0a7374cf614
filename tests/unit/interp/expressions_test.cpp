// SPDX-License-Identifier: Apache-2.0
// Random expressions: what the interpreter calls exact must come out of every order of evaluation,
// of runs in which approximate results are off by what they may be, and of both drivers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"
#include "base/text.h"
#include "check_rows.h"

namespace refract {
namespace {

struct Ran {
  std::vector<uint32_t> words;
  std::string shadows;  // one for each word
};

Ran RunIt(const Program& program, uint64_t perturb = 0) {
  RunOptions options;
  options.perturb = perturb;
  const RunReport report = refract::Run(program, options);
  EXPECT_FALSE(report.trap) << report.trap->message;
  Ran ran;
  ran.words = WordsOf(report.outputs.buffers.at(1).bytes);
  const std::string& shadows = report.buffer_shadows.at(1);
  for (size_t i = 0; i < ran.words.size(); ++i) {
    ran.shadows += shadows.empty() ? '\0' : shadows[4 * i];
  }
  return ran;
}

Bindings BindingsOf(const TableRow& row) {
  Bindings bindings;
  bindings.buffers = {
      StorageBuffer(0, OperandBytes(row, row.tuples)),
      StorageBuffer(1, std::string(4 * ResultWords(row) * row.tuples.size(), '\0'))};
  bindings.groups[0] = static_cast<uint32_t>(row.tuples.size());
  return bindings;
}

// Whole numbers, fractions, and what is far larger or smaller.
double RandomNumber(Random& random) {
  const auto small = static_cast<double>(random.Below(33)) - 16;
  switch (random.Below(5)) {
    case 0:
      return std::ldexp(small, static_cast<int>(random.Below(60)) - 30);
    case 1:
      return small / 10;
    default:
      return std::ldexp(small, static_cast<int>(random.Below(9)) - 4);
  }
}

template <class T>
void ExpectEveryOrder(int width) {
  TableRow row;
  row.instruction = "sum";
  const std::string type = format("f{}", width);
  row.result = type;
  row.operands.assign(4, type);
  row.body =
      format("%s~ = OpFAdd %{0} $0 $1\n%t~ = OpFAdd %{0} %s~ $2\n$r = OpFAdd %{0} %t~ $3", type);
  Random random(7);
  for (int i = 0; i < 1000; ++i) {
    Bits tuple;
    for (int k = 0; k < 4; ++k) tuple.push_back(EncodeFloat(RandomNumber(random), width));
    // Often enough something cancels.
    if (random.Below(3) == 0) tuple[2] = EncodeFloat(-DecodeFloat(tuple[0], width), width);
    row.tuples.push_back(std::move(tuple));
  }
  const auto module = Assembled(RowAssembly(row, row.tuples, RowForm::kBuffers), 3);
  ASSERT_TRUE(module);
  const auto program = ProgramOf(*module, BindingsOf(row));
  ASSERT_TRUE(program);
  const Ran ran = RunIt(*program);
  size_t exact = 0;
  const size_t words = ResultWords(row);
  for (size_t i = 0; i < row.tuples.size(); ++i) {
    if (ran.shadows[words * i] != '\0') continue;
    ++exact;
    std::array<T, 4> v;
    for (size_t k = 0; k < 4; ++k) v[k] = static_cast<T>(DecodeFloat(row.tuples[i][k], width));
    std::array<size_t, 4> order = {0, 1, 2, 3};
    const T sum = v[0] + v[1] + v[2] + v[3];
    do {
      const T a = v[order[0]], b = v[order[1]], c = v[order[2]], d = v[order[3]];
      EXPECT_EQ(static_cast<T>(static_cast<T>(static_cast<T>(a + b) + c) + d), sum) << i;
      EXPECT_EQ(static_cast<T>(static_cast<T>(a + b) + static_cast<T>(c + d)), sum) << i;
    } while (std::next_permutation(order.begin(), order.end()));
  }
  EXPECT_GT(exact, 300u);
  EXPECT_LT(exact, 990u);
}

TEST(Expressions, ExactInEveryOrder32) {
  ExpectEveryOrder<float>(32);
}
TEST(Expressions, ExactInEveryOrder64) {
  ExpectEveryOrder<double>(64);
}

// A dozen instructions on what is there already; the last of each kind are the result.
TableRow RandomRow(Random& random) {
  TableRow row;
  row.instruction = "expression";
  row.result = "f32 f32 f32 i32 u32";
  row.operands.assign(4, "f32");
  std::vector<std::string> floats = {"$0", "$1", "$2", "$3"}, integers, booleans;
  std::string body;
  const auto pick = [&](const std::vector<std::string>& from) {
    return from[from.size() - 1 - random.Below(std::min<size_t>(from.size(), 6))];
  };
  const auto add = [&](std::vector<std::string>* to, const std::string& what) {
    const std::string id = format("%x{}~", body.size());
    body += format("{} = {}\n", id, what);
    to->push_back(id);
  };
  add(&integers, "OpConvertFToS %i32 $0");
  add(&booleans, "OpFOrdLessThan %b $0 $1");
  const char* arithmetic[] = {"OpFAdd", "OpFSub", "OpFMul", "OpFMul", "OpFAdd", "OpFDiv"};
  const char* functions[] = {"Floor", "Fract", "FAbs",      "Sqrt", "Sin",
                             "Trunc", "FSign", "RoundEven", "Exp2", "Ceil"};
  const char* of_two[] = {"FMin", "FMax", "Step"};
  const char* relations[] = {"OpFOrdLessThan", "OpFOrdGreaterThanEqual", "OpFOrdEqual",
                             "OpFUnordNotEqual"};
  for (int i = 0; i < 14; ++i) {
    switch (random.Below(9)) {
      case 0:
      case 1:
      case 2:
        add(&floats,
            format("{} %f32 {} {}", arithmetic[random.Below(6)], pick(floats), pick(floats)));
        break;
      case 3: {
        const std::string name = functions[random.Below(10)];
        std::string operand = pick(floats);
        if (name == "Sqrt") {
          add(&floats, "OpExtInst %f32 %glsl FAbs " + operand);
          operand = floats.back();
        }
        add(&floats, format("OpExtInst %f32 %glsl {} {}", name, operand));
        break;
      }
      case 4:
        add(&floats, format("OpExtInst %f32 %glsl {} {} {}", of_two[random.Below(3)], pick(floats),
                            pick(floats)));
        break;
      case 5:
        add(&booleans,
            format("{} %b {} {}", relations[random.Below(4)], pick(floats), pick(floats)));
        break;
      case 6:
        add(&floats, format("OpSelect %f32 {} {} {}", pick(booleans), pick(floats), pick(floats)));
        break;
      case 7: {  // in range, whatever it was
        add(&floats, format("OpExtInst %f32 %glsl FClamp {} %low %high", pick(floats)));
        const std::string clamped = floats.back();
        add(&integers, "OpConvertFToS %i32 " + clamped);
        add(&floats, "OpConvertSToF %f32 " + integers.back());
        break;
      }
      default:
        add(&integers, format("OpIAdd %i32 {} {}", pick(integers), pick(integers)));
    }
  }
  add(&integers, format("OpSelect %u32 {} %c_u32_1 %c_u32_0", booleans.back()));
  const std::string flag = integers.back();
  integers.pop_back();
  body += format("$r = OpCompositeConstruct %results {} {} {} {} {}", floats.back(),
                 floats[floats.size() - 2], floats[floats.size() - 3], integers.back(), flag);
  row.body = body;
  row.globals = "%low = OpConstant %f32 -1000\n%high = OpConstant %f32 1000\n";
  for (int i = 0; i < 24; ++i) {
    Bits tuple;
    for (int k = 0; k < 4; ++k) {
      const double number = static_cast<double>(random.Below(33)) - 16;
      const double divisors[] = {1, 2, 4, 10};
      tuple.push_back(EncodeFloat(number / divisors[random.Below(4)], 32));
    }
    row.tuples.push_back(std::move(tuple));
  }
  return row;
}

// Undefined results would stop the run: fewer tuples are left then.
bool LeaveDefined(TableRow* row) {
  std::vector<Bits> defined;
  const auto module = Assembled(RowAssembly(*row, row->tuples, RowForm::kBuffers), 3);
  if (!module) return false;
  const auto program = ProgramOf(*module, BindingsOf(*row));
  if (!program) return false;
  for (uint32_t i = 0; i < row->tuples.size(); ++i) {
    RunOptions options;
    options.sample = {i};
    if (!refract::Run(*program, options).trap) defined.push_back(row->tuples[i]);
  }
  row->tuples = std::move(defined);
  return !row->tuples.empty();
}

TEST(Expressions, ExactHoweverTheRestIsOff) {
  Random random(11);
  size_t exact = 0, all = 0;
  std::map<std::string, size_t> compared;
  for (int round = 0; round < 60; ++round) {
    TableRow row = RandomRow(random);
    if (!LeaveDefined(&row)) continue;
    const auto module = Assembled(RowAssembly(row, row.tuples, RowForm::kBuffers), 3);
    const Bindings bindings = BindingsOf(row);
    const auto program = ProgramOf(*module, bindings);
    ASSERT_TRUE(program);
    const Ran plain = RunIt(*program);
    const auto expect = [&](const std::vector<uint32_t>& words, const std::string& who) {
      for (size_t i = 0; i < words.size(); ++i) {
        if (plain.shadows[i] != '\0' || words[i] == plain.words[i]) continue;
        const size_t tuple = i / ResultWords(row);
        std::string operands;
        for (const uint64_t bits : row.tuples[tuple]) {
          operands += format(" {}", DecodeFloat(bits, 32));
        }
        ADD_FAILURE() << who << ", expression " << round << ", operands" << operands << ", result "
                      << i % ResultWords(row) << ": " << words[i] << " instead of "
                      << plain.words[i] << "\n"
                      << row.body;
        return;
      }
    };
    for (size_t i = 0; i < plain.words.size(); ++i) {
      ++all;
      if (plain.shadows[i] == '\0') ++exact;
    }
    for (const uint64_t seed : {1, 2, 3, 4, 5, 6}) {
      RunOptions options;
      options.perturb = seed;
      const RunReport report = refract::Run(*program, options);
      // Where something else comes in, something undefined may come out.
      if (!report.trap) expect(WordsOf(report.outputs.buffers.at(1).bytes), "perturbed");
    }
    for (const std::string& driver : DriverNames()) {
      std::string why;
      const auto outputs = RunOnDriver(driver, module->words, bindings, &why);
      if (!outputs) continue;
      ++compared[driver];
      expect(WordsOf(outputs->buffers.at(1).bytes), driver);
    }
  }
  std::printf("[   counts ] expressions: %zu of %zu words exact, on %zu drivers\n", exact, all,
              compared.size());
  EXPECT_GT(exact, all / 4);
  EXPECT_LT(exact, all);
}

}  // namespace
}  // namespace refract
