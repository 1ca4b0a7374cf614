// SPDX-License-Identifier: Apache-2.0
#include "folder/amber_shader.h"

#include <algorithm>

#include "base/text.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "ir/tools.h"

namespace refract {
inline namespace folder {
namespace {

// Amber ends a shader at the first "END", wherever it is.
constexpr std::string_view kEnd = "END";

bool IsDebugText(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpName:
    case spv::Op::OpMemberName:
    case spv::Op::OpSource:
    case spv::Op::OpSourceContinued:
    case spv::Op::OpSourceExtension:
    case spv::Op::OpModuleProcessed:
      return true;
    default:
      return false;
  }
}

std::vector<uint32_t> WithoutDebugText(const std::vector<uint32_t>& words) {
  std::vector<uint32_t> kept(words.begin(), words.begin() + 5);
  for (size_t at = 5; at < words.size();) {
    const size_t length = words[at] >> 16;
    if (!IsDebugText(static_cast<spv::Op>(words[at] & 0xffff))) {
      kept.insert(kept.end(), words.begin() + at, words.begin() + at + length);
    }
    at += length;
  }
  return kept;
}

// Disassembles a module. The text must assemble to the same instructions, or the script would test
// something else.
Result<std::string> AssemblyOf(const std::vector<uint32_t>& words, const std::string& file) {
  std::vector<uint32_t> shown = words;
  Result<std::string> text = Disassemble(shown);
  if (text && text->find(kEnd) != std::string::npos) {
    shown = WithoutDebugText(words);
    text = Disassemble(shown);
  }
  if (!text) return Error{format("{}: {}", file, text.error().message)};
  if (text->find(kEnd) != std::string::npos) {
    return Error{format(
        "{}: a string in the module contains \"END\", which ends a shader in AmberScript", file)};
  }
  const Result<std::vector<uint32_t>> back = Assemble(*text, UniversalEnvironment(words[1]));
  if (!back || !std::equal(back->begin() + 5, back->end(), shown.begin() + 5, shown.end())) {
    return Error{format("{}: the disassembly does not assemble to the same module{}", file,
                        back ? "" : format(": {}", back.error().message))};
  }
  return text;
}

// Whether AmberScript reads `name` as a single word that can be a name.
bool IsAmberName(const std::string& name) {
  if (name.empty() || name == kEnd) return false;
  if (std::string_view("0123456789-.#\\").find(name[0]) != std::string_view::npos) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return c > ' ' && c < 0x7f && std::string_view("(),").find(c) == std::string_view::npos;
  });
}

Status CheckExpressible(const AmberShader& shader) {
  if (!IsAmberName(shader.entry.name)) {
    return Error{format("{}: the entry point has the name '{}', which is not valid in AmberScript",
                        shader.file, shader.entry.name)};
  }
  for (const BoundConstant& constant : shader.constants) {
    if (constant.width == 32) continue;
    return Error{format("{}: specialisation constant {} has {} bits; AmberScript supports only 32",
                        shader.file, constant.id, constant.width)};
  }
  return {};
}

}  // namespace

Result<AmberShader> MakeAmberShader(std::string name, const std::string& file,
                                    const std::vector<uint32_t>& words,
                                    const std::string& entry_name,
                                    std::vector<BoundConstant> constants) {
  Result<Module> read = ReadModule(words, file);
  if (!read) return read.error();
  AmberShader shader{std::move(name), file, std::move(*read), {}, std::move(constants), {}, false};
  Result<EntryPoint> entry = FindEntryPoint(shader.module, entry_name, file);
  if (!entry) return entry.error();
  shader.entry = std::move(*entry);
  for (const EntryPoint& other : EntryPoints(shader.module)) {
    shader.several_stages |= other.model != shader.entry.model;
  }
  if (Status expressible = CheckExpressible(shader); !expressible) return expressible.error();
  Result<std::string> assembly = AssemblyOf(words, file);
  if (!assembly) return assembly.error();
  shader.assembly = std::move(*assembly);
  return shader;
}

std::string_view AmberStage(spv::ExecutionModel model) {
  return model == spv::ExecutionModel::GLCompute ? "compute"
         : model == spv::ExecutionModel::Vertex  ? "vertex"
                                                 : "fragment";
}

std::string ShaderText(const AmberShader& shader) {
  const uint32_t version = shader.module.version();
  return format("SHADER {} {} SPIRV-ASM TARGET_ENV spv{}.{}\n{}END\n\n",
                shader.several_stages ? "multi" : AmberStage(shader.entry.model), shader.name,
                version >> 16 & 0xff, version >> 8 & 0xff, shader.assembly);
}

std::string AttachText(const AmberShader& shader) {
  std::string text = format("  ATTACH {}", shader.name);
  if (shader.several_stages) text += format(" TYPE {}", AmberStage(shader.entry.model));
  text += format(" ENTRY_POINT {}", shader.entry.name);
  for (const BoundConstant& constant : shader.constants) {
    text += format(" SPECIALIZE {} AS uint32 {}", constant.id, constant.bits);
  }
  return text + "\n";
}

}  // namespace folder
}  // namespace refract
