// SPDX-License-Identifier: Apache-2.0
// The inputs of a pipeline of an AmberScript in the form of shader.json.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "amber/script.h"
#include "base/result.h"
#include "input/inputs.h"
#include "input/outputs.h"
#include "ir/call_graph.h"
#include "ir/module.h"

namespace refract::amber {

/// Images that pipelines drew, by the name of the buffer.
using DrawnImages = std::map<std::string, ColourTarget>;

/// An entry point of a module with which a pipeline is run.
struct PipelineStage {
  const Module* module;
  const EntryPoint* entry;
};

/// The error "FILE:LINE: what".
Error At(const Script& script, size_t line, std::string_view what);

/// The inputs of `pipeline`, whose run is `run`, without expected outputs. `stages` are its shaders
/// from modules.
Result<Inputs> InputsOf(const Script& script, const Pipeline& pipeline, const RunCommand& run,
                        const std::vector<PipelineStage>& stages, const DrawnImages& drawn);

/// Adds what the script expects of the outputs of `pipeline` alone.
Status AddExpected(const Script& script, const Pipeline& pipeline, Inputs* inputs);

}  // namespace refract::amber
