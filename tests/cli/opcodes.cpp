// SPDX-License-Identifier: Apache-2.0
// What tests of the command line ask of modules, in one process: starting the tools of SPIRV-Tools
// and a shell's pipe for every try of a reduction takes several times as long.
//
//   opcodes has OPCODE... MODULE           exits with 0 if MODULE has all of these instructions,
//   else with 1 opcodes swap IN OUT OPCODE=OPCODE...   writes the module with other instructions,
//   which have the same operands

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <spirv/unified1/spirv.hpp11>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

const std::map<std::string, std::set<spv::Op>> kOpcodes = {
    {"OpBitwiseOr", {spv::Op::OpBitwiseOr}},
    {"OpBitwiseXor", {spv::Op::OpBitwiseXor}},
    {"OpCopyMemory", {spv::Op::OpCopyMemory}},
    {"OpIAdd", {spv::Op::OpIAdd}},
    {"OpISub", {spv::Op::OpISub}},
    {"OpLabel", {spv::Op::OpLabel}},
    {"OpSpecConstant",
     {spv::Op::OpSpecConstant, spv::Op::OpSpecConstantTrue, spv::Op::OpSpecConstantFalse}},
    {"OpSwitch", {spv::Op::OpSwitch}},
    {"OpUndef", {spv::Op::OpUndef}},
};

const std::set<spv::Op>& Opcodes(const std::string& name) {
  const auto found = kOpcodes.find(name);
  if (found == kOpcodes.end()) throw std::runtime_error(name + ": not in the list of opcodes");
  return found->second;
}

std::vector<uint32_t> Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), 4 * words.size());
  if (words.size() < 5 || words[0] != spv::MagicNumber || bytes.size() % 4 != 0)
    throw std::runtime_error(path + ": not a module");
  return words;
}

/// Calls `visit` with the first word of each instruction.
template <typename Visit>
void ForEachInstruction(std::vector<uint32_t>& words, const Visit& visit) {
  for (size_t at = 5; at < words.size();) {
    const uint32_t length = words[at] >> 16;
    visit(words[at]);
    if (length == 0 || length > words.size() - at)
      throw std::runtime_error("an instruction has no valid length");
    at += length;
  }
}

spv::Op Opcode(uint32_t first_word) {
  return static_cast<spv::Op>(first_word & 0xffff);
}

bool HasAll(const std::vector<std::string>& names, const std::string& path) {
  std::vector<uint32_t> words = Read(path);
  std::set<spv::Op> present;
  ForEachInstruction(words, [&](uint32_t word) { present.insert(Opcode(word)); });
  for (const std::string& name : names) {
    bool found = false;
    for (const spv::Op opcode : Opcodes(name)) found |= present.count(opcode) != 0;
    if (!found) return false;
  }
  return true;
}

void Swap(const std::string& in, const std::string& out, const std::vector<std::string>& pairs) {
  std::map<spv::Op, spv::Op> other;
  for (const std::string& pair : pairs) {
    const size_t equals = pair.find('=');
    if (equals == std::string::npos) throw std::runtime_error(pair + ": not OPCODE=OPCODE");
    other[*Opcodes(pair.substr(0, equals)).begin()] = *Opcodes(pair.substr(equals + 1)).begin();
  }
  std::vector<uint32_t> words = Read(in);
  ForEachInstruction(words, [&](uint32_t& word) {
    if (const auto found = other.find(Opcode(word)); found != other.end())
      word = (word & 0xffff0000u) | static_cast<uint32_t>(found->second);
  });
  std::ofstream file(out, std::ios::binary);
  file.write(reinterpret_cast<const char*>(words.data()),
             static_cast<std::streamsize>(4 * words.size()));
  if (!file.flush()) throw std::runtime_error(out + ": cannot write");
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> arguments(values + 1, values + count);
  try {
    if (arguments.size() >= 3 && arguments[0] == "has")
      return HasAll({arguments.begin() + 1, arguments.end() - 1}, arguments.back()) ? 0 : 1;
    if (arguments.size() >= 4 && arguments[0] == "swap") {
      Swap(arguments[1], arguments[2], {arguments.begin() + 3, arguments.end()});
      return 0;
    }
    throw std::runtime_error("has OPCODE... MODULE, or swap IN OUT OPCODE=OPCODE...");
  } catch (const std::exception& error) {
    std::cerr << "opcodes: " << error.what() << '\n';
    return 2;
  }
}
