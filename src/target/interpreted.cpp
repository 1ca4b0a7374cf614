// SPDX-License-Identifier: Apache-2.0
#include "target/interpreted.h"

#include <algorithm>
#include <thread>

#include "base/clock.h"
#include "base/text.h"
#include "input/resolve.h"
#include "interp/interpreter.h"
#include "ir/binary.h"
#include "target/original_check.h"

namespace refract {
inline namespace target {

Result<RunResult> RunInterpreted(const Job& job, const std::atomic<bool>* stop) {
  const std::string file = "target interp";
  const Result<Module> module = ReadModule(job.spirv, file);
  if (!module) return module.error();
  const Result<EntryPoint> entry = FindEntryPoint(*module, job.entry, file);
  if (!entry) return entry.error();
  const double begin = MonotonicSeconds();
  const Result<Program> program = Program::Decode(*module, *entry, job.bindings, file);
  RunResult result;
  result.target = "interp";
  if (!program) {
    if (program.error().kind != ErrorKind::kUnavailable) return program.error();
    result.verdict = RunOutcome::kUnsupported;
    result.detail = program.error().message;
    if (result.detail.starts_with(file + ": ")) result.detail.erase(0, file.size() + 2);
    return result;
  }
  if (job.pipeline_only) return result;
  RunOptions options;
  options.deadline = Deadline::In(job.time_limit, stop);
  options.threads = std::min(4u, std::max(1u, std::thread::hardware_concurrency()));
  RunReport report = Run(*program, options);
  result.seconds = MonotonicSeconds() - begin;
  if (report.trap) {
    const bool limit = report.trap->kind == Trap::Kind::kLimit;
    result.verdict = limit ? RunOutcome::kHang : RunOutcome::kUndefined;
    result.detail = TrapText(*report.trap, *module);
    if (report.trap->out_of_time) {
      result.detail = format("the interpreter did not end within {} s", job.time_limit);
    }
    return result;
  }
  for (size_t i = 0; i < report.outputs.targets.size(); ++i) {
    if (report.outputs.targets[i].format != spv::ImageFormat::Rgba8) continue;
    report.outputs.targets[i].texels = ImageWithUndefinedMarked(report, i).pixels;
  }
  result.outputs = std::move(report.outputs);
  return result;
}

}  // namespace target
}  // namespace refract
