// SPDX-License-Identifier: Apache-2.0
#include "folder/test_json.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "base/diagnostic.h"
#include "base/text.h"
#include "base/version.h"
#include "input/json_text.h"

namespace refract {
inline namespace folder {
namespace {

using Json = nlohmann::ordered_json;
using Kind = JsonNode::Kind;
using Pairs = std::vector<std::pair<std::string, std::string>>;

Json ToJson(const Pairs& pairs) {
  Json json = Json::object();
  for (const auto& [name, value] : pairs) json[name] = value;
  return json;
}

Json ToJson(const TargetRecord& target) {
  return {{"name", target.name},
          {"kind", target.kind},
          {"version", target.version},
          {"driver", target.driver},
          {"driver_version", target.driver_version},
          {"driver_info", target.driver_info},
          {"device", target.device},
          {"api_version", target.api_version},
          {"icd", target.icd},
          {"build_ids", ToJson(target.build_ids)},
          {"environment", ToJson(target.environment)}};
}

/// Reads values of one JSON object. Keeps the first error, and ignores all calls after it.
class Reader {
 public:
  Reader(const std::string& file, std::string pointer, const JsonNode& node, Status* status)
      : file_(file), pointer_(std::move(pointer)), node_(node), status_(status) {
    if (node.kind != Kind::kObject) Refuse(node, pointer_, "an object is expected");
  }

  /// The member `key`, which must have this kind; null if it is absent or there is an error.
  const JsonNode* Get(std::string_view key, Kind kind, std::string_view kind_name,
                      bool required = false) {
    if (!*status_) return nullptr;
    const JsonNode* value = node_.Find(key);
    if (value == nullptr && !required) return nullptr;
    if (value == nullptr) {
      Refuse(node_, pointer_.empty() ? "/" : pointer_, format("the key '{}' is missing", key));
    } else if (value->kind != kind) {
      Refuse(*value, JsonPointer(pointer_, key), format("{} is expected", kind_name));
      value = nullptr;
    }
    return value;
  }
  void Text(std::string_view key, std::string* text, bool required = false) {
    if (const JsonNode* value = Get(key, Kind::kString, "a string", required)) *text = value->text;
  }
  void Flag(std::string_view key, bool* flag) {
    if (const JsonNode* value = Get(key, Kind::kBool, "true or false")) *flag = value->boolean;
  }
  template <class T>
  void Number(std::string_view key, T* number, bool required = false) {
    const JsonNode* value = Get(key, Kind::kInteger, "a whole number", required);
    if (value == nullptr) return;
    if (value->integer > std::numeric_limits<T>::max()) {
      Refuse(*value, JsonPointer(pointer_, key), format("{} is too large", value->integer));
      return;
    }
    *number = static_cast<T>(value->integer);
  }
  void Texts(std::string_view key, std::vector<std::string>* texts) {
    const JsonNode* list = Get(key, Kind::kArray, "a list");
    if (list == nullptr) return;
    for (const JsonNode& item : list->items) {
      if (item.kind != Kind::kString) {
        return Refuse(item, JsonPointer(pointer_, key), "a list of strings is expected");
      }
      texts->push_back(item.text);
    }
  }
  void Strings(std::string_view key, Pairs* pairs) {
    const JsonNode* object = Get(key, Kind::kObject, "an object");
    if (object == nullptr) return;
    for (const JsonMember& member : object->members) {
      if (member.value.kind != Kind::kString) {
        return Refuse(member.value, JsonPointer(JsonPointer(pointer_, key), member.key),
                      "a string is expected");
      }
      pairs->emplace_back(member.key, member.value.text);
    }
  }
  /// Reads a string that `parse` must accept.
  template <class T, class Parse>
  void Word(std::string_view key, T* value, const Parse& parse) {
    const JsonNode* node = Get(key, Kind::kString, "a string", true);
    if (node == nullptr) return;
    if (const auto known = parse(node->text)) {
      *value = *known;
    } else {
      Refuse(*node, JsonPointer(pointer_, key), format("unknown value '{}'", node->text));
    }
  }
  void Refuse(const JsonNode& node, const std::string& pointer, std::string_view what) {
    if (*status_)
      *status_ = Error{format("{}:{}:{}: {}: {}", file_, node.line, node.column, pointer, what)};
  }

 private:
  const std::string& file_;
  const std::string pointer_;
  const JsonNode& node_;
  Status* status_;
};

TargetRecord TargetFrom(const std::string& file, const JsonNode& node, Status* status) {
  Reader reader(file, "/target", node, status);
  TargetRecord target;
  reader.Text("name", &target.name, true);
  reader.Text("kind", &target.kind);
  reader.Text("version", &target.version);
  reader.Text("driver", &target.driver);
  reader.Text("driver_version", &target.driver_version);
  reader.Text("driver_info", &target.driver_info);
  reader.Text("device", &target.device);
  reader.Text("api_version", &target.api_version);
  reader.Text("icd", &target.icd);
  reader.Strings("build_ids", &target.build_ids);
  reader.Strings("environment", &target.environment);
  return target;
}

// Called first, so that a file of a newer format is refused as such.
void CheckFormat(Reader& reader, const JsonNode& root) {
  uint32_t number = 0;
  reader.Number("format", &number, true);
  if (number <= kTestFolderFormat && number > 0) return;
  const JsonNode* tool = root.Find("refract");
  const bool named = tool != nullptr && tool->kind == Kind::kString;
  const JsonNode* node = root.Find("format");
  reader.Refuse(node == nullptr ? root : *node, "/format",
                format("format {}, written by Refract {}; this is Refract {}, which reads formats "
                       "up to {}",
                       number, named ? tool->text : "of an unknown version", ToolVersion(),
                       kTestFolderFormat));
}

void ReadRule(Reader& reader, const JsonNode& root, TestRecord* record) {
  ComparisonRule& rule = record->rule;
  reader.Word("rule", &rule.kind, RuleByName);
  const JsonNode* rest = root.Find("rule_without_bounds");
  if (rest != nullptr) reader.Word("rule_without_bounds", &rule.rest, RuleByName);
  if (rule.rest != CompareRule::kStable && rule.rest != CompareRule::kSpatial) {
    reader.Refuse(*rest, "/rule_without_bounds", "must be stable or spatial");
  }
  std::string text;
  reader.Text("thresholds", &text);
  const Result<Thresholds> thresholds = ParseThresholds(text);
  if (!thresholds) {
    reader.Refuse(*root.Find("thresholds"), "/thresholds", thresholds.error().message);
  } else {
    rule.thresholds = *thresholds;
  }
  reader.Number("bounded_targets", &record->bounded_targets);
}

void ReadHowToRun(Reader& reader, const JsonNode& root, TestRecord* record) {
  reader.Text("entry", &record->entry, true);
  reader.Word("environment", &record->environment, [](const std::string& name) {
    const Result<TargetEnvironment> known = ParseTargetEnvironment(name);
    return known ? std::optional(*known) : std::nullopt;
  });
  std::vector<std::string> options;
  reader.Texts("validator_options", &options);
  for (const std::string& option : options) {
    if (const Status set = SetValidationOption(option, &record->validation); !set) {
      reader.Refuse(*root.Find("validator_options"), "/validator_options", set.error().message);
    }
  }
  uint32_t seconds = 10;
  reader.Number("time_limit", &seconds);
  record->time_limit = seconds;
  reader.Flag("zero_inputs", &record->zero_inputs);
  reader.Flag("partial_subgroups", &record->partial_subgroups);
}

}  // namespace

std::string TestJson(const TestRecord& record) {
  Json json = {{"format", kTestFolderFormat},
               {"refract", record.tool},
               {"commit", record.commit},
               {"build", record.build},
               {"verdict", FailureClassName(record.verdict)},
               {"signature", record.signature},
               {"what", record.what},
               {"target", ToJson(record.target)},
               {"kernel", record.kernel},
               {"rule", RuleName(record.rule.kind)},
               {"seed", record.seed},
               {"runs", record.runs},
               {"confirmed", record.confirmed},
               {"minimal", record.minimal},
               {"variant_steps", record.variant_steps},
               {"steps", record.steps},
               {"types", record.types},
               {"instructions", record.instructions},
               {"entry", record.entry},
               {"environment", NameOf(record.environment)},
               {"validator_options", NamesOf(record.validation)},
               {"time_limit", static_cast<uint64_t>(record.time_limit)},
               {"zero_inputs", record.zero_inputs},
               {"partial_subgroups", record.partial_subgroups}};
  if (!record.blamed.empty()) json["blamed"] = record.blamed;
  if (!record.blamed_pass.empty()) json["blamed_pass"] = record.blamed_pass;
  if (!record.fleshed_by.empty()) json["fleshed_by"] = record.fleshed_by;
  if (!record.generated_by.empty()) json["generated_by"] = record.generated_by;
  if (record.unchanged) json["unchanged"] = true;
  if (!record.covers.empty()) json["covers"] = record.covers;
  const auto add = [&](const char* key, uint64_t number) {
    if (number > 0) json[key] = number;
  };
  add("smallest_instructions", record.smallest_instructions);
  add("pair_instructions", record.pair_instructions);
  add("pair_difference", record.pair_difference);
  const CompareRule rule = record.rule.kind;
  if (HasThresholds(rule)) {
    json["thresholds"] = ThresholdsText(record.rule.thresholds);
  }
  if (rule == CompareRule::kBounded) {
    json["rule_without_bounds"] = RuleName(record.rule.rest);
    json["bounded_targets"] = record.rule.bounds == nullptr ? 0 : record.rule.bounds->size();
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<TestRecord> ParseTestJson(const std::string& file, std::string_view text) {
  const Result<JsonNode> root = ParseJson(file, text);
  if (!root) return WithSource(root.error(), file, text);
  Status status;
  Reader reader(file, "", *root, &status);
  CheckFormat(reader, *root);
  TestRecord record;
  reader.Text("refract", &record.tool);
  reader.Text("commit", &record.commit);
  reader.Text("build", &record.build);
  reader.Word("verdict", &record.verdict, FailureClassNamed);
  reader.Text("signature", &record.signature, true);
  reader.Text("what", &record.what);
  reader.Text("kernel", &record.kernel);
  ReadRule(reader, *root, &record);
  reader.Number("seed", &record.seed);
  reader.Number("runs", &record.runs);
  reader.Number("confirmed", &record.confirmed);
  reader.Flag("minimal", &record.minimal);
  reader.Number("variant_steps", &record.variant_steps);
  reader.Number("steps", &record.steps);
  reader.Texts("types", &record.types);
  reader.Number("instructions", &record.instructions);
  reader.Number("smallest_instructions", &record.smallest_instructions);
  reader.Number("pair_instructions", &record.pair_instructions);
  reader.Number("pair_difference", &record.pair_difference);
  reader.Text("blamed", &record.blamed);
  reader.Text("blamed_pass", &record.blamed_pass);
  reader.Text("fleshed_by", &record.fleshed_by);
  reader.Text("generated_by", &record.generated_by);
  reader.Flag("unchanged", &record.unchanged);
  reader.Text("covers", &record.covers);
  ReadHowToRun(reader, *root, &record);
  if (const JsonNode* target = reader.Get("target", Kind::kObject, "an object", true)) {
    record.target = TargetFrom(file, *target, &status);
  }
  if (!status) return WithSource(status.error(), file, text);
  return record;
}

}  // namespace folder
}  // namespace refract
