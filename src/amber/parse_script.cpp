// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "amber/parse_parts.h"
#include "amber/script.h"
#include "amber/statement.h"
#include "base/text.h"

namespace refract::amber {
namespace {

constexpr uint32_t kMaxSide = 16384, kMaxGroups = 65535, kMaxLevel = 255;

template <class Item>
const Item* Find(const std::vector<Item>& items, std::string_view name) {
  for (const Item& item : items) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

// "spv1.3" or "vulkan1.1" as a version word of SPIR-V; 0 if unknown.
uint32_t VersionOfEnvironment(std::string_view name) {
  constexpr std::pair<std::string_view, uint32_t> kEnvironments[] = {
      {"spv1.0", 0x10000},    {"spv1.1", 0x10100},    {"spv1.2", 0x10200},   {"spv1.3", 0x10300},
      {"spv1.4", 0x10400},    {"spv1.5", 0x10500},    {"spv1.6", 0x10600},   {"vulkan1.0", 0x10000},
      {"vulkan1.1", 0x10300}, {"vulkan1.2", 0x10500}, {"vulkan1.3", 0x10600}};
  for (const auto& [known, version] : kEnvironments) {
    if (name == known) return version;
  }
  return 0;
}

class Parser {
 public:
  Parser(const std::string& file, std::string_view text)
      : file_(file), text_(text), lines_(file_, text) {
    script_.file = file;
  }

  Result<Script> Parse() {
    if (!text_.starts_with("#!amber")) {
      return Error{
          format("{}:1: the first line is not #!amber; other forms of scripts are not "
                 "supported",
                 file_)};
    }
    for (Statement statement = lines_.Next(); !statement.AtEnd(); statement = lines_.Next()) {
      if (Status read = ParseStatement(statement); !read) return read.error();
    }
    if (script_.runs.empty()) return Error{format("{}: the script runs nothing", file_)};
    return std::move(script_);
  }

 private:
  template <class Item>
  Status Add(const Statement& statement, Result<Item> item, std::vector<Item>* items) {
    if (!item) return item.error();
    if (Find(*items, item->name) != nullptr) {
      return statement.Bad(format("{} is declared twice", item->name));
    }
    items->push_back(std::move(*item));
    return {};
  }

  Status ParseStatement(Statement& statement) {
    if (statement.TakeIf("SHADER")) {
      return Add(statement, ParseShader(statement, lines_), &script_.shaders);
    }
    if (statement.TakeIf("BUFFER")) {
      return Add(statement, ParseBuffer(statement, lines_), &script_.buffers);
    }
    if (statement.TakeIf("IMAGE")) {
      return Add(statement, ParseImage(statement, lines_), &script_.buffers);
    }
    if (statement.TakeIf("SAMPLER")) {
      return Add(statement, ParseSampler(statement), &script_.samplers);
    }
    if (statement.TakeIf("PIPELINE")) {
      return Add(statement, ParsePipeline(statement, lines_), &script_.pipelines);
    }
    if (statement.TakeIf("CLEAR_COLOR")) return ParseClearColour(statement);
    if (statement.TakeIf("CLEAR")) return ParseClear(statement);
    if (statement.TakeIf("RUN")) return ParseRun(statement);
    if (statement.TakeIf("EXPECT")) return ParseExpect(statement);
    // Targets check by themselves whether they support a module, and have their own time limits.
    for (const std::string_view word :
         {"DEVICE_FEATURE", "DEVICE_EXTENSION", "DEVICE_PROPERTY", "INSTANCE_EXTENSION", "SET"}) {
      if (statement.TakeIf(word)) return {};
    }
    return statement.NotSupported(statement.Peek());
  }

  Result<std::string> TakePipeline(Statement& statement) {
    Result<std::string> name = statement.Take("the name of a pipeline");
    if (name && script_.FindPipeline(*name) == nullptr) {
      return statement.Bad(format("there is no pipeline {}", *name));
    }
    return name;
  }

  Result<std::string> TakeBuffer(Statement& statement) {
    Result<std::string> name = statement.Take("the name of a buffer");
    if (name && script_.FindBuffer(*name) == nullptr) {
      return statement.Bad(format("there is no buffer {}", *name));
    }
    return name;
  }

  Status ParseClearColour(Statement& statement) {
    Result<std::string> name = TakePipeline(statement);
    if (!name) return name.error();
    ClearColour clear;
    clear.pipeline = std::move(*name);
    for (uint32_t& level : clear.colour) {
      if (Status read = statement.TakeNumber("a level", kMaxLevel, &level); !read) return read;
    }
    std::erase_if(script_.clears, [&](const auto& old) { return old.pipeline == clear.pipeline; });
    script_.clears.push_back(std::move(clear));
    return statement.RequireEnd();
  }

  Status ParseClear(Statement& statement) {
    const Result<std::string> name = TakePipeline(statement);
    if (!name) return name.error();
    for (const RunCommand& run : script_.runs) {
      if (run.pipeline == *name) return statement.Bad(format("CLEAR after RUN of {}", *name));
    }
    return statement.RequireEnd();
  }

  Status ParseRun(Statement& statement) {
    RunCommand run;
    run.line = statement.line();
    Result<std::string> name = TakePipeline(statement);
    if (!name) return name.error();
    run.pipeline = std::move(*name);
    for (const RunCommand& other : script_.runs) {
      if (other.pipeline == run.pipeline) {
        return statement.Bad(
            format("the pipeline {} runs twice, which is not supported", run.pipeline));
      }
    }
    const Pipeline& pipeline = *script_.FindPipeline(run.pipeline);
    Status read =
        pipeline.compute ? ParseGroups(statement, &run) : ParseDraw(statement, pipeline, &run);
    if (read) read = statement.RequireEnd();
    if (read) script_.runs.push_back(std::move(run));
    return read;
  }

  Status ParseGroups(Statement& statement, RunCommand* run) {
    for (uint32_t& count : run->groups) {
      if (Status read = statement.TakeNumber("a number of groups", kMaxGroups, &count); !read) {
        return read;
      }
    }
    return {};
  }

  Status ParseDraw(Statement& statement, const Pipeline& pipeline, RunCommand* run) {
    const bool grid = statement.TakeIf("DRAW_GRID");
    if (!grid && !statement.TakeIf("DRAW_RECT")) return statement.NotSupported(statement.Peek());
    uint32_t x = 0, y = 0, width = 0, height = 0;
    Status read = statement.Require("POS");
    if (read) read = statement.TakeNumber("x", kMaxSide, &x);
    if (read) read = statement.TakeNumber("y", kMaxSide, &y);
    if (read) read = statement.Require("SIZE");
    if (read) read = statement.TakeNumber("a width", kMaxSide, &width);
    if (read) read = statement.TakeNumber("a height", kMaxSide, &height);
    if (read && grid) {
      read = statement.Require("CELLS");
      if (read) read = statement.TakeNumber("columns", kMaxSide, &run->columns);
      if (read) read = statement.TakeNumber("rows", kMaxSide, &run->rows);
    }
    if (!read) return read;
    if (x == 0 && y == 0 && width == pipeline.width && height == pipeline.height &&
        run->columns > 0 && run->rows > 0) {
      return {};
    }
    return statement.Bad("only draws that cover the whole frame are supported");
  }

  Status ParseExpect(Statement& statement) {
    Expectation expectation;
    expectation.line = statement.line();
    Result<std::string> name = TakeBuffer(statement);
    if (!name) return name.error();
    expectation.buffer = std::move(*name);
    Status read = statement.TakeIf("IDX") ? ParseIndexed(statement, &expectation)
                                          : ParseSame(statement, &expectation);
    if (read) read = statement.RequireEnd();
    if (read) script_.expectations.push_back(std::move(expectation));
    return read;
  }

  // EQ_BUFFER, RMSE_BUFFER, EQ_HISTOGRAM_EMD_BUFFER.
  Status ParseSame(Statement& statement, Expectation* expectation) {
    const bool exact = statement.TakeIf("EQ_BUFFER");
    const bool rmse = !exact && statement.TakeIf("RMSE_BUFFER");
    if (!exact && !rmse && !statement.TakeIf("EQ_HISTOGRAM_EMD_BUFFER")) {
      return statement.NotSupported(statement.Peek());
    }
    expectation->kind = exact  ? Expectation::kSame
                        : rmse ? Expectation::kRmse
                               : Expectation::kHistogram;
    Result<std::string> other = TakeBuffer(statement);
    if (!other) return other.error();
    expectation->other = std::move(*other);
    if (exact) return {};
    if (Status read = statement.Require("TOLERANCE"); !read) return read;
    return statement.TakeReal("a tolerance", &expectation->tolerance);
  }

  Status ParseIndexed(Statement& statement, Expectation* expectation) {
    if (script_.FindBuffer(expectation->buffer)->image) {
      return ParseColour(statement, expectation);
    }
    expectation->kind = Expectation::kValues;
    const Status read = statement.TakeNumber("an offset", 0x7fffffff, &expectation->offset);
    if (!read) return read;
    if (!statement.TakeIf("EQ")) return statement.NotSupported(statement.Peek());
    while (!statement.AtEnd()) {
      Result<std::string> value = statement.Take("a value");
      if (!value) return value.error();
      expectation->values.push_back(std::move(*value));
    }
    if (expectation->values.empty()) return statement.Bad("expected a value");
    return {};
  }

  Status ParseColour(Statement& statement, Expectation* expectation) {
    expectation->kind = Expectation::kColour;
    auto& [x, y, width, height] = expectation->region;
    Status read = statement.TakeNumber("x", kMaxSide, &x);
    if (read) read = statement.TakeNumber("y", kMaxSide, &y);
    if (read) read = statement.Require("SIZE");
    if (read) read = statement.TakeNumber("a width", kMaxSide, &width);
    if (read) read = statement.TakeNumber("a height", kMaxSide, &height);
    if (!read) return read;
    if (width == 0 || height == 0) return statement.Bad("a rectangle without pixels");
    if (!statement.TakeIf("EQ_RGBA")) {
      if (!statement.TakeIf("EQ_RGB")) return statement.NotSupported(statement.Peek());
      expectation->channels = 3;
    }
    for (uint32_t i = 0; i < expectation->channels; ++i) {
      read = statement.TakeNumber("a level", kMaxLevel, &expectation->colour[i]);
      if (!read) return read;
    }
    return {};
  }

  std::string file_;
  std::string_view text_;
  Lines lines_;
  Script script_;
};

}  // namespace

const Shader* Script::FindShader(std::string_view name) const {
  return Find(shaders, name);
}

const Buffer* Script::FindBuffer(std::string_view name) const {
  return Find(buffers, name);
}

const Sampler* Script::FindSampler(std::string_view name) const {
  return Find(samplers, name);
}

const Pipeline* Script::FindPipeline(std::string_view name) const {
  return Find(pipelines, name);
}

Result<Shader> ParseShader(Statement& statement, Lines& lines) {
  Shader shader;
  shader.line = statement.line();
  constexpr std::pair<std::string_view, spv::ExecutionModel> kStages[] = {
      {"vertex", spv::ExecutionModel::Vertex},
      {"fragment", spv::ExecutionModel::Fragment},
      {"compute", spv::ExecutionModel::GLCompute}};
  const auto* stage = std::find_if(std::begin(kStages), std::end(kStages),
                                   [&](const auto& row) { return statement.TakeIf(row.first); });
  shader.any_stage = stage == std::end(kStages) && statement.TakeIf("multi");
  if (stage != std::end(kStages)) {
    shader.stage = stage->second;
  } else if (!shader.any_stage) {
    return statement.NotSupported(statement.Peek());
  }
  Result<std::string> name = statement.Take("a name");
  if (!name) return name.error();
  shader.name = std::move(*name);
  if (statement.TakeIf("PASSTHROUGH")) {
    shader.form = Shader::kPassThrough;
    if (shader.stage != spv::ExecutionModel::Vertex || shader.any_stage) {
      return statement.Bad("only a vertex shader can be PASSTHROUGH");
    }
    if (Status end = statement.RequireEnd(); !end) return end.error();
    return shader;
  }
  shader.form = statement.TakeIf("GLSL") ? Shader::kGlsl : Shader::kAssembly;
  if (shader.form == Shader::kAssembly && !statement.TakeIf("SPIRV-ASM")) {
    return statement.NotSupported(statement.Peek());
  }
  if (shader.form == Shader::kGlsl && shader.any_stage) {
    return statement.Bad("GLSL needs a stage");
  }
  if (statement.TakeIf("TARGET_ENV")) {
    const Result<std::string> environment = statement.Take("an environment");
    if (!environment) return environment.error();
    shader.version = VersionOfEnvironment(*environment);
    if (shader.version == 0) {
      return statement.Bad(format("the environment {} is not supported", *environment));
    }
  }
  if (Status end = statement.RequireEnd(); !end) return end.error();
  Result<std::string> text = lines.TextToEnd(statement);
  if (!text) return text.error();
  shader.text = std::move(*text);
  return shader;
}

Result<Script> ParseScript(const std::string& file, std::string_view text) {
  if (text.size() > kMaxScriptBytes) {
    return Error{format("{}: more than {} bytes", file, kMaxScriptBytes)};
  }
  return Parser(file, text).Parse();
}

}  // namespace refract::amber
