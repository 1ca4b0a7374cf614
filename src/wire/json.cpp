// SPDX-License-Identifier: Apache-2.0
// JSON by reflection. The JSON of protobuf is not used, because it writes 64-bit numbers as strings
// and leaves out zeros, and users rely on stable keys.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <nlohmann/json.hpp>

#include "wire/convert.h"
#include "wire/text.h"

namespace refract {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using Json = nlohmann::ordered_json;

Json Object(const Message& message);

// Returns the value of the field, for a repeated field the one at `index`.
Json Value(const Message& message, const FieldDescriptor* field, int index) {
  const auto& get = *message.GetReflection();
  const bool many = field->is_repeated();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return many ? get.GetRepeatedInt32(message, field, index) : get.GetInt32(message, field);
    case FieldDescriptor::CPPTYPE_INT64:
      return many ? get.GetRepeatedInt64(message, field, index) : get.GetInt64(message, field);
    case FieldDescriptor::CPPTYPE_UINT32:
      return many ? get.GetRepeatedUInt32(message, field, index) : get.GetUInt32(message, field);
    case FieldDescriptor::CPPTYPE_UINT64:
      return many ? get.GetRepeatedUInt64(message, field, index) : get.GetUInt64(message, field);
    case FieldDescriptor::CPPTYPE_BOOL:
      return many ? get.GetRepeatedBool(message, field, index) : get.GetBool(message, field);
    case FieldDescriptor::CPPTYPE_ENUM:
      return (many ? get.GetRepeatedEnum(message, field, index) : get.GetEnum(message, field))
          ->name();
    case FieldDescriptor::CPPTYPE_STRING:
      return many ? get.GetRepeatedString(message, field, index) : get.GetString(message, field);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return Object(many ? get.GetRepeatedMessage(message, field, index)
                         : get.GetMessage(message, field));
    default:
      CHECK(!"a type of field that the generator refuses");
  }
  return {};
}

Json Field(const Message& message, const FieldDescriptor* field) {
  if (!field->is_repeated()) return Value(message, field, 0);
  Json array = Json::array();
  const int size = message.GetReflection()->FieldSize(message, field);
  for (int i = 0; i < size; ++i) array.push_back(Value(message, field, i));
  return array;
}

Json Object(const Message& message) {
  Json object = Json::object();
  const auto* type = message.GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    object[type->field(i)->name()] = Field(message, type->field(i));
  }
  return object;
}

Json StepObject(const wire::Step& step) {
  const auto* type = wire::Transformation::descriptor();
  const FieldDescriptor* kind = type->FindFieldByNumber(step.transformation().kind_case());
  return {{"number", step.number()},
          {"type", kind->name()},
          {"needs", step.needs()},
          {"message", Value(step.transformation(), kind, 0)}};
}

}  // namespace

std::string ToJson(const message::Recording& recording) {
  wire::Recording encoded;
  wire::ToWire(recording, &encoded);
  Json steps = Json::array();
  for (const wire::Step& step : encoded.steps()) steps.push_back(StepObject(step));
  const Json object = {
      {"version", recording.tool},
      {"format", recording.format},
      {"module", recording.module_hash},
      {"inputs", recording.inputs_hash},
      {"companion", recording.companion_hash},
      {"result", recording.result_hash},
      {"result_inputs", recording.result_inputs_hash},
      {"entry", recording.entry},
      {"width", recording.width},
      {"height", recording.height},
      {"target_env", recording.target_env},
      {"validator_options", recording.validator_options},
      {"limits", Object(encoded.limits())},
      {"passes", Field(encoded, encoded.GetDescriptor()->FindFieldByName("passes"))},
      {"seed", recording.seed},
      {"crash_only", recording.crash_only},
      {"steps", steps}};
  return object.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace refract
