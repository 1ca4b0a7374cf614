// SPDX-License-Identifier: Apache-2.0
#include "amber/import.h"

#include <algorithm>
#include <memory>

#include "amber/script_inputs.h"
#include "base/text.h"
#include "glsl/glsl.h"
#include "input/companion.h"
#include "input/resolve.h"
#include "interp/interpreter.h"
#include "ir/binary.h"
#include "ir/tools.h"

namespace refract::amber {
namespace {

constexpr uint64_t kMostSteps = uint64_t{1} << 26;  // of a run that draws an image for another one

// A shader of a pipeline that comes from the script, ready to be written and to be run.
struct PipelineShader {
  const Shader* shader;
  spv::ExecutionModel stage;
  std::string ending;  // ".spvasm", ".frag"
  std::string text;
  Module module;
  EntryPoint entry;
};

// A pipeline that is run.
struct PipelineRun {
  const Pipeline* pipeline;
  const RunCommand* run;
  std::vector<PipelineShader> shaders;
  Inputs inputs;
  std::string name;         // of its files, without an ending
  bool only_draws = false;  // its image is an input of a later pipeline, and nothing is expected

  const PipelineShader& main() const { return shaders.back(); }
};

std::string_view GlslEnding(spv::ExecutionModel stage) {
  return stage == spv::ExecutionModel::Vertex     ? ".vert"
         : stage == spv::ExecutionModel::Fragment ? ".frag"
                                                  : ".comp";
}

// The assembly with the version that the script gives it. A comment with another version, which
// Amber ignores, is left out.
std::string VersionedText(const Shader& shader) {
  std::string text = format("; SPIR-V\n; Version: {}.{}\n", shader.version >> 16 & 0xff,
                            shader.version >> 8 & 0xff);
  for (const std::string& line : Split(shader.text, '\n')) {
    const std::string_view trimmed = Trim(line);
    if (trimmed == "; SPIR-V" || trimmed.starts_with("; Version:")) continue;
    text += line + "\n";
  }
  return text;
}

Result<PipelineShader> MakeShader(const Script& script, const Attachment& attachment,
                                  const Shader& shader) {
  const spv::ExecutionModel stage = attachment.stage.value_or(shader.stage);
  if (shader.any_stage && !attachment.stage) {
    return At(script, attachment.line, format("{} is attached without a TYPE", shader.name));
  }
  std::string ending(GlslEnding(stage)), text = shader.text;
  Result<std::vector<uint32_t>> words = std::vector<uint32_t>();
  if (shader.form == Shader::kGlsl) {
    text = std::string(text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size())));
    if (!text.starts_with("#version")) text = "#version 450\n" + text;
    const GlslStage glsl = stage == spv::ExecutionModel::Vertex     ? GlslStage::kVertex
                           : stage == spv::ExecutionModel::Fragment ? GlslStage::kFragment
                                                                    : GlslStage::kCompute;
    words = CompileGlsl(script.file, text, glsl);
  } else {
    ending = ".spvasm";
    text = VersionedText(shader);
    words = Assemble(text, UniversalEnvironment(shader.version));
  }
  const std::string what = format("the shader {}", shader.name);
  if (!words) return At(script, shader.line, format("{}: {}", what, words.error().message));
  const std::string place = format("{}:{}: {}", script.file, shader.line, what);
  if (shader.form == Shader::kAssembly) {
    if (Status valid = ValidateWithin(*words, DefaultEnvironment(shader.version)); !valid) {
      return Error{format("{}: spirv-val: {}", place, valid.error().message)};
    }
  }
  Result<Module> module = ReadModule(*words, place);
  if (!module) return module.error();
  Result<EntryPoint> entry = FindEntryPoint(*module, attachment.entry, place);
  if (!entry) return entry.error();
  if (entry->model != stage) return Error{format("{}: it has another stage", place)};
  return PipelineShader{
      &shader, stage, std::move(ending), std::move(text), std::move(*module), std::move(*entry)};
}

// Refract draws a grid with indices, and Amber with six vertices for each cell. Only a shader that
// reads the number of the vertex sees the difference.
Status CheckVertex(const Script& script, const PipelineShader& vertex) {
  for (const std::string_view word : {"VertexIndex", "InstanceIndex", "gl_VertexIndex"}) {
    if (vertex.text.find(word) == std::string::npos) continue;
    return At(script, vertex.shader->line,
              format("the vertex shader {} reads {}, which differs", vertex.shader->name, word));
  }
  return {};
}

Result<std::vector<PipelineShader>> ShadersOf(const Script& script, const Pipeline& pipeline) {
  std::vector<PipelineShader> shaders;
  for (const Attachment& attachment : pipeline.attachments) {
    const Shader* shader = script.FindShader(attachment.shader);
    if (shader == nullptr) {
      return At(script, attachment.line, format("there is no shader {}", attachment.shader));
    }
    if (shader->form == Shader::kPassThrough) continue;
    Result<PipelineShader> made = MakeShader(script, attachment, *shader);
    if (!made) return made.error();
    if (made->stage == spv::ExecutionModel::Vertex) {
      if (Status same = CheckVertex(script, *made); !same) return same.error();
    }
    shaders.push_back(std::move(*made));
  }
  // The vertex shader first: the other one is under test.
  std::stable_partition(shaders.begin(), shaders.end(), [](const PipelineShader& shader) {
    return shader.stage == spv::ExecutionModel::Vertex;
  });
  const size_t most = pipeline.compute ? 1 : 2;
  const spv::ExecutionModel last =
      pipeline.compute ? spv::ExecutionModel::GLCompute : spv::ExecutionModel::Fragment;
  const bool good = !shaders.empty() && shaders.size() <= most && shaders.back().stage == last &&
                    (shaders.size() < 2 || shaders[0].stage == spv::ExecutionModel::Vertex);
  if (good) return shaders;
  return At(script, pipeline.line,
            format("the pipeline {} has other shaders than a compute shader, or a fragment shader "
                   "with or without a vertex shader",
                   pipeline.name));
}

bool Reads(const Pipeline& pipeline, const std::string& buffer) {
  return std::any_of(pipeline.bindings.begin(), pipeline.bindings.end(), [&](const Binding& use) {
    return use.buffer == buffer && use.kind != Binding::kColour;
  });
}

// An error if the pipeline writes a storage buffer or image that a later pipeline uses.
Status CheckIndependent(const Script& script, const PipelineRun& run) {
  for (const RunCommand& other : script.runs) {
    if (&other <= run.run) continue;
    const Pipeline& later = *script.FindPipeline(other.pipeline);
    for (const Binding& binding : run.pipeline->bindings) {
      const bool writes =
          binding.kind == Binding::kStorage || binding.kind == Binding::kStorageImage;
      if (!writes || !Reads(later, binding.buffer)) continue;
      return At(script, other.line,
                format("{} and {} share {}, which is not supported", run.pipeline->name, later.name,
                       binding.buffer));
    }
  }
  return {};
}

// Whether a later pipeline reads an image that this one draws.
bool IsReadLater(const Script& script, const PipelineRun& run) {
  for (const Binding& binding : run.pipeline->bindings) {
    if (binding.kind != Binding::kColour) continue;
    for (const RunCommand& other : script.runs) {
      if (&other > run.run && Reads(*script.FindPipeline(other.pipeline), binding.buffer)) {
        return true;
      }
    }
  }
  return false;
}

bool IsExpected(const Script& script, const Pipeline& pipeline) {
  return std::any_of(
      script.expectations.begin(), script.expectations.end(), [&](const Expectation& expected) {
        return std::any_of(
            pipeline.bindings.begin(), pipeline.bindings.end(), [&](const Binding& binding) {
              return binding.buffer == expected.buffer || binding.buffer == expected.other;
            });
      });
}

// Draws the images that later pipelines read.
Status Draw(const Script& script, const PipelineRun& run, DrawnImages* drawn) {
  const std::string place = format("{}:{}: {}", script.file, run.run->line, run.pipeline->name);
  if (size_t{run.pipeline->width} * run.pipeline->height * 4 > kMaxValues) {
    return Error{format("{}: its image is too large for an input", place)};
  }
  const PipelineShader& shader = run.main();
  Inputs inputs = run.inputs;
  inputs.expected.reset();
  const Result<ResolvedInputs> resolved =
      Resolve(shader.module, shader.entry, inputs, place, {.zero_inputs = true});
  if (!resolved) return resolved.error();
  const Result<Program> program =
      Program::Decode(shader.module, shader.entry, resolved->bindings, place);
  if (!program) return program.error();
  RunOptions options;
  options.limits.steps = kMostSteps;
  RunReport report = Run(*program, options);
  if (report.trap) return Error{format("{}: {}", place, report.trap->message)};
  for (const Binding& binding : run.pipeline->bindings) {
    if (binding.kind != Binding::kColour) continue;
    for (ColourTarget& target : report.outputs.targets) {
      if (target.location == binding.location) (*drawn)[binding.buffer] = target;
    }
  }
  return {};
}

// Refract draws on a frame of zeros. A script that clears the frame to another colour gives the
// same image only if every pixel is drawn.
Status CheckCleared(const Script& script, const PipelineRun& run) {
  const auto clear = std::find_if(
      script.clears.begin(), script.clears.end(),
      [&](const ClearColour& colour) { return colour.pipeline == run.pipeline->name; });
  const bool zero = clear == script.clears.end() || clear->colour == std::array<uint32_t, 4>{};
  if (zero || !run.inputs.expected) return {};
  const uint32_t word =
      clear->colour[0] | clear->colour[1] << 8 | clear->colour[2] << 16 | clear->colour[3] << 24;
  for (const PipelineShader& shader : run.shaders) {
    const bool discards = shader.text.find("OpKill") != std::string::npos ||
                          shader.text.find("OpTerminateInvocation") != std::string::npos ||
                          shader.text.find("OpDemoteToHelper") != std::string::npos ||
                          shader.text.find("discard") != std::string::npos;
    if (!discards) continue;
    for (const ExpectedRegion& region : run.inputs.expected->regions) {
      if (region.colour != word) continue;
      return At(script, run.run->line,
                "the expected colour is that of CLEAR, and the shader may discard: Refract clears "
                "to zeros");
    }
  }
  return {};
}

Result<PipelineRun> MakeRun(const Script& script, const RunCommand& command,
                            const DrawnImages& drawn) {
  PipelineRun run;
  run.pipeline = script.FindPipeline(command.pipeline);
  run.run = &command;
  if (Status independent = CheckIndependent(script, run); !independent) return independent.error();
  Result<std::vector<PipelineShader>> shaders = ShadersOf(script, *run.pipeline);
  if (!shaders) return shaders.error();
  run.shaders = std::move(*shaders);
  if (run.shaders.size() == 1 && (command.columns != 1 || command.rows != 1)) {
    return At(script, command.line, "DRAW_GRID without a vertex shader is not supported");
  }
  std::vector<PipelineStage> stages;
  for (const PipelineShader& shader : run.shaders)
    stages.push_back({&shader.module, &shader.entry});
  Result<Inputs> inputs = InputsOf(script, *run.pipeline, command, stages, drawn);
  if (!inputs) return inputs.error();
  run.inputs = std::move(*inputs);
  if (run.shaders.size() == 2) {
    run.inputs.has_grid = true;
    run.inputs.grid_columns = command.columns;
    run.inputs.grid_rows = command.rows;
  }
  if (Status added = AddExpected(script, *run.pipeline, &run.inputs); !added) return added.error();
  if (Status same = CheckCleared(script, run); !same) return same.error();
  return run;
}

Result<std::vector<PipelineRun>> MakeRuns(const Script& script) {
  std::vector<PipelineRun> runs;
  DrawnImages drawn;
  for (const RunCommand& command : script.runs) {
    Result<PipelineRun> run = MakeRun(script, command, drawn);
    if (!run) return run.error();
    if (IsReadLater(script, *run)) {
      if (run->shaders.size() != 1) {
        return At(script, command.line,
                  "a vertex shader whose image a later pipeline reads is not supported");
      }
      if (Status done = Draw(script, *run, &drawn); !done) return done.error();
      run->only_draws = !IsExpected(script, *run->pipeline);
    }
    runs.push_back(std::move(*run));
  }
  std::erase_if(runs, [](const PipelineRun& run) { return run.only_draws; });
  return runs;
}

bool IsFileName(std::string_view name) {
  return !name.empty() && name.front() != '.' && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_.+").find(c) != std::string_view::npos;
  });
}

// The pipeline to whose outputs a buffer belongs; null: none that is run.
const PipelineRun* WriterOf(const std::vector<PipelineRun>& runs, const std::string& buffer) {
  for (const PipelineRun& run : runs) {
    for (const Binding& binding : run.pipeline->bindings) {
      const bool writes = binding.kind == Binding::kColour || binding.kind == Binding::kStorage ||
                          binding.kind == Binding::kStorageImage;
      if (writes && binding.buffer == buffer) return &run;
    }
  }
  return nullptr;
}

std::string FileOf(const PipelineRun& run, const PipelineShader& shader) {
  if (run.shaders.size() == 1) return run.name + shader.ending;
  return run.name + std::string(GlslEnding(shader.stage)) +
         (shader.ending == ".spvasm" ? ".spvasm" : "");
}

// The shaders of two pipelines that `refract run` compares. It draws a variant with the companion
// of the original, so the other shaders must be the same. Empty names if they are not.
std::pair<std::string, std::string> ComparedFiles(const PipelineRun& first,
                                                  const PipelineRun& second) {
  if (first.shaders.size() != second.shaders.size()) return {};
  if (first.shaders.size() == 1 || first.shaders[0].text == second.shaders[0].text) {
    return {FileOf(first, first.main()), FileOf(second, second.main())};
  }
  if (first.main().text != second.main().text) return {};
  return {FileOf(first, first.shaders[0]), FileOf(second, second.shaders[0])};
}

Status AddPairs(const Script& script, const std::vector<PipelineRun>& runs,
                ImportedScript* imported) {
  for (const Expectation& expectation : script.expectations) {
    const PipelineRun* first = WriterOf(runs, expectation.buffer);
    if (first == nullptr) {
      return At(script, expectation.line,
                format("no pipeline that is run writes {}", expectation.buffer));
    }
    if (expectation.other.empty()) continue;
    const PipelineRun* second = WriterOf(runs, expectation.other);
    if (second == nullptr || second == first) {
      return At(script, expectation.line,
                format("no other pipeline that is run writes {}", expectation.other));
    }
    const std::pair<std::string, std::string> compared = ComparedFiles(*first, *second);
    if (compared.first.empty()) {
      return At(script, expectation.line,
                "the two pipelines differ in more than one shader, which is not supported");
    }
    const ImportedPair pair{compared.first, compared.second,
                            expectation.kind == Expectation::kHistogram ? "histogram"
                            : expectation.kind == Expectation::kRmse    ? "stable"
                                                                        : "exact"};
    const bool known =
        std::any_of(imported->pairs.begin(), imported->pairs.end(), [&](const ImportedPair& other) {
          return other.original == pair.original && other.variant == pair.variant;
        });
    if (!known) imported->pairs.push_back(pair);
  }
  return {};
}

// An error if the module does not run with the inputs, or if shader.json cannot hold them.
Status CheckInputs(const Script& script, const PipelineRun& run) {
  const Result<Inputs> read = ParseInputs(run.pipeline->name, WriteInputs(run.inputs));
  if (!read) return At(script, run.pipeline->line, read.error().message);
  if (run.shaders.size() != 1) return {};
  const Result<ResolvedInputs> resolved = Resolve(run.main().module, run.main().entry, *read,
                                                  format("pipeline {}", run.pipeline->name));
  return resolved ? Status() : At(script, run.pipeline->line, resolved.error().message);
}

void AddFiles(const PipelineRun& run, ImportedScript* imported) {
  for (const PipelineShader& shader : run.shaders) {
    std::string file = FileOf(run, shader);
    if (&shader == &run.main()) imported->modules.push_back(file);
    imported->files.push_back({std::move(file), shader.text});
  }
  imported->files.push_back({run.name + ".json", WriteInputs(run.inputs)});
}

}  // namespace

Result<ImportedScript> ImportScript(const Script& script, const std::string& name) {
  Result<std::vector<PipelineRun>> runs = MakeRuns(script);
  if (!runs) return Error{runs.error().message};
  ImportedScript imported;
  for (PipelineRun& run : *runs) {
    run.name = runs->size() == 1 ? name : format("{}-{}", name, run.pipeline->name);
    if (!IsFileName(run.name)) {
      return At(script, run.pipeline->line, "a name that a file cannot have");
    }
  }
  for (const PipelineRun& run : *runs) {
    if (Status good = CheckInputs(script, run); !good) return good.error();
    AddFiles(run, &imported);
  }
  if (Status added = AddPairs(script, *runs, &imported); !added) return added.error();
  return imported;
}

}  // namespace refract::amber
