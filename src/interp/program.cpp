// SPDX-License-Identifier: Apache-2.0
// A decoded module, and the other program of its draw.
#include <algorithm>

#include "base/text.h"
#include "interp/decode/decoder.h"
#include "interp/linked.h"
#include "ir/binary.h"

namespace refract {
inline namespace interp {
namespace {

// Decodes the other program of a draw, and links the outputs of one to the inputs of the other.
Status DecodeCompanion(const EntryPoint& tested, const DecodeOptions& options,
                       const std::string& file, Program::Code* code) {
  const BoundCompanion& companion = code->bindings.companion;
  const auto cannot = [&](std::string_view why) {
    return Error{format("{}: {}", file, why), ErrorKind::kUnavailable};
  };
  if (!companion) return cannot("a vertex shader without a fragment shader cannot be interpreted");
  Result<Module> module = ReadModule(companion.spirv, file);
  if (!module) return module.error();
  auto kept = std::make_unique<const Module>(std::move(*module));
  const auto wanted = code->is_vertex ? spv::ExecutionModel::Fragment : spv::ExecutionModel::Vertex;
  for (const EntryPoint& entry : EntryPoints(*kept)) {
    if (entry.name != companion.entry || entry.model != wanted ||
        entry.function == Function::kNone) {
      continue;
    }
    Bindings bindings = code->bindings;
    bindings.companion = {};
    bindings.constants = companion.constants;
    DecodeOptions plain;
    plain.made_up_inputs = options.made_up_inputs;
    Result<std::unique_ptr<Program::Code>> other =
        DecodeModule(*kept, entry, bindings, file, plain, true);
    if (!other) return other.error();
    Program::Code* vertex = code->is_vertex ? code : other->get();
    Program::Code* fragment = code->is_vertex ? other->get() : code;
    if (std::string problem = LinkBatchInputs(*vertex, fragment); !problem.empty()) {
      return cannot(problem);
    }
    code->other_module = std::move(kept);
    code->other = std::move(*other);
    return {};
  }
  return cannot(format("entry point '{}' has no companion of the other stage", tested.name));
}

}  // namespace

Program::Program(std::unique_ptr<const Code> code) : code_(std::move(code)) {}
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

const Module& Program::module() const {
  return *code_->module;
}

bool Program::DependsOnSchedule() const {
  const auto is_shared = [](const ObjectCode& object) {
    return object.kind == ObjectCode::Kind::kStorage || object.kind == ObjectCode::Kind::kWorkgroup;
  };
  const auto is_storage = [](const BoundImage& image) {
    return image.kind == BoundImage::kStorage;
  };
  const auto depends = [&](const Code& code) {
    return code.has_collectives ||
           std::any_of(code.objects.begin(), code.objects.end(), is_shared) ||
           std::any_of(code.bindings.images.begin(), code.bindings.images.end(), is_storage);
  };
  return depends(*code_) || (code_->other != nullptr && depends(*code_->other));
}

Result<Program> Program::Decode(const Module& module, const EntryPoint& entry,
                                const Bindings& bindings, const std::string& file,
                                const DecodeOptions& options) {
  const bool linked = static_cast<bool>(bindings.companion);
  Result<std::unique_ptr<Code>> code = DecodeModule(module, entry, bindings, file, options, linked);
  if (!code) return code.error();
  if ((*code)->linked) {
    if (Status status = DecodeCompanion(entry, options, file, code->get()); !status) {
      return status.error();
    }
  }
  return Program(std::move(*code));
}

}  // namespace interp
}  // namespace refract
