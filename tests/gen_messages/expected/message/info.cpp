// SPDX-License-Identifier: Apache-2.0
// Generated from proto/.
#include "message/info.h"

#include <array>

namespace refract::message {
namespace {
constexpr std::array<FieldInfo, 3> kPlantTree = {{
    {"at", "Name", R"(Where.)"},
    {"tree", "Tree", R"(What.)"},
    {"depths", "repeated uint32", R"(How deep.)"},
}};
constexpr std::array<FieldInfo, 0> kRest = {{
}};
constexpr MessageInfo kMessages[] = {
    {"plant_tree", 9, R"(Plants a tree, and says so "in two lines".)", R"(a name; or two.)", R"(the rest.)", R"(garden)", kPlantTree},
    {"rest", 2, R"(Rests.)", R"(nothing.)", R"(everything.)", R"(garden)", kRest},
};
}  // namespace

std::span<const MessageInfo> MessageInfos() { return kMessages; }

}  // namespace refract::message
