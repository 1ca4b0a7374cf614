// SPDX-License-Identifier: Apache-2.0
// Events of a campaign in words.
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/text.h"
#include "campaign/counts.h"
#include "campaign/original_tests.h"
#include "signature/signature.h"

namespace refract {
inline namespace campaign {
namespace {

using Json = nlohmann::ordered_json;

std::string TextAt(const Json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_string() ? found->get<std::string>() : std::string();
}

uint64_t NumberAt(const Json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

std::string BucketText(const Json& event) {
  const std::string known = TextAt(event, "known"), sub = TextAt(event, "sub");
  const std::string signature =
      format("{}: {}", TextAt(event, "stage"), TextAt(event, "signature"));
  if (!known.empty()) return format("known issue {}: {}", known, signature);
  FailureClass verdict = FailureClass::kUnknown;
  const bool reported = !FromText(TextAt(event, "verdict"), &verdict) || IsBug(verdict);
  if (verdict == FailureClass::kOurError) return format("fault of Refract: {}", signature);
  return format("{}: {}{}", reported ? "new bucket" : "only counted", signature,
                sub.empty() ? "" : format(" [{}]", sub));
}

std::string KeptText(const Json& event, bool reduced) {
  const uint64_t number = NumberAt(event, "test");
  const std::string test =
      IsOriginalTest(number) ? "an unchanged reference" : format("test {}", number);
  const std::string signature = TextAt(event, "signature");
  if (TextAt(event, "state") == TextOf(KeptState::kFailed)) {
    return format("{} cannot be {}: {}", test, reduced ? "reduced" : "run again",
                  TextAt(event, "detail"));
  }
  if (!reduced) {
    return format("{} ran again and failed in {} of {}: {}", test, NumberAt(event, "confirmed"),
                  Counted(NumberAt(event, "runs"), "run"), signature);
  }
  return format("{} reduced from {} to {}: {}", test, Counted(NumberAt(event, "steps"), "step"),
                NumberAt(event, "reduced_steps"), signature);
}

std::string WordsOf(const Json& event) {
  const std::string kind = TextAt(event, "event");
  if (kind == "begin" || kind == "end") return {};
  if (kind == "bucket") return BucketText(event);
  if (kind == "confirmed") return KeptText(event, false);
  if (kind == "reduced") return KeptText(event, true);
  if (kind == "baseline") {
    return format("reference {} on {}: {}: {}", TextAt(event, "reference"), TextAt(event, "target"),
                  TextAt(event, "state"), TextAt(event, "detail"));
  }
  if (kind == "passed_over") {
    return format("{} skipped the target {}, because it hung too often",
                  Counted(NumberAt(event, "tests"), "test"), TextAt(event, "target"));
  }
  std::string text = kind;  // of a later version
  for (const char* key : {"target", "detail"}) {
    const std::string part = TextAt(event, key);
    if (!part.empty()) text += ": " + part;
  }
  return text;
}

}  // namespace

std::string EventInWords(const CampaignEvent& event) {
  const Json json = Json::parse(event.json, nullptr, false);
  if (!json.is_object()) return {};
  const std::string words = WordsOf(json);
  // The events about references have no time.
  if (words.empty() || event.at <= 0) return words;
  const auto at = static_cast<uint64_t>(event.at);
  return format("{}:{:02}:{:02} {}", at / 3600, at / 60 % 60, at % 60, words);
}

}  // namespace campaign
}  // namespace refract
