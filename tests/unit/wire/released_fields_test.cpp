// SPDX-License-Identifier: Apache-2.0
// Recordings stay readable for ever: every later version reads what a release wrote.
// proto/released/fields.txt is the table of all fields and enum values at the last release, written
// by `make freeze`; this test compares today's protos with it. New fields are allowed; the numbers
// and names of removed fields must be reserved.
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "base/file.h"
#include "base/text.h"
#include "base/version.h"
#include "wire/convert.h"

namespace refract {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;

constexpr const char* kReleased = REFRACT_SOURCE_DIR "/proto/released/fields.txt";

// "Recording.seed" -> "15 uint64"; "Type.Kind.INT" -> "21"; "Limits reserved" -> numbers and names.
using Table = std::map<std::string, std::string>;

std::string TypeOf(const FieldDescriptor* field) {
  std::string type = field->is_repeated() ? "repeated " : "";
  if (field->containing_oneof() != nullptr) type += "oneof ";
  if (field->message_type() != nullptr) return type + field->message_type()->name();
  if (field->enum_type() != nullptr) return type + field->enum_type()->name();
  return type + field->type_name();
}

void AddEnum(const EnumDescriptor* type, const std::string& name, Table* table) {
  for (int i = 0; i < type->value_count(); ++i) {
    (*table)[name + "." + type->value(i)->name()] = format("{}", type->value(i)->number());
  }
}

void AddMessage(const Descriptor* type, Table* table) {
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    (*table)[type->name() + "." + field->name()] = format("{} {}", field->number(), TypeOf(field));
  }
  std::string reserved;
  for (int i = 0; i < type->reserved_range_count(); ++i) {
    const Descriptor::ReservedRange* range = type->reserved_range(i);
    for (int n = range->start; n < range->end; ++n) reserved += format(" {}", n);
  }
  for (int i = 0; i < type->reserved_name_count(); ++i) reserved += " " + type->reserved_name(i);
  if (!reserved.empty()) (*table)[type->name() + " reserved"] = reserved + " ";
  for (int i = 0; i < type->enum_type_count(); ++i) {
    AddEnum(type->enum_type(i), type->name() + "." + type->enum_type(i)->name(), table);
  }
  for (int i = 0; i < type->nested_type_count(); ++i) AddMessage(type->nested_type(i), table);
}

Table Today() {
  Table table;
  const FileDescriptor* recording = wire::Recording::descriptor()->file();
  std::vector<const FileDescriptor*> files = {recording};
  for (int i = 0; i < recording->dependency_count(); ++i) {
    files.push_back(recording->dependency(i));
  }
  for (const FileDescriptor* file : files) {
    for (int i = 0; i < file->message_type_count(); ++i) AddMessage(file->message_type(i), &table);
    for (int i = 0; i < file->enum_type_count(); ++i) {
      AddEnum(file->enum_type(i), file->enum_type(i)->name(), &table);
    }
  }
  return table;
}

std::string ToText(const Table& table) {
  std::string text =
      "# Fields of recordings at the last release. Written by `make freeze`, never by hand.\n";
  for (const auto& [name, what] : table) text += format("{} = {}\n", name, what);
  return text;
}

Table FromText(std::string_view text) {
  Table table;
  for (const std::string& line : Split(text, '\n')) {
    const size_t equals = line.find(" = ");
    if (line.empty() || line[0] == '#' || equals == std::string::npos) continue;
    table[line.substr(0, equals)] = line.substr(equals + 3);
  }
  return table;
}

bool IsReserved(const Table& now, const std::string& message, const std::string& what) {
  const auto reserved = now.find(message + " reserved");
  return reserved != now.end() && reserved->second.find(" " + what + " ") != std::string::npos;
}

bool HasMessage(const Table& now, const std::string& message) {
  const auto next = now.lower_bound(message);
  return next != now.end() &&
         (next->first.starts_with(message + ".") || next->first.starts_with(message + " "));
}

// The changes that would break reading released recordings.
std::vector<std::string> Broken(const Table& released, const Table& now) {
  std::vector<std::string> broken;
  for (const auto& [name, what] : released) {
    if (name.ends_with(" reserved")) {
      const std::string message = name.substr(0, name.find(' '));
      for (const std::string& word : Split(Trim(what), ' ')) {
        if (!IsReserved(now, message, word)) {
          broken.push_back(format("{}: {} was reserved and is no more", message, word));
        }
      }
      continue;
    }
    const auto found = now.find(name);
    if (found != now.end()) {
      if (found->second != what) {
        broken.push_back(format("{} was {} and is {}", name, what, found->second));
      }
      continue;
    }
    const size_t dot = name.rfind('.');
    const std::string message = name.substr(0, dot);
    const std::string number = what.substr(0, what.find(' '));
    // An unused message may be removed; the field that used it must be reserved.
    if (!HasMessage(now, message)) continue;
    if (!IsReserved(now, message, number) || !IsReserved(now, message, name.substr(dot + 1))) {
      broken.push_back(format("{} = {} is gone: reserve its number and its name", name, what));
    }
  }
  return broken;
}

TEST(ReleasedFields, MeanTheSameForEver) {
  if (std::getenv("FREEZE") != nullptr) {
    const Status written = WriteFile(kReleased, ToText(Today()));
    ASSERT_TRUE(written) << written.error().message;
  }
  const Result<std::string> text = ReadFile(kReleased);
  ASSERT_TRUE(text) << text.error().message;
  const Table released = FromText(*text);
  EXPECT_GT(released.size(), 50u);
  EXPECT_EQ(Broken(released, Today()), std::vector<std::string>());
}

TEST(ReleasedFields, ChangesThatBreakRecordingsAreDetected) {
  const Table now = Today();
  EXPECT_EQ(FromText(ToText(now)), now);
  EXPECT_TRUE(Broken(now, now).empty());
  const auto broken = [&](const std::string& name, const std::string& what) {
    Table released = now;
    released[name] = what;
    const std::vector<std::string> found = Broken(released, now);
    return found.empty() ? "" : found[0];
  };
  EXPECT_EQ(broken("Recording.seed", "14 uint64"), "Recording.seed was 14 uint64 and is 15 uint64");
  EXPECT_EQ(broken("Step.needs", "3 uint32"), "Step.needs was 3 uint32 and is 3 repeated uint32");
  EXPECT_EQ(broken("Transformation.split_block", "2 oneof SplitBlock"),
            "Transformation.split_block was 2 oneof SplitBlock and is 1 oneof SplitBlock");
  EXPECT_EQ(broken("Type.Kind.INT", "20"), "Type.Kind.INT was 20 and is 21");
  EXPECT_EQ(
      broken("Transformation.eat_block", "900 oneof EatBlock"),
      "Transformation.eat_block = 900 oneof EatBlock is gone: reserve its number and its name");
  EXPECT_EQ(broken("EatBlock.block", "1 Name"), "") << "nothing uses the message any more";
  EXPECT_EQ(broken("Recording reserved", " 1 2 77 "), "Recording: 77 was reserved and is no more");
  // A new field is harmless.
  Table released = now;
  released.erase("Recording.seed");
  EXPECT_TRUE(Broken(released, now).empty());
  // So is a removed one whose number and name are reserved.
  Table later = now;
  later.erase("Recording.seed");
  later["Recording reserved"] = " 1 2 15 seed ";
  EXPECT_TRUE(Broken(now, later).empty());
  later["Recording reserved"] = " 1 2 15 ";
  EXPECT_EQ(Broken(now, later).size(), 1u);
}

}  // namespace
}  // namespace refract
