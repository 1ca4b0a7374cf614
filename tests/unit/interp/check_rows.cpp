// SPDX-License-Identifier: Apache-2.0
#include "check_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "ir/grammar/grammar.h"
#include "ir/tools.h"

namespace refract {
namespace {

constexpr size_t kMostFolded = 32;
constexpr const char* kStoresUndefined =
    "an undefined value is stored to memory that other invocations can read";

std::string Text(const Bits& bits) {
  std::string text;
  for (const uint64_t value : bits) text += format(" {:#x}", value);
  return text;
}

// The results of one tuple.
struct Outcome {
  bool undefined = false;
  Bits bits;
  std::vector<Shadow> shadows;  // one for each scalar
};

class RowCheck {
 public:
  RowCheck(const TableRow& row, Counts* counts)
      : row_(row), counts_(*counts), results_(row.ResultTypes()) {}
  void Run();

 private:
  void Interpret();
  void CheckTogether();
  void CheckTraps();
  void CheckWants();
  void CheckWant(size_t tuple, const Bits& want);
  void CheckDriver(const std::string& driver);
  void CheckFolding();
  Bits ScalarsAt(const std::vector<uint32_t>& words, size_t tuple) const;
  const TableType& TypeOfScalar(size_t scalar) const;
  Bindings BindingsFor(const std::vector<Bits>& tuples) const;
  std::string Where(size_t tuple) const {
    return format("{}\n  operands:{}", row_.Name(), Text(tuples_[tuple]));
  }

  /// One failure for each kind of them in a row: where it was first, and how often.
  void Complain(const std::string& who, size_t tuple, const std::string& text);

  const TableRow& row_;
  Counts& counts_;
  std::map<std::string, std::pair<uint64_t, std::string>> complaints_;
  const std::vector<TableType> results_;
  std::vector<Bits> tuples_, traps_;
  std::unique_ptr<TableModule> module_;
  std::vector<Outcome> outcomes_;
};

Bindings RowCheck::BindingsFor(const std::vector<Bits>& tuples) const {
  Bindings bindings;
  bindings.buffers = {StorageBuffer(0, OperandBytes(row_, tuples)),
                      StorageBuffer(1, std::string(4 * ResultWords(row_) * tuples.size(), '\0'))};
  bindings.groups[0] = static_cast<uint32_t>(tuples.size());
  return bindings;
}

const TableType& RowCheck::TypeOfScalar(size_t scalar) const {
  size_t part = 0;
  while (scalar >= results_[part].scalars()) scalar -= results_[part++].scalars();
  return results_[part];
}

Bits RowCheck::ScalarsAt(const std::vector<uint32_t>& words, size_t tuple) const {
  size_t word = tuple * ResultWords(row_);
  Bits bits;
  for (const TableType& type : results_) {
    for (size_t i = 0; i < type.scalars(); ++i) {
      bits.push_back(words.at(word++));
      if (type.width == 64) bits.back() |= uint64_t{words.at(word++)} << 32;
    }
  }
  return bits;
}

// Tuples whose result is undefined stop the run where it is stored: it continues after them.
void RowCheck::Interpret() {
  const auto program = ProgramOf(*module_, BindingsFor(tuples_));
  ASSERT_TRUE(program) << row_.Name();
  outcomes_.resize(tuples_.size());
  size_t first = 0;
  while (first < tuples_.size()) {
    RunOptions options;
    for (size_t i = first; i < tuples_.size(); ++i) {
      options.sample.push_back(static_cast<uint32_t>(i));
    }
    const RunReport report = refract::Run(*program, options);
    size_t end = tuples_.size();
    if (report.trap) {
      end = report.trap->invocation[0];
      ASSERT_NE(report.trap->message.find(kStoresUndefined), std::string::npos)
          << Where(end) << "\n  " << report.trap->message;
      outcomes_.at(end).undefined = true;
      ++counts_.undefined;
    }
    const std::vector<uint32_t> words = WordsOf(report.outputs.buffers.at(1).bytes);
    const std::string& shadows = report.buffer_shadows.at(1);
    for (size_t i = first; i < end; ++i) {
      outcomes_[i].bits = ScalarsAt(words, i);
      size_t word = i * ResultWords(row_);
      for (size_t scalar = 0; scalar < outcomes_[i].bits.size(); ++scalar) {
        Shadow shadow = Shadow::kExact;
        if (!shadows.empty()) shadow = static_cast<Shadow>(shadows.at(4 * word));
        outcomes_[i].shadows.push_back(shadow);
        word += TypeOfScalar(scalar).width == 64 ? 2 : 1;
        ++(shadow == Shadow::kExact ? counts_.exact_words : counts_.approximate_words);
      }
    }
    first = end + 1;
  }
}

// The same in workgroups of 64: what is done for many at once must be what is done for one.
void RowCheck::CheckTogether() {
  std::vector<size_t> places;
  std::vector<Bits> tuples;
  for (size_t i = 0; i < tuples_.size(); ++i) {
    if (!outcomes_[i].undefined) places.push_back(i);
  }
  if (places.empty()) return;
  for (size_t i = 0; places.size() % 64 != 0; ++i) places.push_back(places[i]);
  for (const size_t place : places) tuples.push_back(tuples_[place]);
  std::string text = RowAssembly(row_, tuples, RowForm::kBuffers);
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"LocalSize 1 1 1", "LocalSize 64 1 1"},
        {"BuiltIn WorkgroupId", "BuiltIn GlobalInvocationId"}}) {
    text.replace(text.find(from), from.size(), to);
  }
  const auto module = Assembled(text, row_.version);
  ASSERT_TRUE(module) << row_.Name();
  Bindings bindings = BindingsFor(tuples);
  bindings.groups[0] = static_cast<uint32_t>(tuples.size() / 64);
  const auto program = ProgramOf(*module, bindings);
  ASSERT_TRUE(program) << row_.Name();
  const RunReport report = refract::Run(*program);
  ASSERT_FALSE(report.trap) << row_.Name() << ": " << report.trap->message;
  const std::vector<uint32_t> words = WordsOf(report.outputs.buffers.at(1).bytes);
  const std::string& shadows = report.buffer_shadows.at(1);
  for (size_t i = 0; i < places.size(); ++i) {
    const Outcome& outcome = outcomes_[places[i]];
    const Bits bits = ScalarsAt(words, i);
    if (bits != outcome.bits) {
      Complain("together", places[i],
               format("alone:{}\n  together:{}", Text(outcome.bits), Text(bits)));
    }
    size_t word = i * ResultWords(row_);
    for (size_t k = 0; k < bits.size(); ++k) {
      const auto shadow = static_cast<Shadow>(shadows.empty() ? 0 : shadows.at(4 * word));
      word += TypeOfScalar(k).width == 64 ? 2 : 1;
      if (shadow != outcome.shadows[k]) Complain("together", places[i], "another shadow");
    }
  }
}

void RowCheck::CheckTraps() {
  if (traps_.empty()) return;
  const auto program = ProgramOf(*module_, BindingsFor(traps_));
  ASSERT_TRUE(program) << row_.Name();
  for (uint32_t i = 0; i < traps_.size(); ++i) {
    RunOptions options;
    options.sample = {i};
    const RunReport report = refract::Run(*program, options);
    ASSERT_TRUE(report.trap) << row_.Name() << Text(traps_[i]);
    EXPECT_EQ(report.trap->kind, Trap::Kind::kUndefinedBehaviour);
    EXPECT_EQ(report.trap->message.find(kStoresUndefined), std::string::npos)
        << row_.Name() << Text(traps_[i]);
    ++counts_.traps;
  }
}

void RowCheck::CheckWant(size_t tuple, const Bits& want) {
  const Outcome& outcome = outcomes_[tuple];
  ASSERT_EQ(want.size(), outcome.bits.size()) << Where(tuple);
  for (size_t i = 0; i < want.size(); ++i) {
    const TableType& type = TypeOfScalar(i);
    ++counts_.expected_words;
    if (want[i] == outcome.bits[i]) continue;
    bool good = false;
    if (type.is_float() && outcome.shadows[i] == Shadow::kApproximate) {
      // Of a library function the double may be rounded the other way; zeros have either sign.
      const double wanted = DecodeFloat(want[i], type.width);
      const double got = DecodeFloat(outcome.bits[i], type.width);
      good = wanted == got || (std::isnan(wanted) && std::isnan(got)) ||
             std::fabs(wanted - got) <= 1.01 * row_.gaps * GapAt(wanted, type.width);
    }
    if (good) continue;
    Complain("C++", tuple,
             format("wanted:{}\n  interpreter:{} {}", Text(want), Text(outcome.bits),
                    outcome.shadows[i] == Shadow::kExact ? "exact" : "approximate"));
  }
}

void RowCheck::CheckWants() {
  bool approximate = false;
  for (size_t i = 0; i < tuples_.size(); ++i) {
    for (const Shadow shadow : outcomes_[i].shadows) {
      approximate = approximate || shadow != Shadow::kExact;
      if (row_.exact && shadow != Shadow::kExact) Complain("shadow", i, "not exact");
    }
    for (size_t k = 0; k < outcomes_[i].bits.size() && row_.allowed; ++k) {
      const TableType& type = TypeOfScalar(k);
      if (outcomes_[i].shadows[k] == Shadow::kExact || !type.is_float()) continue;
      const math::Range range = row_.allowed(tuples_[i], k);
      const double value = DecodeFloat(outcomes_[i].bits[k], type.width);
      if (!range.IsFinite() || range.Contains(value)) continue;
      Complain("own bounds", i,
               format("interpreter: {} not in [{}, {}]", value, range.low, range.high));
    }
    if (!row_.want) continue;
    const Want want = row_.want(tuples_[i]);
    if (want.kind == Want::Kind::kUnknown) continue;
    if (outcomes_[i].undefined != (want.kind == Want::Kind::kUndefined)) {
      Complain("undefined", i, outcomes_[i].undefined ? "undefined" : "not undefined");
    }
    if (want.kind == Want::Kind::kValue && !outcomes_[i].undefined) CheckWant(i, want.bits);
  }
  if (row_.approximate) {
    EXPECT_TRUE(approximate) << row_.Name();
  }
}

void RowCheck::CheckDriver(const std::string& driver) {
  std::string why;
  const auto outputs =
      RunOnDriver(driver, module_->words, BindingsFor(tuples_), &why, row_.optimised);
  if (!outputs) {
    if (why.empty()) ADD_FAILURE() << row_.Name() << " on " << driver;
    ++counts_.skipped_rows[driver];
    return;
  }
  const std::vector<uint32_t> words = WordsOf(outputs->buffers.at(1).bytes);
  for (size_t tuple = 0; tuple < tuples_.size(); ++tuple) {
    const Outcome& outcome = outcomes_[tuple];
    if (outcome.undefined) continue;
    if (row_.wrong && row_.wrong(driver, tuples_[tuple])) {
      ++counts_.known_wrong[driver];
      continue;
    }
    const Bits bits = ScalarsAt(words, tuple);
    for (size_t i = 0; i < bits.size(); ++i) {
      const TableType& type = TypeOfScalar(i);
      if (outcome.shadows[i] == Shadow::kExact) {
        ++counts_.compared_words[driver];
        if (bits[i] != outcome.bits[i]) {
          Complain(driver, tuple,
                   format("{}:{}\n  interpreter:{} exact, component {}", driver, Text(bits),
                          Text(outcome.bits), i));
        }
        continue;
      }
      if (!row_.allowed || !type.is_float()) continue;
      const math::Range range = row_.allowed(tuples_[tuple], i);
      if (!range.IsFinite()) continue;
      ++counts_.compared_approximate[driver];
      const double value = DecodeFloat(bits[i], type.width);
      if (range.Contains(value)) continue;
      Complain(driver + " bounds", tuple,
               format("{}: {}{}\n  interpreter: {}{} in [{}, {}]", driver, value, Text(bits),
                      DecodeFloat(outcome.bits[i], type.width), Text(outcome.bits), range.low,
                      range.high));
    }
  }
}

void RowCheck::CheckFolding() {
  std::vector<size_t> places;
  std::vector<Bits> tuples;
  const size_t step = 1 + tuples_.size() / kMostFolded;
  for (size_t i = 0; i < tuples_.size(); i += step) {
    if (outcomes_[i].undefined) continue;
    places.push_back(i);
    tuples.push_back(tuples_[i]);
  }
  if (tuples.empty()) return;
  const auto before = Assembled(RowAssembly(row_, tuples, RowForm::kConstants), row_.version);
  ASSERT_TRUE(before) << row_.Name();
  const auto words = Optimize(before->words, {"--ccp", "--simplify-instructions"},
                              DefaultEnvironment(before->words[1]));
  ASSERT_TRUE(words) << row_.Name() << words.error().message;
  TableModule after{*words, std::nullopt};
  auto module = ReadModule(after.words, "folded");
  // docs/bugs.md: spirv-opt folds casts of 16-bit components to constants of too many words.
  if (!module &&
      module.error().message.find("Invalid instruction OpConstant") != std::string::npos) {
    counts_.known_wrong["folded"] += tuples.size();
    return;
  }
  ASSERT_TRUE(module) << row_.Name() << ": " << module.error().message;
  after.module.emplace(std::move(*module));
  Bindings bindings = BindingsFor(tuples);
  bindings.buffers[0].bytes = std::string(4, '\0');
  bindings.groups[0] = 1;
  const auto count = [&](const Module& in) {
    size_t found = 0;
    const Function main = EntryPoints(in).at(0).function;
    ForEachBlock(in, main, [&](Block block) {
      ForEachInstruction(in, block, [&](Inst inst) {
        const bool glsl =
            in.Opcode(inst) == spv::Op::OpExtInst && !row_.instruction.starts_with("Op");
        if (glsl || NameOf(in.Opcode(inst)) == row_.instruction) ++found;
      });
    });
    return found;
  };
  const size_t were = count(*before->module), are = count(*after.module);
  if (were >= tuples.size()) counts_.folded_tuples += (were - are) * tuples.size() / were;
  for (const TableModule* each :
       {static_cast<const TableModule*>(before.get()), static_cast<const TableModule*>(&after)}) {
    const auto program = ProgramOf(*each, bindings);
    ASSERT_TRUE(program) << row_.Name();
    const RunReport report = refract::Run(*program);
    ASSERT_FALSE(report.trap) << row_.Name() << report.trap->message;
    const std::vector<uint32_t> got = WordsOf(report.outputs.buffers.at(1).bytes);
    for (size_t i = 0; i < tuples.size(); ++i) {
      const Outcome& outcome = outcomes_[places[i]];
      const Bits bits = ScalarsAt(got, i);
      for (size_t k = 0; k < bits.size(); ++k) {
        if (outcome.shadows[k] != Shadow::kExact) continue;
        ++counts_.folded_words;
        if (bits[k] == outcome.bits[k]) continue;
        const char* who = each == &after ? "folded" : "of constants";
        if (row_.wrong && row_.wrong(who, tuples[i])) {
          ++counts_.known_wrong[who];
          continue;
        }
        Complain(who, places[i],
                 format("{}:{}\n  interpreter:{} exact", who, Text(bits), Text(outcome.bits)));
      }
    }
  }
}

void RowCheck::Complain(const std::string& who, size_t tuple, const std::string& text) {
  auto& [count, first] = complaints_[who];
  if (count++ == 0) first = format("{}\n  {}", Where(tuple), text);
}

void RowCheck::Run() {
  ++counts_.rows;
  for (const Bits& tuple : row_.tuples) {
    const bool trap = row_.want && row_.want(tuple).kind == Want::Kind::kTrap;
    (trap ? traps_ : tuples_).push_back(tuple);
  }
  counts_.tuples += tuples_.size();
  module_ = Assembled(RowAssembly(row_, tuples_, RowForm::kBuffers), row_.version);
  ASSERT_TRUE(module_) << row_.Name();
  Interpret();
  if (testing::Test::HasFatalFailure()) return;
  if (row_.globals.find("Workgroup") == std::string::npos) CheckTogether();
  CheckTraps();
  CheckWants();
  for (const std::string& driver : DriverNames()) CheckDriver(driver);
  if (row_.fold) CheckFolding();
  for (const auto& [who, complaint] : complaints_) {
    ADD_FAILURE() << complaint.second << "\n  (" << complaint.first << " times)";
  }
}

}  // namespace

void CheckRows(const std::vector<TableRow>& rows, const std::string& name) {
  Counts counts;
  int n = 2;
  for (const TableRow& row : rows) {
    RowCheck(row, &counts).Run();
    if (!row.by_component) continue;
    RowCheck(OnVectors(row, n), &counts).Run();
    n = n == 4 ? 2 : n + 1;
  }
  Print(counts, name);
}

}  // namespace refract
