// SPDX-License-Identifier: Apache-2.0
// refract signature: prints the signature of the failure in a log, and how it was made.
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "cli/verbs.h"
#include "signature/normalise.h"
#include "signature/signature.h"

namespace refract {
inline namespace cli {
namespace {

using Json = nlohmann::ordered_json;

struct SignatureArguments {
  std::string log;
  bool explain = false;
};

void Declare(SignatureArguments& given, Options& options) {
  options.Argument("LOG", &given.log,
                   "Output of a tool or driver, or a .log file that `refract run -o` wrote; - "
                   "reads standard input");
  options.Flag("--explain", &given.explain,
               "Print the lines and rules from which the signature is made");
}

Json ToJson(const FailureData& facts, const FailureSignature& signature) {
  Json json = {{"signature", signature.text}, {"class", FailureClassName(facts.kind)},
               {"target", facts.target},      {"stage", facts.stage},
               {"key", signature.key},        {"rule", signature.rule},
               {"steps", Json::array()}};
  for (const SignatureStep& step : signature.steps) {
    json["steps"].push_back({{"rule", step.rule}, {"line", step.line}, {"text", step.text}});
  }
  return json;
}

Result<ExitCode> Run(const SignatureArguments& given, Console& console) {
  const Result<std::string> log = ReadFile(given.log, uint64_t{64} << 20);
  if (!log) return log.error();
  const FailureData facts = FailureFromLog(*log);
  const FailureSignature signature = SignatureOf(facts);
  if (console.json) {
    console.Print(ToJson(facts, signature).dump(2, ' ', false, Json::error_handler_t::replace) +
                  "\n");
    return kDone;
  }
  if (!given.explain) {
    console.Print(signature.text + "\n");
    return kDone;
  }
  for (const SignatureStep& step : signature.steps) {
    const std::string place = step.line == 0 ? std::string() : format(" (line {})", step.line);
    // A line of a log may have any bytes. Control characters of terminals are replaced.
    std::string text = TruncateWithHash(step.text, 400);
    for (char& c : text) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    }
    console.Print(format("{}{}: {}\n", step.rule, place, text));
  }
  return kDone;
}

}  // namespace

const Verb kSignatureVerb = {
    .name = "signature",
    .summary = "Print the signature of the failure in a log: the same bug has the same signature",
    .example = "refract signature --explain crash.log",
    .exit_codes = {},
    .main_options = {"--explain", "--json"},
    .declare = DeclareVerb<SignatureArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
