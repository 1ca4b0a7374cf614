// SPDX-License-Identifier: Apache-2.0
// Sends the message of every transformation through bytes and text and back. Fields are filled by
// reflection, so a new transformation is covered as soon as it is in the oneof.
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "message/any.h"
#include "message/info.h"
#include "wire/convert.h"
#include "wire/recording_file.h"
#include "wire/text.h"

namespace refract {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Sets random fields of `message`. Adds to `names` the number of names that are not empty.
void Fill(Message* message, int depth, Random& random, size_t* names);

void FillField(Message* message, const FieldDescriptor* field, int depth, Random& random,
               size_t* names) {
  const auto& set = *message->GetReflection();
  const bool many = field->is_repeated();
  const uint64_t bits = random.Next() >> random.Below(64);
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32: {
      const auto value = static_cast<uint32_t>(bits);
      many ? set.AddUInt32(message, field, value) : set.SetUInt32(message, field, value);
      break;
    }
    case FieldDescriptor::CPPTYPE_UINT64:
      many ? set.AddUInt64(message, field, bits) : set.SetUInt64(message, field, bits);
      break;
    case FieldDescriptor::CPPTYPE_INT32: {
      const auto value = static_cast<int32_t>(bits);
      many ? set.AddInt32(message, field, value) : set.SetInt32(message, field, value);
      break;
    }
    case FieldDescriptor::CPPTYPE_INT64: {
      const auto value = static_cast<int64_t>(bits);
      many ? set.AddInt64(message, field, value) : set.SetInt64(message, field, value);
      break;
    }
    case FieldDescriptor::CPPTYPE_BOOL:
      many ? set.AddBool(message, field, bits & 1) : set.SetBool(message, field, bits & 1);
      break;
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto value = static_cast<int>(bits & 63);  // a known value or not
      many ? set.AddEnumValue(message, field, value) : set.SetEnumValue(message, field, value);
      break;
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string value(random.Below(5), static_cast<char>(bits));
      many ? set.AddString(message, field, value) : set.SetString(message, field, value);
      break;
    }
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      const bool recursive = field->message_type() == message->GetDescriptor();
      if (depth > 6 || (recursive && random.Percent(50))) return;
      Fill(many ? set.AddMessage(message, field) : set.MutableMessage(message, field), depth + 1,
           random, names);
      break;
    }
    default:
      FAIL() << "no struct has such a field: " << field->full_name();
  }
}

void Fill(Message* message, int depth, Random& random, size_t* names) {
  const auto* type = message->GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    const uint64_t times = type->field(i)->is_repeated() ? random.Below(4) : 1;
    for (uint64_t n = 0; n < times; ++n) FillField(message, type->field(i), depth, random, names);
  }
  if (type->name() == "Name") {
    const auto& name = static_cast<const wire::Name&>(*message);
    *names += name.step() != 0 || name.local() != 0 ? 1 : 0;
  }
}

TEST(Codec, EveryTransformationSurvivesBytesAndText) {
  const auto* oneof = wire::Transformation::descriptor();
  ASSERT_EQ(static_cast<size_t>(oneof->field_count()), message::MessageInfos().size());
  Random random(1);
  for (int i = 0; i < oneof->field_count(); ++i) {
    SCOPED_TRACE(oneof->field(i)->name());
    for (int round = 0; round < 100; ++round) {
      wire::Transformation encoded;
      size_t names_set = 0;
      Fill(encoded.GetReflection()->MutableMessage(&encoded, oneof->field(i)), 0, random,
           &names_set);
      const AnyMessage any = wire::FromWire(encoded);
      EXPECT_EQ(message::KindName(any.kind), oneof->field(i)->name());
      message::NameSink names;
      NamesIn(any, names);
      EXPECT_EQ(names.size(), names_set);

      const message::Recording recording{.format = kRecordingFormat,
                                         .steps = {{.number = 1, .transformation = any}}};
      const auto read = ReadRecording(WriteRecording(recording), "a.refract");
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(read->steps[0].transformation, any);

      const std::string text = ToText(any);
      const auto parsed = TransformationFromText(text, "text");
      ASSERT_TRUE(parsed) << parsed.error().message << "\n" << text;
      EXPECT_EQ(*parsed, any) << text;
      EXPECT_FALSE(ToJson(recording).empty());
    }
  }
}

}  // namespace
}  // namespace refract
