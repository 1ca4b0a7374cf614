// SPDX-License-Identifier: Apache-2.0
// refract signature: what the failure in a log is called, and why.
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "cli/verbs.h"
#include "signature/normalise.h"
#include "signature/signature.h"

namespace refract::inline cli {
namespace {

using Json = nlohmann::ordered_json;

struct SignatureArguments {
  std::string log;
  bool explain = false;
};

void Declare(SignatureArguments& given, Options& options) {
  options.Argument("LOG", &given.log,
                   "What a tool or driver printed, or a .log that `refract run -o` wrote; - is "
                   "standard input");
  options.Flag("--explain", &given.explain, "Say which line and which rules gave it");
}

Json ToJson(const FailureFacts& facts, const FailureSignature& signature) {
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
  const FailureFacts facts = FactsFromLog(*log);
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
    // A line of a log may hold anything; what a terminal would obey is not shown.
    std::string text = Bounded(step.text, 400);
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
    .summary = "Print what the failure in a log is called: the same for the same bug",
    .example = "refract signature --explain crash.log",
    .exit_codes = {},
    .main_options = {"--explain", "--json"},
    .declare = DeclareVerb<SignatureArguments, Declare, Run>,
};

}  // namespace refract::inline cli
