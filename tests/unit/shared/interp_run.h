// SPDX-License-Identifier: Apache-2.0
// Runs small shaders on the interpreter, for its tests.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "glsl/glsl.h"
#include "input/resolve.h"
#include "interp/interpreter.h"
#include "ir/binary.h"
#include "ir/tools.h"

namespace refract {

/// A report with functions to read it; `error` is set if the module could not be decoded.
struct InterpRun {
  std::string error;
  RunReport report;

  std::string trap() const { return report.trap ? report.trap->message : ""; }
  bool trapped(std::string_view message) const {
    return report.trap && report.trap->message.find(message) != std::string::npos;
  }
  /// The 32-bit words of the only storage buffer.
  uint32_t word(size_t i) const {
    uint32_t word = 0xdeadbeef;
    const auto& buffers = report.outputs.buffers;
    if (!buffers.empty() && 4 * i + 4 <= buffers[0].bytes.size()) {
      std::memcpy(&word, buffers[0].bytes.data() + 4 * i, 4);
    }
    return word;
  }
  float number(size_t i) const {
    const uint32_t bits = word(i);
    float number = 0;
    std::memcpy(&number, &bits, 4);
    return number;
  }
  /// The shadow of a word of that buffer: 0 exact, 1 approximate, 2 undefined.
  int shadow(size_t i) const {
    const std::string& shadows = report.buffer_shadows.at(0);
    return shadows.empty() ? 0 : shadows[4 * i];
  }
  /// A component of a pixel of the first colour target, for 32-bit formats.
  float pixel(uint32_t x, uint32_t y, uint32_t component = 0) const {
    const ColourTarget& target = report.outputs.targets.at(0);
    float number = 0;
    std::memcpy(&number, target.texels.data() + 4 * (4 * (y * target.width + x) + component), 4);
    return number;
  }
  int pixel_shadow(uint32_t x, uint32_t y, uint32_t component = 0) const {
    return report.target_shadows.at(
        0)[4 * (y * report.outputs.targets.at(0).width + x) + component];
  }
};

inline InterpRun InterpretWords(const std::vector<uint32_t>& words, const Bindings& bindings,
                                const RunOptions& options) {
  InterpRun run;
  const Result<Module> module = ReadModule(words, "test");
  if (!module) {
    run.error = module.error().message;
    return run;
  }
  const Result<EntryPoint> entry = FindEntryPoint(*module, "", "test");
  if (!entry) {
    run.error = entry.error().message;
    return run;
  }
  const Result<Program> program = Program::Decode(*module, *entry, bindings, "test");
  if (!program) {
    run.error = program.error().message;
    return run;
  }
  run.report = Run(*program, options);
  return run;
}

/// GLSL; compute shaders get a storage buffer of 16 words at set 0, binding 0.
inline Bindings ComputeBindings(size_t words = 64, uint32_t groups = 1) {
  Bindings bindings;
  BoundBuffer buffer;
  buffer.storage = true;
  buffer.bytes.assign(4 * words, '\0');
  bindings.buffers.push_back(buffer);
  bindings.groups[0] = groups;
  return bindings;
}

inline InterpRun Interpret(GlslStage stage, std::string_view source, const Bindings& bindings,
                           const RunOptions& options = {}) {
  GlslOptions glsl;
  glsl.environment = TargetEnvironment::kVulkan13;
  const auto words = CompileGlsl("test", source, stage, glsl);
  if (!words) {
    InterpRun run;
    run.error = words.error().message;
    return run;
  }
  return InterpretWords(*words, bindings, options);
}

/// `body` of main in a compute shader of `size` invocations with `uint data[]` (and `int idata[]`,
/// `float fdata[]`: the same bytes) at binding 0, and `before` main.
inline InterpRun InterpretCompute(const std::string& body, const RunOptions& options = {},
                                  const std::string& before = "", uint32_t size = 8,
                                  const Bindings& bindings = ComputeBindings()) {
  std::string source = R"(#version 460
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_KHR_shader_subgroup_vote : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_KHR_shader_subgroup_shuffle : enable
#extension GL_KHR_shader_subgroup_shuffle_relative : enable
#extension GL_KHR_shader_subgroup_clustered : enable
#extension GL_KHR_shader_subgroup_quad : enable
#extension GL_KHR_memory_scope_semantics : enable
#extension GL_EXT_shader_atomic_float : enable
#extension GL_EXT_shader_atomic_float2 : enable
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : enable
#extension GL_EXT_shader_atomic_int64 : enable
layout(local_size_x = )" +
                       std::to_string(size) +
                       R"() in;
layout(binding = 0) buffer Data { uint data[]; };
)" + before + "\nvoid main() {\n  uint i = gl_LocalInvocationID.x;\n" +
                       body + "\n}\n";
  return Interpret(GlslStage::kCompute, source, bindings, options);
}

}  // namespace refract
