// SPDX-License-Identifier: Apache-2.0
#include "measure/optimised.h"

#include "base/file.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "driver/run.h"
#include "glsl/load.h"
#include "ir/tools.h"

namespace refract::measure {

Result<std::vector<uint32_t>> Optimised(const std::vector<uint32_t>& words,
                                        const std::string& file) {
  const std::string program = FindProgram("spirv-opt");
  if (program.empty()) {
    return Error{"there is no spirv-opt in $PATH: make setup", ErrorKind::kUnavailable};
  }
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  if (!folder) return folder.error();
  const std::string in = folder->path() + "/in.spv", out = folder->path() + "/out.spv";
  const std::string_view bytes(reinterpret_cast<const char*>(words.data()),
                               words.size() * sizeof(uint32_t));
  if (Status written = WriteFile(in, bytes); !written) return written.error();
  const std::string environment(NameOf(DefaultEnvironment(words[1])));
  Command command;
  command.argv = {program, "-O", "--target-env=" + environment, "--scalar-block-layout", in,
                  "-o",    out};
  command.folder = folder->path();
  const Result<CommandResult> ran = RunCommand(command);
  if (!ran) return ran.error();
  if (ran->end == CommandResult::End::kSignal) {
    return Error{format("{}: spirv-opt -O crashes: {}", file, SignalName(ran->signal))};
  }
  if (ran->end != CommandResult::End::kExit || ran->exit_code != 0) {
    return Error{format("{}: spirv-opt -O: {}", file, Trim(ran->output))};
  }
  const Result<std::string> optimised = ReadFile(out);
  if (!optimised) return optimised.error();
  return WordsFromBytes(file + " -O", *optimised);
}

}  // namespace refract::measure
