// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "base/file.h"
#include "cli/verb.h"
#include "wire/recording_file.h"
#include "wire/text.h"

namespace refract {
namespace {

Result<ExitCode> Run(const std::string& file, Console& console) {
  Result<std::string> bytes = ReadFile(file, kMaxRecordingBytes);
  if (!bytes) return bytes.error();
  const Result<message::Recording> recording = ReadRecording(*bytes, file);
  if (!recording) return recording.error();
  console.Print(console.json ? ToJson(*recording) + "\n" : ToText(*recording));
  return kDone;
}

Action Declare(CLI::App& app) {
  const auto file = std::make_shared<std::string>();
  app.add_option("RECORDING", *file, "A .refract file, binary or text; - reads standard input")
      ->required();
  return [file](Console& console) { return Run(*file, console); };
}

}  // namespace

extern const Verb kShowVerb;
const Verb kShowVerb = {
    "show",  "Print a recording as text that can be read back", "refract show variant.refract", {},
    Declare,
};

}  // namespace refract
