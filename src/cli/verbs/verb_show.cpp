// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "base/file.h"
#include "cli/verbs.h"
#include "wire/recording_file.h"
#include "wire/text.h"

namespace refract {
inline namespace cli {
namespace {

struct ShowArguments {
  std::string recording;
};

void Declare(ShowArguments& given, Options& options) {
  options.Argument("RECORDING", &given.recording,
                   "A .refract file, binary or text; - reads standard input");
}

Result<ExitCode> Run(const ShowArguments& given, Console& console) {
  const std::string& file = given.recording;
  Result<std::string> bytes = ReadFile(file, kMaxRecordingBytes);
  if (!bytes) return bytes.error();
  const Result<message::Recording> recording = ReadRecording(*bytes, file);
  if (!recording) return recording.error();
  console.Print(console.json ? refract::ToJson(*recording) + "\n" : ToText(*recording));
  return kDone;
}

}  // namespace

const Verb kShowVerb = {
    .name = "show",
    .summary = "Print a recording as text; other verbs accept this text as a recording",
    .example = "refract show variant.refract",
    .exit_codes = {},
    .main_options = {"--json"},
    .declare = DeclareVerb<ShowArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
