// SPDX-License-Identifier: Apache-2.0
#include "measure/listing.h"

#include "base/text.h"
#include "ir/binary.h"
#include "ir/grammar/grammar.h"
#include "ir/tools.h"

namespace refract::measure {
namespace {

// The instructions of functions and all that follow them, in the order of the file.
std::vector<Inst> InstructionsOfFunctions(const Module& module) {
  std::vector<Inst> all;
  const auto add = [&](Inst inst) { all.push_back(inst); };
  ForEachFunction(module, [&](Function function) {
    ForEachInstruction(module, module[function].head, add);
    ForEachBlock(module, function, [&](Block block) { ForEachInstruction(module, block, add); });
    ForEachInstruction(module, module[function].tail, add);
  });
  ForEachInstruction(module, Module::SectionBlock(Section::kTrailer), add);
  return all;
}

}  // namespace

Listing::Listing(const Module& module) : module_(module) {
  if (const auto text = Disassemble(WriteModule(module), {.friendly_names = true})) {
    lines_ = Split(Trim(*text), '\n');
  }
  line_of_.assign(module.instruction_slots(), lines_.size());
  // Lines are counted from the end, because a string in the declarations may contain a line break.
  const std::vector<Inst> all = InstructionsOfFunctions(module);
  if (all.size() > lines_.size()) return;
  for (size_t i = 0; i < all.size(); ++i) {
    line_of_[Index(all[i])] = lines_.size() - all.size() + i;
  }
}

std::string Listing::Line(Inst inst) const {
  const size_t line = line_of_[Index(inst)];
  if (line == lines_.size()) return NameOf(module_.Opcode(inst));
  return std::string(Trim(lines_[line]));
}

std::string Listing::FunctionName(Inst inst) const {
  const std::string line = Line(module_[module_.FunctionOf(inst)].definition);
  return line.substr(0, line.find(' '));
}

}  // namespace refract::measure
