// SPDX-License-Identifier: Apache-2.0
// The generated structs, and queries that work for every message.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "base/file.h"
#include "message/all.h"
#include "message/info.h"
#include "wire/convert.h"

namespace refract::message {
namespace {

// A function of its own, because expectations for each of the messages take minutes to compile.
void ExpectRegistered(const AnyMessage& message, bool survives, int kind, std::string_view name,
                      int number) {
  EXPECT_EQ(kind, number) << name;
  EXPECT_EQ(KindName(number), name);
  EXPECT_EQ(KindNamed(name), number);
  EXPECT_EQ(message.kind, number) << name;
  EXPECT_TRUE(survives) << name;
}

TEST(Message, KindsAndNamesFollowTheRegistry) {
  int rows = 0;
#define TRANSFORMATION(name, Type, number)                                                     \
  ExpectRegistered(AnyMessage(Type{}), AnyMessage(Type{}).As<Type>() == Type{}, kKindOf<Type>, \
                   #name, number);                                                             \
  ++rows;
#include "message/transformations.def"
#undef TRANSFORMATION
  EXPECT_EQ(static_cast<size_t>(rows), MessageInfos().size());
  EXPECT_EQ(KindName(0), "");
  EXPECT_EQ(KindNamed("no_such_thing"), 0);
}

TEST(Message, AnyComparesByContent) {
  const AnyMessage split(SplitBlock{.before = {.step = 0, .local = 12}});
  EXPECT_EQ(split, AnyMessage(SplitBlock{.before = {.step = 0, .local = 12}}));
  EXPECT_FALSE(split == AnyMessage(SplitBlock{.before = {.step = 1, .local = 12}}));
  EXPECT_FALSE(split == AnyMessage(MoveBlockDown{.block = {.step = 0, .local = 12}}));
  EXPECT_FALSE(split == AnyMessage());
  EXPECT_EQ(AnyMessage(), AnyMessage());
}

TEST(MessageDeathTest, AnyRefusesAccessAsAnotherMessage) {
  const AnyMessage split(SplitBlock{});
  EXPECT_DEATH(static_cast<void>(split.As<MoveBlockDown>()), "kind == kKindOf");
}

TEST(Message, NamesInListsNamesAtAnyDepthInOrder) {
  NameSink names;
  NamesIn(AnyMessage(SetFunctionControl{.function = {.step = 3, .local = 7}, .control = 9}), names);
  EXPECT_EQ(names, (NameSink{{3, 7}}));

  Constant constant;
  constant.type.kind = Type::Kind::kStruct;
  constant.type.declared = {1, 1};
  constant.type.parts.resize(2);
  constant.type.parts[1].declared = {2, 2};
  constant.parts.resize(1);
  constant.parts[0].type.declared = {3, 3};
  names.clear();
  NamesIn(constant, names);
  EXPECT_EQ(names, (NameSink{{2, 2}, {1, 1}, {3, 3}}))
      << "the parts of a type come before its name";

  names.clear();
  NamesIn(AnyMessage(SplitBlock{}), names);
  NamesIn(AnyMessage(), names);
  EXPECT_TRUE(names.empty()) << "{0, 0} names nothing";
}

// The shared messages: few transformations use all their forms.
template <class Wire, class T>
T ThroughBytes(const T& message) {
  Wire encoded;
  wire::ToWire(message, &encoded);
  Wire decoded;
  EXPECT_TRUE(decoded.ParseFromString(encoded.SerializeAsString()));
  return wire::FromWire(decoded);
}

TEST(Message, ValuesSurviveTheCodec) {
  const Use use{.user = {0, Name::kOrdinal + 5}, .id = {4, 0x123456789abcdef0u}, .occurrence = 2};
  EXPECT_EQ((ThroughBytes<wire::Use>(use)), use);
  const PhiInput input{.phi = {0, 3}, .edge_from = {Name::kDeclaredStep, ~uint64_t{0}}};
  EXPECT_EQ((ThroughBytes<wire::PhiInput>(input)), input);
  const Literal literal{.width = 64, .words = {0xffffffffu, 0}};
  EXPECT_EQ((ThroughBytes<wire::Literal>(literal)), literal);

  Type number{.kind = Type::Kind::kInt, .width = 32, .is_signed = true};
  Type array{.kind = Type::Kind::kArray, .count = 3, .parts = {number}};
  Type pointer{.kind = Type::Kind::kPointer, .storage = 7, .parts = {array}};
  EXPECT_EQ((ThroughBytes<wire::Type>(pointer)), pointer);
  Type strange{.kind = static_cast<Type::Kind>(4711), .declared = {0, 9}};
  EXPECT_EQ((ThroughBytes<wire::Type>(strange)), strange) << "the check decides what is valid";

  Constant one{.type = number, .words = {1}};
  Constant null{.type = number, .is_null = true};
  Constant three{.type = array, .parts = {one, null, one}};
  EXPECT_EQ((ThroughBytes<wire::Constant>(three)), three);
  EXPECT_FALSE(ThroughBytes<wire::Constant>(three) == one);
}

TEST(Message, ReferencePageIsUpToDate) {
  const auto page = ReadFile(REFRACT_SOURCE_DIR "/docs/transformations.md");
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_TRUE(page->starts_with(TransformationsPage())) << "run `make docs`";
}

// The names in the first column of the table with this heading at the end of the page.
std::vector<std::string> NamesOfSpirvFuzz(const std::string& tail, const std::string& heading) {
  std::vector<std::string> names;
  std::istringstream table(tail.substr(tail.find(heading)));
  std::string line;
  while (std::getline(table, line) && line.starts_with("| ")) {
    std::istringstream column(line.substr(2, line.find(" | ") - 2));
    if (names.empty()) std::getline(table, line);  // the rule below the heading
    for (std::string name; std::getline(column >> std::ws, name, ',');) names.push_back(name);
  }
  return names;
}

// The end of the page lists the names of all transformations and passes of spirv-fuzz, for readers
// who know them.
TEST(Message, ReferencePageListsTheNamesOfSpirvFuzz) {
  const auto tail = ReadFile(REFRACT_SOURCE_DIR "/docs/transformations.tail.md");
  ASSERT_TRUE(tail) << tail.error().message;
  size_t links = 0;
  for (size_t at = tail->find("](#"); at != std::string::npos; at = tail->find("](#", at + 1)) {
    const std::string name = tail->substr(at + 3, tail->find(')', at) - at - 3);
    const auto infos = MessageInfos();
    EXPECT_TRUE(std::any_of(infos.begin(), infos.end(), [&](const MessageInfo& info) {
      return info.name == name;
    })) << name;
    ++links;
  }
  EXPECT_GE(links, 110u);

  const auto types = NamesOfSpirvFuzz(*tail, "| spirv-fuzz |");
  EXPECT_EQ(types.size(), 88u + 1) << "with the heading";
  EXPECT_EQ(std::set<std::string>(types.begin(), types.end()).size(), types.size());
  const auto passes = NamesOfSpirvFuzz(*tail, "| pass of spirv-fuzz |");
  EXPECT_EQ(passes.size(), 59u + 13 + 1) << "with the heading";
  EXPECT_EQ(std::set<std::string>(passes.begin(), passes.end()).size(), passes.size());
}

}  // namespace
}  // namespace refract::message
